"""Documents that are refused, with pages and remedy, and those that only look so."""

import io
from collections.abc import Collection

import pytest

from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.pdf.pages import PdfPage, read_pages
from rag_assets_tests.sources.pdf.pdf_maker import GOTHIC, HEIGHT, LEFT, TOP, WIDTH, PdfMaker

SENTENCE = "この規程は、従業員の出張に関する手続について必要な事項を定めるものである。"
ENGLISH = "The quick brown fox jumps over the lazy dog and runs away from the house. "


def read(maker: PdfMaker) -> list[PdfPage]:
    return list(read_pages(maker.file(), name="規程.pdf"))


def refused(file: io.BytesIO) -> str:
    pages = read_pages(file, name="規程.pdf")
    with pytest.raises(DocumentError) as error:
        next(pages)
    assert str(error.value).startswith("規程.pdf: ")
    return str(error.value)


def read_with_findings(file: io.BytesIO, picture_pages: Collection[int] = ()) -> tuple[list[PdfPage], list[Finding]]:
    findings: list[Finding] = []
    return list(read_pages(file, name="規程.pdf", picture_pages=picture_pages, findings=findings)), findings


def with_pages(*texts: str) -> PdfMaker:
    maker = PdfMaker()
    for number, text in enumerate(texts):
        if number:
            maker.page_break()
        maker.lines(*(text[at : at + 40] for at in range(0, len(text), 40)))
    return maker


@pytest.mark.parametrize("data", [b"", b"<html>not found</html>", b"%PDF-1.7\n%broken", b"\x00" * 5000])
def test_what_is_no_pdf_is_refused(data: bytes) -> None:
    assert "no PDF" in refused(io.BytesIO(data))


def test_a_pdf_that_was_cut_off_is_refused() -> None:
    whole = with_pages(*[SENTENCE] * 8).file().getvalue()
    for share in (0.3, 0.6, 0.95):
        message = refused(io.BytesIO(whole[: int(len(whole) * share)]))
        assert "fetch it again" in message


def test_a_pdf_that_asks_for_a_password_is_refused_and_one_for_its_owner_is_read() -> None:
    locked = PdfMaker(password="open", owner_password="owner")
    locked.lines(SENTENCE)
    assert "password" in refused(locked.file())
    owned = PdfMaker(owner_password="owner")
    owned.lines(SENTENCE)
    assert [line.text for line in read(owned)[0].lines] == [SENTENCE]


def test_scanned_pages_are_told_by_number_with_what_to_do() -> None:
    maker = with_pages(SENTENCE)
    for number in range(2, 8):
        maker.page_break()
        if number in (3, 4, 7):
            maker.picture(30, 30, WIDTH - 30, HEIGHT - 60)
        else:
            maker.lines(SENTENCE)
        maker.text(290, 790, f"- {number} -")
    file = maker.file()
    pages, (fault,) = read_with_findings(file)
    assert (fault.kind, fault.topic, fault.place) == ("fault", "picture page", "pages 3-4, 7")
    assert "OCR" in fault.message
    assert [len(page.lines) for page in pages] == [1, 1, 0, 0, 1, 1, 0]
    pages, (fault,) = read_with_findings(file, picture_pages={3, 4})
    assert fault.place == "page 7"
    pages, findings = read_with_findings(file, picture_pages={3, 4, 7})
    assert findings == []
    assert [len(page.lines) for page in pages] == [1, 1, 0, 0, 1, 1, 0]


@pytest.mark.parametrize(("texts", "pictures", "kept"), [(1, 1, True), (2, 1, True), (1, 2, False), (2, 3, False)])
def test_a_document_that_is_mostly_pictures_is_refused(texts: int, pictures: int, kept: bool) -> None:
    maker = with_pages(*[SENTENCE] * texts)
    for _ in range(pictures):
        maker.page_break()
        maker.picture(30, 30, WIDTH - 30, HEIGHT - 60)
    file = maker.file()
    if kept:
        _, (fault,) = read_with_findings(file)
        assert fault.kind == "fault"
    else:
        assert "only pictures" in refused(file)
        _, findings = read_with_findings(file, picture_pages=range(texts + 1, texts + pictures + 1))
        assert findings == []


def test_a_scanned_document_is_refused_whole() -> None:
    maker = PdfMaker()
    maker.picture(0, 0, WIDTH, HEIGHT)
    assert "page 1: only pictures" in refused(maker.file())


def test_letters_drawn_as_outlines_are_refused() -> None:
    maker = PdfMaker()
    for number in range(200):
        maker.canvas.circle(50 + 10 * (number % 40), 700 - 20 * (number // 40), 4)
    assert "page 1: only pictures" in refused(maker.file())


def test_blank_pages_and_pictures_beside_text_are_no_fault() -> None:
    maker = with_pages(SENTENCE * 8)
    maker.picture(30, 300, WIDTH - 30, HEIGHT - 60)
    maker.page_break()
    maker.canvas.rect(1, 1, 1, 1, stroke=0, fill=0)
    maker.page_break()
    maker.lines(SENTENCE)
    assert [bool(page.lines) for page in read(maker)] == [True, False, True]


def test_a_document_without_anything_is_refused() -> None:
    maker = PdfMaker()
    maker.page_break()
    assert "none of its 1 pages has any text" in refused(maker.file())


def test_text_laid_under_a_scanned_page_is_text() -> None:
    maker = PdfMaker()
    maker.picture(0, 0, WIDTH, HEIGHT)
    text = maker.canvas.beginText(LEFT, 700)
    text.setFont("HeiseiMin-W3", 10)
    text.setTextRenderMode(3)
    text.textOut(SENTENCE)
    maker.canvas.drawText(text)
    assert [line.text for line in read(maker)[0].lines] == [SENTENCE]


@pytest.mark.parametrize(
    ("gibberish", "told"),
    [
        ("\ue001\ue002\ue003\ue004\ue005" * 12, "without a code"),
        ("この文は\ue001か\ue002れて\ue003ない" * 6, "without a code"),
        ("(cid:12)(cid:345)(cid:6)(cid:78)", "(cid:…)"),
        ("".join(chr(0x4E00 + 61 * step % 20000) for step in range(1, 200)), "kanji"),
        (
            "".join(
                chr(code)
                for start in (0x0391, 0x05D0, 0x0627, 0x0905, 0x0E01, 0xAC00)
                for code in range(start, start + 9)
            ),
            "scripts",
        ),
        ("".join(chr(ord(letter) - 29) if letter > "=" else letter for letter in ENGLISH * 8), "no words"),
    ],
)
def test_gibberish_is_told_by_page(gibberish: str, told: str) -> None:
    message = refused(with_pages(SENTENCE, gibberish, SENTENCE).file())
    assert "page 2: the text layer is gibberish" in message
    assert told in message
    assert "OCR" in message


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE * 3 + "\ue001",
        "髙﨑神社の𠮷野氏、①㈱Ⅳ〒〶☎→■◆、" + SENTENCE,
        ENGLISH * 12,
        "甲乙丙丁戊己庚辛壬癸、子丑寅卯辰巳午未申酉戌亥。" * 4,
        "ΑΒΓαβγ АБВабв" * 5 + SENTENCE,
        "1,234 5,678 90.1% " * 20,
    ],
)
def test_rare_characters_in_real_text_are_no_gibberish(text: str) -> None:
    assert read(with_pages(text))


@pytest.mark.parametrize(
    "meanings", ["", "".join(map(chr, range(0xE100, 0xE128))), "\x01\x02\x03\x04" * 10, "あいうえ"]
)
def test_a_font_that_does_not_tell_its_characters_or_tells_them_wrong_is_told(meanings: str) -> None:
    message = refused(raw_pdf(meanings=meanings))
    assert "page 1: the text layer is gibberish" in message
    assert "OCR" in message


def test_a_font_that_is_wrong_in_a_few_headings_only_is_told_by_its_name() -> None:
    maker = PdfMaker()
    for number in range(6):
        if number:
            maker.page_break()
        maker.lines(*[SENTENCE] * 25)
        maker.text(LEFT, 60, "\ue001\ue002\ue003\ue004\ue005", size=14, font=GOTHIC)
    message = refused(maker.file())
    assert f"pages 1-6: the characters in font {GOTHIC} cannot be told" in message


def test_a_map_that_tells_the_characters_is_believed() -> None:
    meaning = "規程の第一章は総則とし第二章は手続とする第三章は雑則とし附則は別に定めるものとする"[:40]
    (page,) = read_pages(raw_pdf(meanings=meaning))
    assert [line.text for line in page.lines] == [meaning, "Plain and readable words of a page stand here"]


def test_bullets_of_a_font_of_signs_are_read_as_what_they_look_like() -> None:
    (page,) = read_pages(raw_pdf("ABCDEF+Wingdings-Regular", "\uf06c\uf0d8\uf0fc\uf0e0" * 10))
    assert page.lines[0].text == "●➢✓→" * 10


def with_vertical_page(*columns: str, at: int = 2, pages: int = 3) -> PdfMaker:
    maker = PdfMaker()
    for number in range(1, pages + 1):
        if number > 1:
            maker.page_break()
        if number == at:
            for column, text in enumerate(columns):
                maker.vertical(500 - 20 * column, TOP, text)
        else:
            maker.lines(SENTENCE)
    return maker


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize(
    "columns",
    [
        ("別記様式第一号", "賞状　みほん太郎殿", "あなたは多年にわたり職務に励まれました。"),
        ("誓約書（様式第二号）", *["私は、みほん会社の定めを守ります。"] * 4),
        ("感謝状", "みほん図書館に尽くされた功により感謝の意を表します"),
    ],
)
def test_a_vertical_form_among_horizontal_pages_is_left_out_and_told(columns: tuple[str, ...], at: int) -> None:
    pages, (note,) = read_with_findings(with_vertical_page(*columns, at=at).file())
    assert (note.kind, note.topic, note.place) == ("note", "vertical page", f"page {at}")
    assert note.quote.startswith(columns[0][:3])
    assert [len(page.lines) for page in pages] == [0 if number == at else 1 for number in (1, 2, 3)]


def test_a_vertical_page_of_text_is_a_fault_unless_the_settings_name_it() -> None:
    file = with_vertical_page(*[SENTENCE] * 4).file()
    pages, (fault,) = read_with_findings(file)
    assert (fault.kind, fault.place) == ("fault", "page 2")
    assert [len(page.lines) for page in pages] == [1, 0, 1]
    _, (note,) = read_with_findings(file, picture_pages={2})
    assert note.kind == "note"


def test_a_document_that_is_mostly_vertical_is_refused() -> None:
    maker = with_vertical_page(*[SENTENCE] * 4, pages=2)
    maker.page_break()
    maker.vertical(500, TOP, SENTENCE)
    message = refused(maker.file())
    assert "pages 2-3: set in vertical lines" in message


def test_several_faults_are_told_together() -> None:
    maker = with_pages("\ue001\ue002\ue003\ue004\ue005" * 12)
    maker.page_break()
    maker.picture(0, 0, WIDTH, HEIGHT)
    message = refused(maker.file())
    assert "page 1: the text layer is gibberish" in message
    assert "page 2: only pictures" in message


def raw_pdf(font: str = "Nameless", meanings: str = "") -> io.BytesIO:
    """A page with plain Latin text, and 40 characters of another font that are only glyph numbers.

    Args:
        font: Name of the other font.
        meanings: What its ToUnicode map says the glyphs are; empty leaves the map out.
    """
    glyphs = range(200, 240)
    content = b"BT /F1 10 Tf 80 700 Td (Plain and readable words of a page stand here) Tj ET\n"
    content += b"BT /F2 14 Tf 80 740 Td <" + b"".join(b"%04x" % glyph for glyph in glyphs) + b"> Tj ET\n"
    told = b"".join(b"<%04x><%04x>\n" % pair for pair in zip(glyphs, map(ord, meanings), strict=False))
    cmap = b"/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName/X def /CMapType 2 def\n"
    cmap += b"1 begincodespacerange <0000><ffff> endcodespacerange\n%d beginbfchar\n" % len(meanings)
    cmap += told + b"endbfchar endcmap end end\n"
    name = font.encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 842 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R/F2 6 0 R>>>>>>",
        b"<</Length %d>>stream\n" % len(content) + content + b"\nendstream",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
        b"<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[7 0 R]%s>>"
        % (name, b"/ToUnicode 9 0 R" if meanings else b""),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>/DW 1000/FontDescriptor 8 0 R>>" % name,
        b"<</Type/FontDescriptor/FontName/%s/Flags 4/FontBBox[0 -120 1000 880]/Ascent 880/Descent -120"
        b"/CapHeight 700/ItalicAngle 0/StemV 80>>" % name,
        b"<</Length %d>>stream\n" % len(cmap) + cmap + b"\nendstream",
    ]
    data, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(data))
        data += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = len(data)
    data += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    data += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    data += b"trailer<</Root 1 0 R/Size %d>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return io.BytesIO(data)
