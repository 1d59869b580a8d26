"""What a file is, told by its content, so that a person who gave the wrong one hears what it is and what to do.

A name is no proof: sites serve web pages as .pdf, and people rename files. Nothing here reads a document.
"""

import re
import zipfile
from collections import Counter
from dataclasses import dataclass
from os import SEEK_END
from typing import BinaryIO, Literal

Family = Literal[
    "pdf", "office", "sheet", "archive", "picture", "page", "xml", "text", "table", "mail", "shortcut", "other"
]


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file.

    Attributes:
        name: As messages call it, with its article.
        family: What can be done about it.
    """

    name: str
    family: Family


EMPTY = FileKind("an empty file", "other")
PDF = FileKind("a PDF", "pdf")
WORD = FileKind("a Word document (.docx)", "office")
POWERPOINT = FileKind("a PowerPoint presentation (.pptx)", "office")
EXCEL = FileKind("an Excel workbook (.xlsx)", "sheet")
OLD_WORD = FileKind("an old Word document (.doc)", "office")
OLD_POWERPOINT = FileKind("an old PowerPoint presentation (.ppt)", "office")
OLD_EXCEL = FileKind("an old Excel workbook (.xls)", "sheet")
OLD_OFFICE = FileKind("an old Office document (.doc, .xls, .ppt) or one of a like program", "office")
LOCKED_OFFICE = FileKind("an Office document (Word, Excel, PowerPoint) locked with a password", "office")
ARCHIVE = FileKind("a ZIP archive", "archive")
BROKEN_ARCHIVE = FileKind("a ZIP archive, or an Excel workbook, Word document or the like, that is damaged", "archive")
HTML = FileKind("a web page (HTML)", "page")
LAW_XML = FileKind("law XML", "xml")
XML = FileKind("an XML file", "xml")
JSON = FileKind("a JSON file", "text")
MARKDOWN = FileKind("a Markdown file", "text")
PLAIN_TEXT = FileKind("a plain text file", "text")
TABLE = FileKind("a table as text (CSV)", "table")
RTF = FileKind("an RTF document", "office")
WORD_XML = FileKind("a Word document (XML)", "office")
EXCEL_XML = FileKind("an Excel workbook (XML)", "sheet")
MAIL = FileKind("an e-mail", "mail")
WEB_ARCHIVE = FileKind("a web page saved with its pictures (MHTML)", "page")
SHORTCUT = FileKind("a shortcut, which only leads to a file", "shortcut")

_BY_MAGIC = (
    (b"{\\rtf", RTF),
    (b"\x89PNG\r\n", FileKind("a picture (PNG)", "picture")),
    (b"\xff\xd8\xff", FileKind("a picture (JPEG)", "picture")),
    (b"GIF8", FileKind("a picture (GIF)", "picture")),
    (b"II*\0", FileKind("a picture (TIFF)", "picture")),
    (b"MM\0*", FileKind("a picture (TIFF)", "picture")),
    (b"%!PS", FileKind("a PostScript file", "office")),
    (b"%FDF-", FileKind("the form data of a PDF without the PDF (FDF)", "other")),
    (b"L\0\0\0\x01\x14\x02\0", SHORTCUT),
    (b"\x1f\x8b", FileKind("a gzip archive", "archive")),
    (b"7z\xbc\xaf\x27\x1c", FileKind("a 7-Zip archive", "archive")),
    (b"Rar!\x1a", FileKind("a RAR archive", "archive")),
)
_BY_MEMBER = (("word/", WORD), ("ppt/", POWERPOINT), ("xl/", EXCEL))
_BY_MIMETYPE = {
    b"application/epub+zip": FileKind("an e-book (EPUB)", "office"),
    b"application/vnd.oasis.opendocument.text": FileKind("an OpenDocument text (.odt)", "office"),
    b"application/vnd.oasis.opendocument.spreadsheet": FileKind("an OpenDocument spreadsheet (.ods)", "sheet"),
    b"application/vnd.oasis.opendocument.presentation": FileKind("an OpenDocument presentation (.odp)", "office"),
}
_BY_STREAM = (
    ("EncryptedPackage", LOCKED_OFFICE),
    ("WordDocument", OLD_WORD),
    ("PowerPoint Document", OLD_POWERPOINT),
    ("Workbook", OLD_EXCEL),
    ("Book", OLD_EXCEL),
    ("__properties_version1.0", MAIL),
    ("DocumentText", FileKind("an Ichitaro document (.jtd)", "office")),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_HEAD = 65_536
_PDF_MARK_WITHIN = 1024
_LINES = 20
_TABLE_SHARE = 0.5

_PROLOGUE = rb"(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*"
_HTML = re.compile(_PROLOGUE + rb"<(?:!doctype\s+html|html|head|body)\b", re.I | re.S)
_LAW_ROOT = re.compile(_PROLOGUE + rb"(?:<!DOCTYPE[^>]*>\s*)?<(?:[a-z]+:)?(?:Law|DataRoot|law_data_response)\b", re.S)
_XML = re.compile(rb"<\?xml\b|" + _PROLOGUE + rb"<(?:!DOCTYPE\b|[A-Za-z_][\w.:-]*[\s/>])", re.S)
_PICTURE = re.compile(_PROLOGUE + rb"(?:<!DOCTYPE\s+svg[^>]*>\s*)?<svg\b", re.S)
_OFFICE_XML = re.compile(rb'<\?mso-application\s+progid="(Excel|Word)\.')
_FRAGMENT = re.compile(
    rb"<\?php\b|<(?:div|p|span|section|article|main|header|nav|table|ul|ol|dl|h[1-6]|meta|title|script|style|a|br|hr)\b",
    re.I,
)
_SHORTCUT = re.compile(r"\[InternetShortcut\]", re.I)
_MAIL = re.compile(r"(?:[A-Za-z][A-Za-z0-9-]*:[^\n]*\n(?:[ \t][^\n]*\n)*){3,}")
_MAIL_FIELD = re.compile(r"^(?:MIME-Version|Received|Message-ID|Return-Path):", re.M | re.I)
_JSON = re.compile(rb'\{\s*(?:"|\})|\[\s*(?:[\[{"\]]|-?\d)')
_MARKDOWN = re.compile(
    r"^(?:#{1,6}[ \u3000]\S|\|?[ ]*:?-{3,}:?[ ]*\||```|---[ ]*$)|\[[^\]\n]+\]\([^)\n]+\)|\*\*[^*\n]+\*\*", re.M
)


def file_kind(file: BinaryIO) -> FileKind | None:
    """What a file is; None where that cannot be told. The file is left where it stood."""
    stood = file.tell()
    try:
        file.seek(0)
        head = file.read(_HEAD)
        if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            return _zip_kind(file)
        if head.startswith(_OLE[:4]):
            return _ole_kind(file, head)
        return _kind(head)
    finally:
        file.seek(stood)


def as_pdf(kind: FileKind) -> str:
    """What to do with a file of a kind where a PDF is wanted."""
    return {
        "pdf": "open it in a viewer, and fetch it again",
        "office": "open it in its program, save it as PDF (ファイル → エクスポート → PDF), and give that PDF",
        "sheet": "save its sheet as CSV UTF-8 for --csv-rows, or save it as PDF and give that PDF",
        "archive": "unpack it, and give the PDF inside",
        "picture": "make a PDF with a text layer of it by OCR, and give that PDF",
        "page": "open it in a browser, print it as PDF, and give that PDF",
        "xml": "law XML of e-Gov is for --law; of any other document give the PDF",
        "text": "open it in an editor or a word processor, save or print it as PDF, and give that PDF",
        "table": "tables are for --csv-rows; or save it as PDF and give that PDF",
        "mail": "save the attached PDF, or print the mail as PDF, and give that PDF",
        "shortcut": "open it, save what it leads to, and give that file",
        "other": "give the PDF instead",
    }[kind.family]


def as_csv(kind: FileKind) -> str:
    """What to do with a file of a kind where a CSV file is wanted."""
    return {
        "pdf": "--work-rules takes rules by article (PDF), --invoice-qa a Q&A booklet; save a table in it as CSV UTF-8",
        "sheet": "open it and save its sheet as CSV UTF-8",
        "archive": "unpack it, and give the CSV file inside",
    }.get(kind.family, "open it and save the table as CSV UTF-8")


def as_law(kind: FileKind) -> str:
    """What to do with a file of a kind where law XML is wanted, besides getting the law anew."""
    return {
        "pdf": "--work-rules takes rules by article (PDF), --invoice-qa a Q&A booklet (PDF)",
        "sheet": "--csv-rows takes its sheets, saved as CSV UTF-8",
        "table": "--csv-rows takes tables (CSV)",
        "archive": "unpack it and give the XML file inside; an Excel sheet saved as CSV is for --csv-rows",
        "xml": "it is cut off or damaged",
    }.get(kind.family, "no option takes it")


def as_guide(kind: FileKind) -> str:
    """What to do with a file of a kind where a guide is wanted: Markdown, a web page, Word (.docx) or PDF."""
    return {
        "pdf": "open it in a viewer, and fetch it again",
        "office": "open it in its program, save it as Word (.docx) or PDF, and give that file",
        "sheet": "save its sheet as CSV UTF-8 for --csv-rows",
        "archive": "unpack it, and give the documents inside, or their folder",
        "picture": "make a PDF with a text layer of it by OCR, and give that PDF",
        "page": "open it in a browser, save it as HTML only, and give that file",
        "xml": "law XML of e-Gov is for --law; of any other document give the document itself",
        "text": "give it the ending .md if it is Markdown",
        "table": "tables are for --csv-rows; give it the ending .md if it is Markdown",
        "mail": "save the attached document, or print the mail as PDF, and give that file",
        "shortcut": "open it, save what it leads to, and give that file",
        "other": "give the document as Markdown, HTML, Word (.docx) or PDF instead",
    }[kind.family]


def _zip_kind(file: BinaryIO) -> FileKind:
    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
            if "mimetype" in names and archive.getinfo("mimetype").file_size < _PDF_MARK_WITHIN:
                told = archive.read("mimetype").strip()
                for mimetype, kind in _BY_MIMETYPE.items():
                    if told.startswith(mimetype):
                        return kind
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError, ValueError):
        return BROKEN_ARCHIVE
    if "[Content_Types].xml" in names:
        for folder, kind in _BY_MEMBER:
            if any(name.startswith(folder) for name in names):
                return kind
    return ARCHIVE


def _ole_kind(file: BinaryIO, head: bytes) -> FileKind:
    """Which program's the file is, by the names in its directory of streams."""
    size = 1 << min(int.from_bytes(head[30:32], "little"), 12)
    start = (int.from_bytes(head[48:52], "little") + 1) * size
    if len(head) < 512 or start >= file.seek(0, SEEK_END):
        return OLD_OFFICE
    file.seek(start)
    directory = file.read(16 * size)
    entries = (directory[at : at + 64] for at in range(0, len(directory), 128))
    names = {entry.decode("utf-16-le", "replace").partition("\0")[0] for entry in entries}
    return next((kind for name, kind in _BY_STREAM if name in names), OLD_OFFICE)


def _kind(head: bytes) -> FileKind | None:
    if not head:
        return EMPTY
    if b"%PDF-" in head[:_PDF_MARK_WITHIN]:
        return PDF
    for magic, kind in _BY_MAGIC:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return FileKind("a picture (WebP)", "picture")
    if head[4:8] == b"ftyp" and head[8:12] in (b"heic", b"heix", b"mif1", b"avif"):
        return FileKind("a picture (HEIC or AVIF)", "picture")
    if head[:2] == b"BM" and head[6:10] == bytes(4):
        return FileKind("a picture (BMP)", "picture")
    return _text_kind(head)


def _text_kind(head: bytes) -> FileKind | None:
    text = _decoded(head)
    if text is None:
        return None
    text = text.lstrip("\ufeff \t\r\n\u3000")
    if not text:
        return EMPTY
    start = text[:4096].encode()
    if _HTML.match(start):
        return HTML
    if (office := _OFFICE_XML.search(start)) is not None and start.startswith(b"<?xml"):
        return EXCEL_XML if office[1] == b"Excel" else WORD_XML
    if _PICTURE.match(start):
        return FileKind("a picture (SVG)", "picture")
    if _FRAGMENT.match(start):
        return HTML
    if _LAW_ROOT.match(start):
        return LAW_XML
    if _XML.match(start):
        return XML
    if _JSON.match(start):
        return JSON
    if _SHORTCUT.match(text):
        return SHORTCUT
    if (fields := _MAIL.match(text.replace("\r\n", "\n"))) is not None and _MAIL_FIELD.search(fields[0]):
        return WEB_ARCHIVE if "multipart/related" in fields[0].lower() else MAIL
    if _is_table(text):
        return TABLE
    return MARKDOWN if _MARKDOWN.search(text) else PLAIN_TEXT


def _decoded(head: bytes) -> str | None:
    """The beginning of a file as text; None where it is none."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    if b"\0" in head:
        return None
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    if controls > 0.01 * len(head):
        return None
    for encoding in ("utf-8", "cp932", "euc_jp"):
        try:
            return head.decode(encoding)
        except UnicodeDecodeError as error:
            if error.start >= len(head) - 4:  # a character cut in two where the head ends
                return head[: error.start].decode(encoding)
    return None


def _is_table(text: str) -> bool:
    """Whether most of the first lines have one number of commas or tabs; titles may stand above."""
    lines = [line for line in text.splitlines()[:_LINES] if line.strip()]
    for mark in ("\t", ","):
        (count, times), *_ = Counter(line.count(mark) for line in lines).most_common(1)
        if count and times >= max(2, _TABLE_SHARE * len(lines)):
            return True
    return False
