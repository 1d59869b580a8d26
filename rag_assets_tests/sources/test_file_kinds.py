import io
import zipfile

import pytest
from PIL import Image

from rag_assets.sources.base import DocumentError
from rag_assets.sources.file_kinds import file_kind
from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker


def zipped(**members: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/"), content)
    return buffer.getvalue()


def office(folder: str) -> bytes:
    return zipped(**{"[Content_Types].xml": "<Types/>", "_rels__.rels": "<r/>", f"{folder}__document.xml": "<d/>"})


def package(mimetype: str) -> bytes:
    return zipped(mimetype=mimetype, **{"META-INF__manifest.xml": "<m/>"})


def ole(stream: str) -> bytes:
    """A compound file of the old Office programs: its header, and a directory with one stream."""
    header = bytearray(512)
    header[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    header[30:32] = (9).to_bytes(2, "little")
    header[48:52] = (1).to_bytes(4, "little")
    entries = b"".join(name.encode("utf-16-le").ljust(128, b"\0") for name in ("Root Entry", stream))
    return bytes(header) + bytes(512) + entries.ljust(512, b"\0")


def picture(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (8, 8), 128).save(buffer, kind)
    return buffer.getvalue()


FILES = {
    "docx": (office("word"), "a Word document", "save it as PDF"),
    "pptx": (office("ppt"), "a PowerPoint presentation", "save it as PDF"),
    "xlsx": (office("xl"), "an Excel workbook", "--csv-rows"),
    "odt": (package("application/vnd.oasis.opendocument.text"), "an OpenDocument text", "save it as PDF"),
    "ods": (package("application/vnd.oasis.opendocument.spreadsheet"), "an OpenDocument spreadsheet", "--csv-rows"),
    "epub": (package("application/epub+zip"), "an e-book", "save it as PDF"),
    "zip": (zipped(**{"規程.pdf": "x"}), "a ZIP archive", "unpack it"),
    "cut zip": (zipped(**{"規程.pdf": "x" * 500})[:60], "a ZIP archive", "unpack it"),
    "doc": (ole("WordDocument"), "an old Word document", "save it as PDF"),
    "xls": (ole("Workbook"), "an old Excel workbook", "--csv-rows"),
    "ppt": (ole("PowerPoint Document"), "an old PowerPoint presentation", "save it as PDF"),
    "locked": (ole("EncryptedPackage"), "locked with a password", "save it as PDF"),
    "cut doc": (ole("WordDocument")[:300], "an old Office document", "save it as PDF"),
    "rtf": (rb"{\rtf1\ansi Rules}", "an RTF document", "save it as PDF"),
    "png": (picture("PNG"), "a picture (PNG)", "OCR"),
    "jpeg": (picture("JPEG"), "a picture (JPEG)", "OCR"),
    "tiff": (picture("TIFF"), "a picture (TIFF)", "OCR"),
    "gif": (picture("GIF"), "a picture (GIF)", "OCR"),
    "html": ("<!DOCTYPE html><html><p>規程</p></html>".encode(), "a web page", "print it as PDF"),
    "html cp932": ("\r\n<HTML><head><title>規程</title>".encode("cp932"), "a web page", "print it as PDF"),
    "xhtml": (b'<?xml version="1.0"?><!-- x --><html xmlns="x"></html>', "a web page", "print it as PDF"),
    "law": (b'<?xml version="1.0" encoding="UTF-8"?>\n<Law Era="Heisei"></Law>', "law XML", "--law"),
    "xml": (b"<?xml version='1.0'?><feed/>", "an XML file", "--law"),
    "json": ('{"規程": [1, 2]}'.encode(), "a JSON file", "save or print it as PDF"),
    "csv": ("番号,件名\r\n1,鍋\r\n2,釜\r\n".encode("cp932"), "a table as text", "--csv-rows"),
    "csv with a title": ("問い合わせの一覧\n\n番号\t件名\n1\t鍋\n2\t釜\n".encode(), "a table as text", "--csv-rows"),
    "markdown": ("# 規程\n\n## 第１条（目的）\n\nこの規程は、…".encode(), "a Markdown file", "save or print it as PDF"),
    "markdown with front matter": ("---\ntitle: 規程\n---\n本文".encode(), "a Markdown file", "save or print it"),
    "text": ("第１条　この規程は、目的を定める。\n".encode("utf-16"), "a plain text file", "save or print it as PDF"),
    "text cp932": ("第１条　この規程は、目的を定める。\n".encode("cp932"), "a plain text file", "save or print it"),
    "mail": (b"From: a@example.jp\r\nSubject: x\r\nMIME-Version: 1.0\r\n\r\nx", "an e-mail", "attached PDF"),
    "mail with long fields": (
        b"Received: from a\n\tby b\nDate: x\nTo: b@example.jp\nSubject: x\n\nx",
        "an e-mail",
        "attached PDF",
    ),
    "msg": (ole("__properties_version1.0"), "an e-mail", "attached PDF"),
    "mhtml": (
        b'From: <Saved>\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;\r\n\tboundary="x"\r\n',
        "a web page saved",
        "print it as PDF",
    ),
    "url": (b"[InternetShortcut]\r\nURL=https://example.jp/a.pdf\r\n", "a shortcut", "save what it leads to"),
    "lnk": (b"L\0\0\0\x01\x14\x02\0" + bytes(60), "a shortcut", "save what it leads to"),
    "jtd": (ole("DocumentText"), "an Ichitaro document", "save it as PDF"),
    "fdf": (b"%FDF-1.2\n1 0 obj<<>>endobj", "form data of a PDF", "give the PDF"),
    "svg": (b'<?xml version="1.0"?>\n<svg xmlns="x"></svg>', "a picture (SVG)", "OCR"),
    "piece of a page": ("<div class='a'>規程</div>".encode(), "a web page", "print it as PDF"),
    "php": (b"<?php echo 1; ?><p>x</p>", "a web page", "print it as PDF"),
    "xls in xml": (
        b'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n<Workbook/>',
        "an Excel workbook",
        "--csv-rows",
    ),
    "doc in xml": (
        b'<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?>\n<w/>',
        "a Word document",
        "PDF",
    ),
    "text with a colon": (
        "目的: 規程\n対象: 社員\n期間: 一年\n本文\n".encode(),
        "a plain text file",
        "save or print it",
    ),
    "empty": (b"", "an empty file", "give the PDF"),
}


@pytest.mark.parametrize(("data", "name", "remedy"), FILES.values(), ids=FILES.keys())
def test_what_is_no_pdf_is_told_by_name_with_what_to_do(data: bytes, name: str, remedy: str) -> None:
    with pytest.raises(DocumentError) as told:
        list(read_pages(io.BytesIO(data), name="規程.pdf"))
    message = str(told.value)
    assert message.startswith(f"規程.pdf: this is {name}") or name in message
    assert "no PDF" in message
    assert remedy in message
    assert "fetch it again" not in message


def test_a_file_stays_where_it_stood_and_its_name_is_no_matter() -> None:
    file = io.BytesIO(b"\n\n" + PdfMaker().file().getvalue())
    file.seek(7)
    kind = file_kind(file)
    assert kind is not None
    assert kind.family == "pdf"
    assert file.tell() == 7


def test_bytes_that_say_nothing_are_of_no_kind() -> None:
    assert file_kind(io.BytesIO(bytes(range(256)) * 40)) is None
    assert file_kind(io.BytesIO(b"\0" * 5000)) is None


@pytest.mark.parametrize("cut", range(65_530, 65_540))
def test_a_character_cut_in_two_at_the_end_of_what_is_looked_at_is_no_fault(cut: int) -> None:
    text = ("a" * (cut % 7) + "あ" * 30_000).encode()
    kind = file_kind(io.BytesIO(text))
    assert kind is not None
    assert kind.family == "text"
