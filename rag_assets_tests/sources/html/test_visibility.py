"""What a reader does not see, or sees struck out."""

import pytest

from rag_assets.sources.html.visibility import is_live
from rag_assets_tests.sources.html.html_pages import lines_of, page_of, seen_in


def _left(html: str, css: str = "") -> list[tuple[str, str]]:
    return [(left.why, left.words) for left in seen_in(html, css)[1]]


@pytest.mark.parametrize(
    "html",
    [
        "<p hidden>旧</p>",
        "<p hidden='until-found'>旧</p>",
        "<p style='DISPLAY : NONE !important'>旧</p>",
        "<div style='display:none'><table><tr><td>旧</td></tr></table></div>",
        "<p aria-hidden='true'>旧</p>",
        "<p style='visibility:hidden'>旧</p>",
        "<p style='visibility:collapse'>旧</p>",
        "<dialog>旧</dialog>",
        "<div popover>旧</div>",
        "<p style='opacity:0'>旧</p>",
        "<p style='font-size:0px'>旧</p>",
        "<p style='position:absolute;left:-9999px'>旧</p>",
        "<p style='text-indent:-9999px'>旧</p>",
        "<p style='position:absolute;clip:rect(0 0 0 0)'>旧</p>",
        "<p style='height:0;overflow:hidden'>旧</p>",
        "<p style='width:1px;height:1px;overflow:hidden'>旧</p>",
        "<p style='position:absolute;left:-99em'>旧</p>",
        "<p style='position:fixed;left:-100vw'>旧</p>",
        "<p style='color:transparent'>旧</p>",
        "<p style='color:#fff'>旧</p>",
        "<p style='background:#036;color:rgb(0, 51, 102)'>旧</p>",
        "<p><font color='white'>旧</font></p>",
    ],
)
def test_what_no_reader_sees_is_left_out_and_told(html: str) -> None:
    assert seen_in(f"<p>前</p>{html}<p>後</p>")[0] == ["前", "後"]
    assert _left(html) == [("hidden", "旧")]


@pytest.mark.parametrize(
    "html",
    [
        "<script>旧</script>",
        "<style>.旧{}</style>",
        "<template><p>旧</p></template>",
        "<noscript>旧</noscript>",
        "<!-- 旧 -->",
        "<input type='hidden' value='旧'>",
        "<video>旧</video>",
        "<p><span aria-hidden='true'></span></p>",
    ],
)
def test_code_and_what_has_no_words_is_left_out_without_a_word(html: str) -> None:
    assert seen_in(f"<p>前</p>{html}<p>後</p>") == (["前", "後"], [])


@pytest.mark.parametrize(
    "html",
    [
        "<details><summary>今</summary></details>",
        "<dialog open>今</dialog>",
        "<p hidden style='display:block'>今</p>",
        "<p aria-hidden='false'>今</p>",
        "<div style='visibility:hidden'><p style='visibility:visible'>今</p></div>",
        "<ul style='font-size:0'><li style='font-size:14px'>今</li></ul>",
        "<table><tr><th bgcolor='#003366'><font color='white'>今</font></th></tr></table>",
        "<p style='color:white;background:url(a.png)'>今</p>",
        "<p style='overflow:hidden;height:10em'>今</p>",
        "<p style='overflow:hidden;height:1em'>今</p>",
        "<p style='position:relative;left:-2em'>今</p>",
        "<p style='text-indent:-1em'>今</p>",
        "<p style='opacity:0.5'>今</p>",
        "<ins>今</ins>",
    ],
)
def test_what_a_reader_sees_stays(html: str) -> None:
    assert seen_in(html) == (["今"], [])


def test_white_words_stay_where_a_style_sheet_that_is_not_here_may_colour_their_ground() -> None:
    html = "<link rel='stylesheet' href='site.css'><table><tr><th style='color:#fff'>区分</th></tr></table>"
    assert seen_in(html) == (["区分"], [])


@pytest.mark.parametrize(
    "html",
    [
        "<del>20％</del>",
        "<s>20％</s>",
        "<strike>20％</strike>",
        "<span style='text-decoration:line-through'>20％</span>",
        "<span style='text-decoration-line: underline line-through'>20％</span>",
        "<span style='text-decoration: line-through red'><b>20％</b></span>",
        "<math><menclose notation='updiagonalstrike'><mtext>20％</mtext></menclose></math>",
    ],
)
def test_struck_words_are_left_out_and_told(html: str) -> None:
    assert seen_in(f"<p>税率は{html}15％です。</p>")[0] == ["税率は15％です。"]
    assert _left(html) == [("struck", "20％")]


def test_struck_cells_and_items_keep_the_places_of_the_others() -> None:
    table = (
        "<table><tr><td><s>甲</s></td><td>1円</td></tr><tr style='text-decoration:line-through'><td>乙<td>2円</table>"
    )
    assert lines_of(table) == ["｜1円‖｜"]
    items = "<ol><li>甲<li style='text-decoration:line-through'>乙<li><del>丙</del><li>丁</ol>"
    assert lines_of(items) == ["1 甲", "4 丁"]


def test_items_not_shown_at_all_have_no_number() -> None:
    assert lines_of("<ol><li>甲<li hidden>乙<li>丙</ol>") == ["1 甲", "2 丙"]


def test_a_style_sheet_that_takes_the_stroke_away() -> None:
    assert lines_of("<p><s>今</s></p>", "s { text-decoration: none }") == ["今"]


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        (".a { display: none }", ["乙"]),
        ("#x, .b { display: none }", []),
        ("p { display: none } p.b { display: block }", ["乙"]),
        ("p.b { display: block !important } #y { display: none }", ["甲", "乙"]),
        ("@media print { .a { display: none } }", ["甲", "乙"]),
        ("@media screen { .a { display: none } }", ["乙"]),
        ("@media (max-width: 600px) { .a { display: none } }", ["甲", "乙"]),
        ("@import 'x.css'; /* } */ .c::before { content: '}' } div > .a { display: none }", ["乙"]),
        (".a:hover { display: none } .b:not( { display: none }", ["甲", "乙"]),
        (".a { text-decoration: line-through }", ["乙"]),
        ("<!-- .a { visibility: hidden } -->", ["乙"]),
    ],
)
def test_style_sheets_inside_the_page(css: str, expected: list[str]) -> None:
    assert lines_of("<div><p class='a' id='x'>甲</p><p class='b' id='y'>乙</p></div>", css) == expected


def test_long_quotations_are_shortened() -> None:
    ((_, words),) = _left(f"<p hidden>{'あ' * 100}</p>")
    assert words == "あ" * 60 + "…"


def test_whether_an_element_is_live_depends_on_what_surrounds_it() -> None:
    page, styles = page_of(
        "<div id='a'></div><template><i id='b'></i></template><div hidden><i id='c'></i></div><del><i id='d'></i></del>"
        "<div style='visibility:hidden'><i id='e'></i></div><noscript><i id='f'></i></noscript>"
    )
    live = [element["id"] for element in page.find_all(id=True) if is_live(element, styles)]
    assert live == ["a"]
