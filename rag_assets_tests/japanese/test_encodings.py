import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.japanese.encodings import UndecodableError, decode_html, decode_text

REALDATA = Path(__file__).resolve().parents[2] / "../shared/realdata"
SENTENCE = "源泉徴収をする必要があるのは、次のとおりです。①給与　②退職手当～㈱"


def _page(charset: str | None, text: str = SENTENCE) -> str:
    meta = f'<meta http-equiv="Content-Type" content="text/html; charset={charset}">' if charset else ""
    return f"<html><head>{meta}<title>{text}</title></head><body>{text}</body></html>"


@pytest.mark.parametrize("header", [None, "text/html", "text/html; charset=utf-8", "text/html; charset=Shift_JIS"])
@pytest.mark.parametrize("meta", [None, "utf-8", "Shift_JIS", "iso-8859-1"])
@pytest.mark.parametrize("encoding", ["utf-8", "cp932"])
def test_bytes_decide_whatever_is_declared(encoding: str, meta: str | None, header: str | None) -> None:
    page = _page(meta)
    decoded = decode_html(page.encode(encoding), header)
    assert decoded.text == page
    assert decoded.encoding == encoding


def test_header_counts_before_meta_and_known_names_before_unknown() -> None:
    def encoding(meta: str, header: str | None) -> str:
        # Half-width katakana of CP932 that EUC-JP reads as kanji: nothing but the declaration tells which is meant.
        return decode_html(f'<meta charset="{meta}">'.encode() + b"\xb1\xb2\xb3\xb4", header).encoding

    assert encoding("Shift_JIS", "text/html; charset=EUC-JP") == "euc_jp"
    assert encoding("EUC-JP", 'text/html; charset="x-sjis"') == "cp932"
    assert encoding("EUC-JP", "text/html; charset=latin-9") == "euc_jp"
    assert encoding("latin-9", None) == encoding("Shift_JIS", None) == "cp932"


def test_shift_jis_is_read_as_windows_writes_it() -> None:
    assert decode_text("①㈱髙－～".encode("cp932"), "shift_jis").text == "①㈱髙－～"


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (b"\xef\xbb\xbf", "utf-8", "utf-8"),
        (b"\xff\xfe", "utf-16-le", "utf-16"),
        (b"\xfe\xff", "utf-16-be", "utf-16"),
    ],
)
def test_byte_order_mark_decides_and_is_not_text(mark: bytes, codec: str, name: str) -> None:
    decoded = decode_text(mark + SENTENCE.encode(codec), "cp932")
    assert (decoded.text, decoded.encoding) == (SENTENCE, name)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark_is_read_only_if_declared(codec: str) -> None:
    data = "品名,分別\n乾電池,有害\n".encode(codec)
    assert decode_text(data, "UTF-16").text == "品名,分別\n乾電池,有害\n"
    with pytest.raises(UndecodableError, match="NUL"):
        decode_text(data)


def test_declared_utf16_does_not_spoil_utf8() -> None:
    assert decode_text("税金".encode() * 2, "utf-16").text == "税金税金"


def test_ascii() -> None:
    for data in (b"", b"a,b\n"):
        decoded = decode_text(data, "shift_jis")
        assert (decoded.text, decoded.encoding) == (data.decode(), "ascii")


def test_half_width_kana_of_cp932() -> None:
    for text in ("ﾃﾚﾋﾞ", "品名ﾃﾚﾋﾞ", "ｶﾀｶﾅ,ﾀﾞﾝﾎﾞｰﾙ\n"):
        assert decode_text(text.encode("cp932")).text == text


def test_euc_jp_is_told_from_cp932_without_a_declaration() -> None:
    for text in ("これはテストです。", "大阪府", SENTENCE[:20], "ｱｲｳとアイウ"):
        decoded = decode_text(text.encode("euc_jp"))
        assert (decoded.text, decoded.encoding) == (text, "euc_jp")


def test_declaration_counts_where_bytes_fit_both() -> None:
    data = "名前".encode("euc_jp")
    assert decode_text(data, "euc-jp").text == "名前"
    assert decode_text(data, "shift_jis").text == data.decode("cp932") == "ﾌｾﾁｰ"


def test_vendor_characters_in_euc_jp_and_iso_2022_jp() -> None:
    # Row 13 of NEC, as mail and Windows write it: ① is AD A1, ㈱ is AD EA.
    euc = "会社は".encode("euc_jp") + b"\xad\xa1\xad\xea" + "である。\n".encode("euc_jp")
    assert decode_text(euc * 2).text == "会社は①㈱である。\n" * 2
    assert decode_text(b"A\x1b$B-!-j\x1b(BZ").text == "A①㈱Z"


def test_iso_2022_jp() -> None:
    text = "源泉徴収 with ASCII\r\nとカナ"
    decoded = decode_text(text.encode("iso2022_jp"), "utf-8")
    assert (decoded.text, decoded.encoding) == (text, "iso2022_jp")
    assert decode_text(b"\x1b(I1\x1b(B").text == "ｱ"
    with pytest.raises(UndecodableError, match="iso2022_jp"):
        decode_text(b"\x1b$B0\x1b(B")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x81\x20\x82\xff", "utf-8 .*cp932 .*euc_jp"),
        (b"abc\x80", "cp932"),
        (b"%PDF\0\x81\x40", "NUL"),
        (b"\xef\xbb\xbf\x83\x65", "utf-8.*byte 3"),
        (SENTENCE.encode()[:-1], "damaged"),
        (SENTENCE.encode()[:10] + SENTENCE.encode()[11:], "damaged"),
    ],
)
def test_what_is_no_text_is_refused_and_says_what_was_tried(data: bytes, words: str) -> None:
    with pytest.raises(UndecodableError, match=words):
        decode_text(data)


def _fits(text: str, encoding: str) -> bool:
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


japanese = st.text(
    st.sampled_from("あいうえおかきくけこのはをにがと、。アイウエオ税金所得控除源泉徴収年月日会社①～１２ｱｲABC 12\n"),
    max_size=80,
)


@given(japanese)
def test_utf8_comes_back(text: str) -> None:
    assert decode_text(text.encode()).text == text


@given(japanese.filter(lambda text: _fits(text, "cp932")))
def test_cp932_of_ordinary_japanese_comes_back(text: str) -> None:
    assert decode_text(("の" + text).encode("cp932"), "utf-8").text == "の" + text


@given(japanese.filter(lambda text: _fits(text, "euc_jp")))
def test_euc_jp_of_running_japanese_comes_back(text: str) -> None:
    assert decode_text(("このように、" + text).encode("euc_jp")).text == "このように、" + text


@given(st.binary(max_size=60))
def test_any_bytes_are_text_or_refused_and_never_replaced(data: bytes) -> None:
    try:
        decoded = decode_text(data)
    except UndecodableError:
        return
    spelt = sum(data.count("\ufffd".encode(codec)) for codec in ("utf-8", "utf-16-le", "utf-16-be"))
    assert decoded.text.count("\ufffd") <= spelt


def test_many_vendor_characters_take_linear_time() -> None:
    data = ("これは".encode("euc_jp") + b"\xad\xa1\n") * 50_000
    start = time.perf_counter()
    assert decode_text(data).text.count("①") == 50_000
    assert time.perf_counter() - start < 2


@pytest.mark.realdata
def test_real_files_are_read_as_what_they_are() -> None:
    if not REALDATA.is_dir():
        pytest.skip("the real documents are not beside the checkout")
    pages = list((REALDATA / "taxanswer_site").rglob("*.htm"))
    shift_jis = {page.stem for page in pages if decode_html(page.read_bytes()).encoding == "cp932"}
    assert shift_jis == {"5281", "5900", "4512", "5207", "5209", "5435", "5437", "6950"}
    tables = {path.name: decode_text(path.read_bytes()) for path in (REALDATA / "csv").glob("*.csv")}
    assert tables["tsu_gomi_cp932.csv"].encoding == "cp932"
    assert tables["tsu_gomi_cp932.csv"].text == tables["tsu_gomi_original.csv"].text
