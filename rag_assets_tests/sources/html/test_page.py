import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.html.page import page_around
from rag_assets.sources.html.styles import Styles

_PIECES = (
    *("<p>", "</p>", "<div class='a'>", "</div>", "<table>", "<tr>", "<td>", "</table>", "<ul>", "<li>", "</ul>"),
    *(
        "<ruby>字<rt>じ</ruby>",
        "<!-- 旧 -->",
        "税率は",
        "10",
        "<sup>2</sup>",
        "<br>",
        "<script>if (a<b) '</p>'</script>",
    ),
    *("&amp;", "&#x3000;", "<textarea>", "</textarea>", "<math><mn>1</mn></math>", "<p hidden>", "<del>", "</del>"),
    *("<form>", "</form>", "<body class='b'>", "</body>", "<a href='?a=1&b=2'>", "</a>", "\r\n", "<"),
)
_HTML = st.lists(st.sampled_from(_PIECES), max_size=20).map("".join)


@given(_HTML, _HTML, _HTML)
def test_the_part_is_what_a_tree_of_the_whole_page_has(before: str, inside: str, behind: str) -> None:
    page = f"<html><body>{before}<div id='part'>{inside}</div>{behind}"
    whole = BeautifulSoup(page, "lxml").find_all(id="part")
    assert [str(part) for part in page_around(page, "part").find_all(id="part")] == [str(part) for part in whole]


def test_menus_are_empty_and_keep_their_places() -> None:
    page = page_around("<ul id='menu'><li>甲</li></ul><div><div id='part'>本文</div></div><p>乙</p>", "part")
    assert str(page.body) == "<body><ul id='menu'></ul><div><div id='part'>本文</div></div><p></p></body>".replace(
        "'", '"'
    )


def test_style_sheets_inside_menus_hold() -> None:
    page = page_around("<nav><ul><li><style>.a{display:none}</style></ul></nav><p id='part' class='a'>甲</p>", "part")
    (part,) = page.find_all(id="part")
    assert Styles(page).declared(part, "display") == "none"


@pytest.mark.parametrize("page", ["", "part", "<p>part</p>", "<!-- <p id='part'>甲</p> --><p>乙</p>"])
def test_a_page_without_the_part_is_whole(page: str) -> None:
    assert str(page_around(page, "part")) == str(BeautifulSoup(page, "lxml"))
