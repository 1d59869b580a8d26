"""How a guide, or a folder of them, is configured."""

from typing import Annotated

from pydantic import Field

from rag_assets.sources.base import PdfDocument

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
