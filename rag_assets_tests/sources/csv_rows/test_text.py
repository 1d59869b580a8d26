import codecs
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.base import DocumentError
from rag_assets.sources.csv_rows import text as csv_text
from rag_assets.sources.csv_rows.text import DAMAGED, canonical_encoding, read_lines

ROWS = "番号,品名\r\n1,やかん①\r\n2,「急須」、茶こし\r\n"
CODECS = {"utf-8": "utf-8", "cp932": "cp932", "utf-8-sig": "utf-8", "utf-16": "utf-16"}


def _lines(data: bytes, encoding: str = "") -> list[str]:
    return list(read_lines(io.BytesIO(data), encoding))


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("given_too", [False, True])
def test_the_encoding_is_seen_or_given(codec: str, given_too: bool) -> None:
    assert "".join(_lines(ROWS.encode(codec), CODECS[codec] if given_too else "")) == ROWS


def test_euc_with_vendor_characters_and_iso2022_are_read() -> None:
    plain = ROWS.replace("①", "")
    euc = plain.encode("euc_jp").replace("急須".encode("euc_jp"), b"\xad\xa1")
    assert "".join(_lines(euc)) == plain.replace("急須", "①")
    assert "".join(_lines(plain.encode("iso2022_jp"))) == plain


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_has_to_be_told(codec: str) -> None:
    data = ROWS.encode(codec)
    with pytest.raises(DocumentError, match='encoding = "utf-16"'):
        _lines(data)
    assert "".join(_lines(data, "utf-16")) == ROWS


@given(
    st.text(st.sampled_from('あ漢ｱａ,"\n\r 表ソ①'), max_size=200),
    st.sampled_from(["utf-8", "cp932", "utf-16", "utf-8-sig"]),
    st.integers(8, 40),
)
def test_no_character_is_cut_between_blocks(text: str, codec: str, size: int) -> None:
    data = text.encode(codec)
    before = csv_text._BLOCK
    csv_text._BLOCK = size
    try:
        lines = _lines(data, CODECS[codec])
    finally:
        csv_text._BLOCK = before
    assert "".join(lines) == text
    assert lines == re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text)


def test_plain_ascii_at_the_beginning_leaves_the_encoding_open() -> None:
    ascii_rows = "id,name\n" + "1,kettle\n" * 40_000
    assert len(ascii_rows) > csv_text._BLOCK
    for codec in ("utf-8", "cp932"):
        assert _lines((ascii_rows + "2,やかんと急須\n").encode(codec))[-1] == "2,やかんと急須\n"


def test_damaged_bytes_stand_in_their_line_only() -> None:
    rows = ROWS.encode() + "3,湯".encode()[:-1] + "のみ\n4,皿\n".encode()
    damaged = [bool(DAMAGED.search(line)) for line in _lines(rows)]
    assert damaged == [False, False, False, True, False]
    cp932 = ROWS.encode("cp932") + b"3,\x80\n" + "4,皿\n".encode("cp932")
    assert [bool(DAMAGED.search(line)) for line in _lines(cp932, "cp932")] == damaged


def test_a_wrong_guess_found_later_is_told_with_its_line() -> None:
    first = "番号,品名\n" + "1,やかんと急須\n" * 20_000
    with pytest.raises(DocumentError, match=r'line 20003 is not cp932.*set encoding = "cp932"'):
        _lines(first.encode("cp932") + "2,湯のみ\n3,湯のみ\n".encode("cp932")[:-2] + b"\xff\n")
    with pytest.raises(DocumentError, match=r"line 2\d{4} and most others near it are not utf-8"):
        _lines(first.encode() + ("2,湯のみと茶わん\n" * 20_000).encode("cp932"))


@pytest.mark.parametrize(
    ("data", "encoding", "told"),
    [
        (ROWS.encode(), "cp932", "its bytes are UTF-8, the settings say cp932"),
        (codecs.BOM_UTF8 + ROWS.encode(), "cp932", "byte order mark says utf-8"),
        (ROWS.encode("utf-16"), "utf-8", "byte order mark says utf-16-le"),
        (ROWS.encode("cp932") * 5, "utf-8", "line 1 and most others near it are not utf-8"),
        (b"PK\x03\x04\x14\0", "", "Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1", "", "old Office document"),
        (b"\x80\xff\x81,\xa0\n", "", "from line 1 on: no text in any encoding"),
        (b"a," * (5 * 1024 * 1024), "", "a line of more than 8,388,608 bytes"),
        (ROWS.encode("utf-16")[:-1] + b"\0\0", "", ""),
    ],
)
def test_what_is_no_csv_file_is_refused(data: bytes, encoding: str, told: str) -> None:
    if told:
        with pytest.raises(DocumentError, match=told):
            _lines(data, encoding)
    else:
        assert DAMAGED.search("".join(_lines(data, encoding)))


def test_a_single_nul_is_left_to_its_row() -> None:
    assert "".join(_lines(ROWS.replace("急須", "急\0須").encode("cp932"))).count("\0") == 1


@pytest.mark.parametrize(
    ("name", "canonical"),
    [("Shift_JIS", "cp932"), ("windows-31j", "cp932"), ("UTF8", "utf-8"), ("utf-8-sig", "utf-8"), ("EUC-JP", "euc_jp")],
)
def test_names_of_encodings(name: str, canonical: str) -> None:
    assert canonical_encoding(name) == canonical


@pytest.mark.parametrize("name", ["latin-1", "klingon"])
def test_other_encodings_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"'{name}' is none of utf-8, cp932"):
        canonical_encoding(name)
