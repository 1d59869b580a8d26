"""The source Tax Answer: a site of articles. How the site and its pages are read is in `site.py` and `reader.py`."""

from rag_assets.sources.base import Source

DOCUMENT = "国税庁タックスアンサー"
"""Name of the document in headers."""

SOURCE = Source(
    name="tax_answer",
    kind="pages",
    title="タックスアンサー",
    column_title="タックス\nアンサー",
    names_in_words="the Tax Answer site: the bundled sample, a folder holding a copy of its tree, or its base URL",
    record_in_words="an article",
    example_numbers=("2594", "1211-1"),
)
