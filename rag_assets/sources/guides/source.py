"""The source of guides: how a guide, or a folder of them, is named and configured.

How their files are read is in `reader.py`; which files of a folder are, in `folder.py`.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Annotated

from pydantic import Field

from rag_assets.sources.base import SAMPLE_DOCUMENTS, DocumentSettings, DocumentSource, PdfDocument, Reading

READABLE = ("*.md", "*.markdown", "*.html", "*.htm", "*.xhtml", "*.docx", "*.pdf")
"""What is read of a folder."""


class GuideSettings(PdfDocument):
    """One guide as a person configures it, or a folder of them."""

    document: str = Field(
        default="",
        description="its name in headers; empty takes the name that the document gives itself. Of a folder: the name "
        "of all of it, which stands before the title of each document",
    )
    link: str = Field(
        default="",
        description="where a reader can see the original (http or https); empty takes the URL it came from, or "
        "nothing. Of a folder: the address it is published under; `{path}` in it stands for a document's path in the "
        "folder (`finance/expenses.md`), `{page}` for the same as sites have it (`finance/expenses`, and nothing for "
        "an `index`); without either, `/{page}/` is put behind it",
    )
    level: Annotated[int, Field(ge=1, le=9)] | None = Field(
        default=None,
        description="headings of this level (1 is the outermost) and above open records; without it, records are "
        "sections of readable length",
    )
    include: tuple[str, ...] = Field(
        default=READABLE,
        min_length=1,
        description="of a folder, which files are read: `*` stands for any characters of a name, `**` for any "
        "folders; a pattern without `/` is for names in any folder",
    )
    exclude: tuple[str, ...] = Field(default=(), description="of a folder, which files are not read, likewise")
    path: str = Field(
        default="",
        description="the document's path in its folder, by which question sets call it; known for what is found in a "
        "folder",
    )
    unread: tuple[str, ...] = Field(
        default=(), description="files beside it that cannot be read; known for what is found in a folder"
    )


def _load_reader() -> Callable[..., Iterator[Reading]]:
    from rag_assets.sources.guides.reader import read_document

    return read_document


def _expand(configured: DocumentSettings) -> Iterable[DocumentSettings]:
    from rag_assets.sources.guides.folder import find_guides

    assert isinstance(configured, GuideSettings)
    return find_guides(configured)


SOURCE = DocumentSource(
    name="guides",
    kind="files",
    title="手引き・マニュアル",
    column_title="手引き",
    names_in_words="a guide, manual or rules with headings (Markdown, HTML, Word, PDF), or a folder of them",
    record_in_words="a section of readable length, with the path of headings it stands under",
    example_numbers=("the heading's own anchor, or a hash of its path",),
    settings=GuideSettings,
    sample=GuideSettings(
        key="sample",
        location=str(SAMPLE_DOCUMENTS / "guides"),
        document="みほん商会 社員ハンドブック（架空の見本）",
    ),
    load_reader=_load_reader,
    packages=("markdown-it-py", "mdit-py-plugins", "pyyaml", "beautifulsoup4", "lxml", "python-docx", "pdfplumber"),
    takes_folders=True,
    expand=_expand,
    takes_web_pages=True,
)
