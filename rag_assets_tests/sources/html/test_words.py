"""Words inside inline elements, on one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets_tests.sources.html.html_pages import words_of

_SMALL = "font-size:70%"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("面積は1×10<sup>3</sup>平方メートル", "面積は1×10³平方メートル"),
        ("CO<sub>2</sub>を10<sup>-3</sup>m<sup>3</sup>", "CO₂を10⁻³m³"),
        ("10<sup><b>12</b></sup>円", "10¹²円"),
        ("2<sup>10<sup>2</sup></sup>", "2^(10²)"),
        ("a<sup>x+1</sup>", "a^(x+1)"),
        ("x<sub>1</sub><sup>2</sup>", "x₁²"),
        ("1<sup>st</sup>、20<sup>°</sup>", "1st、20°"),
        ("10<span style='vertical-align: super; font-size: smaller'>3</span>円", "10³円"),
        ("H<span style='VERTICAL-ALIGN:SUB'>2</span>O", "H₂O"),
        (f"10<span style='position:relative;top:-0.4em;{_SMALL}'>5</span>", "10⁵"),
        (f"10<span style='vertical-align:30%;{_SMALL}'>6</span>", "10⁶"),
        (
            "<span style='font-size:10.5pt'>10<span style='position:relative;top:-4pt;font-size:7pt'>7</span></span>",
            "10⁷",
        ),
        (f"10<span style='vertical-align:text-top;{_SMALL}'>3</span>", "10³"),
        (f"H<span style='vertical-align:bottom;{_SMALL}'>2</span>O", "H₂O"),
        ("10<span class='sup'>3</span>", "10³"),
        ("10<font style='font-variant-position:super'>3</font>", "10³"),
    ],
)
def test_raised_and_lowered_words_cannot_run_into_the_number_before(html: str, expected: str) -> None:
    assert words_of(html) == expected


def test_words_raised_by_a_style_sheet_of_the_page() -> None:
    css = ".ex { vertical-align: super; font-size: .7em } i.low { vertical-align: sub }"
    assert words_of("10<span class='ex'>3</span>とCO<i class='low'>2</i>", css) == "10³とCO₂"


@pytest.mark.parametrize(
    "html",
    [
        "10<span style='position:relative;top:-1px;font-size:14px'>円</span>",
        "10<span style='vertical-align:middle'>円</span>",
        "10<span class='sub'>円</span>",
        f"10<span style='{_SMALL}'>円</span>",
        f"10<span style='vertical-align:top;{_SMALL}'>円</span>",
        "10<span style='vertical-align:top'>円</span>",
    ],
)
def test_what_is_only_moved_or_named_to_look_well_stays_on_the_line(html: str) -> None:
    assert words_of(html) == "10円"


@given(st.integers(min_value=0, max_value=10**6), st.integers(min_value=0, max_value=10**6))
def test_no_exponent_is_ever_read_as_digits_of_its_base(base: int, exponent: int) -> None:
    written = words_of(f"{base}<sup>{exponent}</sup>")
    assert [sign for sign in written if sign in "0123456789"] == list(str(base))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<sup>1</sup>⁄<sub>2</sub>", "1/2"),
        ("<sup>3</sup>/<sub>4</sub>を", "3/4を"),
        ("2<sup>1</sup>⁄<sub>2</sub>倍", "2と1/2倍"),
        ("3<sup>5</sup>⁄8倍", "3と5/8倍"),
        ("12<span><sup>1</sup><span>⁄</span><sub>3</sub></span>", "12と1/3"),
        ("2<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>倍", "2と1/2倍"),
        ("6÷<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>", "6÷(1/2)"),
        (
            "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math><math><mfrac><mn>3</mn><mn>4</mn></mfrac></math>",
            "(1/2)(3/4)",
        ),
        ("その<math><mfrac><mtext>年額</mtext><mn>12</mn></mfrac></math>を", "その(年額/12)を"),
        ("<span class='frac'><span>1</span><span>2</span></span>", "1/2"),
        ("4<span class='bunsu'><i>1</i><i class='bar'>/</i><i>3</i></span>", "4と1/3"),
        (
            "率<span style='display:inline-block'><span style='display:block;border-bottom:1px solid #000'>1</span>"
            "<span style='display:block'>20</span></span>を",
            "率1/20を",
        ),
    ],
)
def test_fractions_keep_their_stroke_and_stand_apart_from_a_whole_number(html: str, expected: str) -> None:
    assert words_of(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("100<sup>※1</sup>円", "100※1円"),
        ("100<sup>（注2）</sup>円", "100（注2）円"),
        ("100<sup>注3</sup>円", "100（注3）円"),
        ("100<sup><a href='#fn4'>4</a></sup>円", "100（注4）円"),
        ("100<a href='#fn5'><sup>[5]</sup></a>円", "100（注5）円"),
        ("100<sup class='footnote-ref'>6</sup>円", "100（注6）円"),
        ("100<sup><a href='/other.htm'>7</a></sup>円", "100⁷円"),
    ],
)
def test_the_mark_of_a_note_is_no_exponent(html: str, expected: str) -> None:
    assert words_of(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ruby>瑕疵<rt>かし</rt></ruby>の責任", "瑕疵の責任"),
        ("<ruby>権<rp>（</rp><rt>けん</rt><rp>）</rp>利<rp>（</rp><rt>り</rt><rp>）</rp></ruby>", "権利"),
        ("<ruby><rb>暖</rb><rb>簾</rb><rtc><rt>のれ</rt><rt>ん</rt></rtc></ruby>", "暖簾"),
        ("<ruby><ruby>東南<rt>とうなん</rt></ruby><rt>たつみ</rt></ruby>の方", "東南の方"),
        ("<ruby>漢<rt>かん<rb>字<rt>じ</ruby>", "漢字"),
        ("<ruby><b>賃</b><rt>ちん</rt>借<rt>しゃく</rt></ruby>", "賃借"),
    ],
)
def test_ruby_keeps_the_word_and_leaves_its_reading_out(html: str, expected: str) -> None:
    assert words_of(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<img alt='髙'>橋さん", "髙橋さん"),
        ("山<img alt='﨑'>さん", "山﨑さん"),
        ("<img alt='髙'><img alt='﨑'>さん", "髙﨑さん"),
        ("<img alt='葛\U000e0100'>城市", "葛\U000e0100城市"),
        ("<img alt='齋藤'>さん", "齋藤さん"),
        ("判定<img alt='○'>", "判定○"),
        ("<img alt='×'>", "×"),
        ("<img alt='図'>", "（図：図）"),
        ("次の<img alt='計算の流れ'>のとおり", "次の（図：計算の流れ）のとおり"),
        ("算式<img src='f.gif'>", "算式（画像：元のページを参照）"),
    ],
)
def test_a_picture_of_one_character_among_words_is_that_character(html: str, expected: str) -> None:
    assert words_of(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("長<wbr>い&shy;言<b>葉</b>", "長い言葉"),
        ("<q>甲</q>という", "「甲」という"),
        ("<q>「甲」</q>", "「甲」"),
        ("<abbr title='付加価値税'>消費税</abbr>", "消費税"),
        ("甲<br>乙", "甲　乙"),
        ("甲<span style='display:block'>乙</span>丙", "甲　乙　丙"),
        ("<b style='display:table-cell'>1</b><b style='display:table-cell'>000円</b>", "1　000円"),
        ("<span style='white-space:pre-line'>甲\n乙</span>", "甲　乙"),
        ("税\n率", "税率"),
        ("<svg><text>甲</text><text>乙<tspan>丙</tspan></text></svg>", "甲　乙丙"),
        ("税額<math display='block'><mi>A</mi></math>です。", "税額　A　です。"),
    ],
)
def test_other_words(html: str, expected: str) -> None:
    assert words_of(html) == expected
