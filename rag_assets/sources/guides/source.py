"""The source of guides: how a guide, or a folder of them, is called, found and shown.

How it is configured is in `settings.py`, which files of a folder are read in `folder.py`, and how in `reader.py`.
"""

from collections.abc import Iterable

from rag_assets.sources.base import SAMPLE_DOCUMENTS, DocumentSettings, DocumentSource
from rag_assets.sources.guides.folder import find_guides
from rag_assets.sources.guides.settings import GuideSettings


def _expand(configured: DocumentSettings) -> Iterable[DocumentSettings]:
    assert isinstance(configured, GuideSettings)
    return find_guides(configured)


SOURCE = DocumentSource(
    name="guides",
    kind="files",
    title="手引き・マニュアル",
    column_title="手引き",
    names_in_words="a guide, manual or rules with headings (Markdown, HTML, Word, PowerPoint, PDF), or a folder",
    record_in_words="a section of readable length, with the path of headings it stands under",
    example_numbers=("refunds", "7b776998d7"),
    settings=GuideSettings,
    sample=GuideSettings(
        key="sample",
        location=str(SAMPLE_DOCUMENTS / "guides"),
        document="みほん商会 社員ハンドブック（架空の見本）",
    ),
    packages=("markdown-it-py", "mdit-py-plugins", "pyyaml", "beautifulsoup4", "lxml", "pdfplumber"),
    takes_folders=True,
    expand=_expand,
    takes_web_pages=True,
)
