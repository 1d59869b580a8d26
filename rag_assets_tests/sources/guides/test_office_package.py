"""Files that are no Word document, or not one that may be opened, are refused with what to do."""

import contextlib
import io
import random
import struct
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from rag_assets.sources.base import DocumentError
from rag_assets.sources.guides import office_package
from rag_assets.sources.guides.word import read_word
from rag_assets_tests.sample_documents.travel_expenses import travel_expenses_docx
from rag_assets_tests.sources.guides.word.word_files import lines_of, p, r, word_bytes


def refusal(data: bytes) -> str:
    with pytest.raises(DocumentError) as told:
        read_word(io.BytesIO(data))
    return str(told.value)


def compound_file(*streams: str) -> bytes:
    """The beginning of a file of the old kind, with the names of its streams."""
    head = bytearray(512)
    head[:8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
    head[30:32] = struct.pack("<H", 9)
    entries = b"".join(name.encode("utf-16-le").ljust(128, b"\0") for name in ("Root Entry", *streams))
    return bytes(head) + entries.ljust(8192, b"\0")


@pytest.mark.parametrize(
    ("data", "facts"),
    [
        (compound_file("EncryptedPackage"), ["password", "パスワードを使用して暗号化"]),
        (compound_file("WordDocument"), [".doc)", "Word 文書 *.docx"]),
        (b"%PDF-1.7", ["PDF", ".docx"]),
        (b"", ["empty", ".docx"]),
        (b"{\\rtf1", ["RTF", ".docx"]),
        (word_bytes(p("文"))[:400], ["damaged", ".docx"]),
    ],
)
def test_another_kind_of_file(data: bytes, facts: list[str]) -> None:
    told = refusal(data)
    assert all(fact in told for fact in facts), told


def test_a_part_that_is_damaged() -> None:
    whole = bytearray(word_bytes(p(*map(str, random.Random(1).choices(range(10**9), k=300)))))
    start = whole.index(b"word/document.xml") + 200
    whole[start : start + 60] = bytes(60)
    assert "word/document.xml" in refusal(bytes(whole))
    assert "word/styles.xml" in refusal(word_bytes(p("文"), {"styles": "<w:style>"}))


def test_a_scan() -> None:
    picture = "<w:r><w:drawing><a:blip/></w:drawing></w:r>"
    told = refusal(word_bytes(p(picture) + p(picture)))
    assert all(fact in told for fact in ("2 pictures", "OCR"))
    assert "no text" in refusal(word_bytes(""))


def test_entities_are_not_expanded() -> None:
    bomb = b'<!DOCTYPE a [<!ENTITY b "bbbbbbbb"><!ENTITY c "&b;&b;">]><a>&c;</a>'
    assert "entities" in refusal(word_bytes(p("文"), files={"word/document.xml": bomb}))


def test_what_unpacks_to_more_than_any_text_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(office_package, "MOST_BYTES_OF_A_PART", 100_000)
    told = refusal(word_bytes(p("あ" * 100_000)))
    assert all(fact in told for fact in ("word/document.xml", "100,000"))


def test_elements_without_end_are_refused_by_the_parser() -> None:
    assert "word/document.xml" in refusal(word_bytes("<w:sdt><w:sdtContent>" * 200 + p("文")))
    deep = "<w:sdt><w:sdtContent>" * 110 + p("底") + "</w:sdtContent></w:sdt>" * 110
    assert lines_of(read_word(io.BytesIO(word_bytes(deep)))) == ["底"]


def test_tables_in_tables_as_deep_as_the_parser_goes() -> None:
    depth = 80
    body = "<w:tbl><w:tr><w:tc><w:p/></w:tc><w:tc>" * depth + p("底") + "</w:tc></w:tr></w:tbl>" * depth
    assert lines_of(read_word(io.BytesIO(word_bytes(body))))[0].endswith("底")


_VALUES = ["", "0", "-1", "99999999999", "1.5", "x", "none", "begin", "end", "separate", "continue", "²"]


@given(st.integers(0, 2**32), st.sampled_from(["document", "styles", "numbering", "footnotes"]))
def test_xml_of_any_shape_is_read_or_refused(seed: int, part: str) -> None:
    chance = random.Random(seed)
    name = f"word/{part}.xml"
    sample = travel_expenses_docx()
    with zipfile.ZipFile(io.BytesIO(sample)) as archive:
        root = etree.fromstring(archive.read(name))
    elements = list(root.iter())[1:]
    for element in chance.choices(elements, k=5):
        others = [each for each in chance.choices(elements, k=3) if each not in (element, *element.iterdescendants())]
        match chance.randrange(4):
            case 0 if element.getparent() is not None:
                element.getparent().remove(element)
            case 1 if others:
                others[0].append(element)
            case 2:
                element.tag = chance.choice(elements).tag
            case _ if element.attrib:
                element.set(chance.choice(list(element.attrib)), chance.choice(_VALUES))
    changed = _rewritten(sample, {name: etree.tostring(root)})
    with contextlib.suppress(DocumentError):
        document = read_word(io.BytesIO(changed))
        assert document.parts or document.title


def test_documents_with_macros_and_of_the_strict_form() -> None:
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override '
        'PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>'
    )
    files = {"[Content_Types].xml": types.encode(), "word/vbaProject.bin": b"\0"}
    macros = _rewritten(word_bytes(p("題", style="1") + p("題", style="1")), files)
    assert lines_of(read_word(io.BytesIO(macros))) == ["# 題", "# 題"]
    strict = _rewritten(word_bytes(p("題", style="1") + p(r("文"))), {}, is_strict=True)
    assert lines_of(read_word(io.BytesIO(strict))) == ["文"]
    assert read_word(io.BytesIO(strict)).title == "題"


def _rewritten(data: bytes, files: dict[str, bytes], is_strict: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(out, "w") as archive:
        for name in given.namelist():
            content = given.read(name)
            if is_strict:
                content = content.replace(
                    b"http://schemas.openxmlformats.org/wordprocessingml/2006/main",
                    b"http://purl.oclc.org/ooxml/wordprocessingml/main",
                ).replace(
                    b"http://schemas.openxmlformats.org/officeDocument/2006/relationships",
                    b"http://purl.oclc.org/ooxml/officeDocument/relationships",
                )
            archive.writestr(name, files.get(name, content))
        for name in files.keys() - set(given.namelist()):
            archive.writestr(name, files[name])
    return out.getvalue()
