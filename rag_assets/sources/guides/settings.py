"""How a guide, or a folder of them, is configured."""

from typing import Annotated

from pydantic import Field

from rag_assets.sources.base import PdfDocument

READABLE = ("**/*.md", "**/*.markdown", "**/*.html", "**/*.htm", "**/*.xhtml", "**/*.docx", "**/*.pdf")
"""What is read of a folder."""


class GuideSettings(PdfDocument):
    """One guide as a person configures it, or a folder of them.

    Of a folder, `document` is the name of all of it, which stands before the title of each document in headers, and
    `link` the address under which it is published: `{path}` in it stands for a document's path in the folder
    (`finance/expenses.md`), `{page}` for the same as sites have it (`finance/expenses`; nothing for an `index`);
    without either, `/{page}/` is put behind it.

    Attributes:
        level: Headings of this level (1 is the outermost) and above open records; none decides by length.
        include: Of a folder, which files are read: patterns in which `*` stands for any characters in one name and
            `**` for any folders.
        exclude: Which of them are not.
        path: The document's path in its folder, by which question sets call it; set for the documents of a folder.
    """

    level: Annotated[int, Field(ge=1, le=9)] | None = None
    include: tuple[str, ...] = READABLE
    exclude: tuple[str, ...] = ()
    path: str = ""
