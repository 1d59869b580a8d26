"""A sync as a program, for tests that end it: `-m rag_assets_tests.s3.killable URL BUCKET PREFIX FOLDER FILE`."""

import signal
import sys
from pathlib import Path

from emulation.local_aws import make_client
from rag_assets.s3.errors import s3_client_config
from rag_assets.s3.locations import S3Location
from rag_assets.s3.objects import SyncOptions, sync_folder


def main(url: str, bucket: str, prefix: str, folder: str, manifest: str) -> None:
    """Sync, whatever is deleted."""
    s3 = make_client("s3", url, region_name="us-east-1", config=s3_client_config())
    location, options = S3Location(bucket=bucket, prefix=prefix), SyncOptions(workers=4, may_delete_more=True)
    sync_folder(s3, Path(folder), location, Path(manifest), options)


if __name__ == "__main__":
    # A program that is started in the background may ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(*sys.argv[1:])
