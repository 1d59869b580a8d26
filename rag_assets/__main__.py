"""`python -m rag_assets`: see `cli/`."""

import sys

from rag_assets.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
