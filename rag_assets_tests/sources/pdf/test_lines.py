"""Lines: positions, gaps, ruby, directions."""

import random

import pypdfium2
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.sources.pdf.lines import PdfLine
from rag_assets.sources.pdf.pages import read_pages
from rag_assets_tests.sources.pdf.pdf_maker import GOTHIC, LATIN, LEFT, MINCHO, TOP, PdfMaker


def lines_of(maker: PdfMaker, tables: bool = False) -> list[PdfLine]:
    return [line for page in read_pages(maker.file(), tables=tables) for line in page.lines]


def texts_of(maker: PdfMaker) -> list[str]:
    return [line.text for line in lines_of(maker)]


def test_a_line_tells_its_place_size_and_font() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "見出しの行", size=14, font=GOTHIC)
    maker.text(LEFT + 10, TOP + 30, "本文の行です", size=10)
    heading, body = lines_of(maker)
    assert (heading.text, heading.page, heading.font) == ("見出しの行", 1, GOTHIC)
    assert (round(heading.x0), round(heading.x1), round(heading.top)) == (80, 150, 100)
    assert round(heading.bottom - heading.top, 1) == heading.size == 14
    assert (body.text, body.size, body.font, round(body.x0), round(body.top)) == ("本文の行です", 10, MINCHO, 90, 130)


@given(st.permutations(range(12)))
def test_lines_are_ordered_by_place_whatever_order_they_are_drawn_in(order: list[int]) -> None:
    words = [f"{number}番目の部分" for number in range(12)]
    maker = PdfMaker()
    for number in order:
        maker.text(LEFT + (number % 2) * 200, TOP + (number // 2) * 20, words[number])
    read = texts_of(maker)
    assert [text.replace("\u3000", "") for text in read] == [words[n] + words[n + 1] for n in range(0, 12, 2)]


def test_characters_drawn_one_by_one_in_any_order_make_the_same_line() -> None:
    sentence = "従業員は、次の各号の一に該当するときは届け出る。"
    maker = PdfMaker()
    places = list(enumerate(sentence))
    random.Random(7).shuffle(places)
    for position, character in places:
        maker.text(LEFT + 10 * position, TOP, character)
    assert texts_of(maker) == [sentence]


def test_a_gap_that_is_a_blank_to_fill_in_is_kept_as_wide_as_it_is() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "入社の日から")
    maker.text(LEFT + 60 + 20, TOP, "か月を試みの期間とする。")
    maker.text(LEFT, TOP + 20, "日額\u3000円とする。")
    maker.text(LEFT, TOP + 40, "日額    円とする。")
    assert texts_of(maker) == [
        "入社の日から\u3000\u3000か月を試みの期間とする。",
        "日額\u3000円とする。",
        "日額\u3000円とする。",
    ]


def test_spread_letters_of_a_justified_line_are_no_gaps() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "この行は右の端まで広げてある", spread=2.5)
    assert texts_of(maker) == ["この行は右の端まで広げてある"]


def test_spaces_stay_between_latin_words_only() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "Knowledge base for all", font=LATIN)
    maker.text(LEFT, TOP + 20, "令和 7 年 4 月の Excel Online を使う")
    assert texts_of(maker) == ["Knowledge base for all", "令和7年4月のExcel Onlineを使う"]


def test_a_wide_space_that_the_text_has_is_kept_where_the_line_is_set_tight() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "第３条\u3000")
    maker.text(LEFT + 35, TOP, "社員の定義")
    assert texts_of(maker) == ["第３条\u3000社員の定義"]


def test_ruby_is_left_out_and_raised_figures_are_marked() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "役員が漏洩した事項")
    maker.text(LEFT + 30, TOP - 6, "ろうえい", size=5)
    maker.text(LEFT, TOP + 30, "面積は３０ｍ")
    maker.text(LEFT + 60, TOP + 29, "2", size=5)
    maker.text(LEFT + 65, TOP + 30, "以内とする（注")
    maker.text(LEFT + 135, TOP + 28, "１", size=6)
    maker.text(LEFT + 141, TOP + 30, "）")
    assert texts_of(maker) == ["役員が漏洩した事項", "面積は３０ｍ²以内とする（注１）"]


def test_small_print_above_a_line_is_no_ruby() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "次の表は令和七年度のものである", size=6)
    maker.text(LEFT, TOP + 14, "手当の額", size=12)
    assert texts_of(maker) == ["次の表は令和七年度のものである", "手当の額"]


def test_a_large_brace_beside_two_lines_does_not_join_them() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP - 2, "｛", size=26)
    maker.text(LEFT + 26, TOP, "正社員")
    maker.text(LEFT + 26, TOP + 13, "契約社員")
    joined = "".join(texts_of(maker))
    assert "正社員" in joined
    assert "契約社員" in joined
    assert sorted(joined) == sorted("｛正社員契約社員")


def test_text_drawn_twice_to_look_bold_is_read_once() -> None:
    maker = PdfMaker()
    for shift in (0, 0.25, 0.5):
        maker.text(LEFT + shift, TOP, "（服装の定め）")
    maker.text(LEFT, TOP + 20, "ああ、いいいい")
    assert texts_of(maker) == ["（服装の定め）", "ああ、いいいい"]


def test_radicals_and_rare_characters_are_read() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "⽤語⻑い𠮷野①㈱")
    assert texts_of(maker) == ["用語長い𠮷野①㈱"]


def test_a_page_is_read_the_same_however_it_is_turned() -> None:
    maker = PdfMaker()
    maker.lines("一行目は横書きである。", "二行目も横書きである。")
    maker.rule(LEFT, 300, 400, 300)
    upright = maker.file()
    expected = [page.lines for page in read_pages(upright)]
    for turn in (90, 180, 270):
        document = pypdfium2.PdfDocument(upright.getvalue())
        document[0].set_rotation(turn)
        turned = PdfMaker().file()
        turned.truncate(0)
        document.save(turned)
        turned.seek(0)
        assert [page.lines for page in read_pages(turned)] == expected


def test_text_that_lies_on_its_side_makes_the_page_lie() -> None:
    maker = PdfMaker()
    maker.canvas.rotate(90)
    maker.canvas.setFont(MINCHO, 10)
    maker.canvas.drawString(100, -200, "横に長い表の題")
    maker.canvas.drawString(100, -220, "その次の行")
    (page,) = read_pages(maker.file(), tables=False)
    assert (page.width, page.height) == (842, 595)
    assert [(line.text, round(line.x0), round(line.bottom)) for line in page.lines] == [
        ("横に長い表の題", 100, 201),
        ("その次の行", 100, 221),
    ]


def test_a_slanted_mark_over_the_page_is_a_line_of_its_own() -> None:
    maker = PdfMaker()
    maker.lines("本文の一行目。", "本文の二行目。")
    maker.canvas.rotate(45)
    maker.canvas.setFont(MINCHO, 40)
    maker.canvas.drawString(500, 200, "見本")
    assert sorted(texts_of(maker)) == sorted(["本文の一行目。", "本文の二行目。", "見本"])


def test_sideways_texts_at_different_places_are_lines_of_their_own() -> None:
    maker = PdfMaker()
    maker.lines("本文の一行目は横書きである。", "本文の二行目も横書きである。")
    maker.canvas.rotate(90)
    maker.canvas.setFont(MINCHO, 10)
    maker.canvas.drawString(300, -500, "左の欄")
    maker.canvas.drawString(500, -500, "右の欄")
    assert sorted(texts_of(maker))[:2] == sorted(["左の欄", "右の欄"])


def test_what_lies_outside_the_visible_page_is_not_read() -> None:
    maker = PdfMaker()
    maker.canvas.setCropBox((50, 50, 500, 800))
    maker.text(100, 100, "見える行")
    maker.text(5, 150, "外の字")
    (line,) = lines_of(maker)
    assert (line.text, round(line.x0), round(line.top)) == ("見える行", 50, 58)


def test_text_inside_a_form_is_read_where_the_form_stands() -> None:
    maker = PdfMaker()
    canvas = maker.canvas
    canvas.beginForm("stamp")
    canvas.setFont(MINCHO, 10)
    canvas.drawString(10, 10, "様式の中")
    canvas.endForm()
    canvas.translate(100, 500)
    canvas.scale(2, 2)
    canvas.doForm("stamp")
    (line,) = lines_of(maker)
    assert (line.text, line.size, round(line.x0)) == ("様式の中", 20, 120)


def test_a_blank_that_only_its_underline_shows_is_kept_at_the_ends_of_a_line() -> None:
    maker = PdfMaker()
    maker.text(LEFT, TOP, "始業は午前")
    maker.rule(LEFT + 50, TOP + 11, LEFT + 80, TOP + 11)
    maker.text(LEFT + 30, TOP + 30, "時から就業する。")
    maker.rule(LEFT, TOP + 41, LEFT + 30, TOP + 41)
    maker.text(LEFT, TOP + 60, "下線のある見出し")
    maker.rule(LEFT, TOP + 71, LEFT + 300, TOP + 71)
    lines = lines_of(maker, tables=True)
    assert [line.text for line in lines] == [
        "始業は午前\u3000\u3000\u3000",
        "\u3000\u3000\u3000時から就業する。",
        "下線のある見出し",
    ]
    assert round(lines[1].x0) == LEFT
