import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_assets.corpus.record_text import plain_text
from rag_assets.corpus.variants import VARIANTS, prepare
from rag_assets.japanese.blanks import BLANK
from rag_assets.model import Chunk, Record, Section, Table, TextBlock
from rag_assets.sources.base import DocumentError, Finding, Reading
from rag_assets.sources.pdf.pages import PdfPage, PdfTable, read_pages
from rag_assets.sources.work_rules.headings import (
    article_heading,
    caption_line,
    chapter_heading,
    commentary_heading,
    supplement_heading,
)
from rag_assets.sources.work_rules.lines import passages
from rag_assets.sources.work_rules.reader import COMMENTARY, RULE, read_document, read_passages
from rag_assets.sources.work_rules.source import WorkRulesDocument
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker
from rag_assets_tests.sources.work_rules.rules_pages import Rules

SHA = "0" * 64
LONG = "この規則は、みほんの会社で働くすべての者が気持ちよく働くために守ることを、広く定めるものとする。"
"""Long enough to reach the margin, which a document of short lines alone does not show."""


def configured(**given: object) -> WorkRulesDocument:
    return WorkRulesDocument.model_validate({"key": "ours", "location": "ours.pdf", **given})


def read(pages: Sequence[PdfPage], **given: object) -> list[Reading]:
    return list(read_passages(passages(pages), configured(**given), sha256=SHA))


def records(readings: Sequence[Reading]) -> dict[str, Record]:
    return {reading.number: reading for reading in readings if isinstance(reading, Record)}


def findings(readings: Sequence[Reading], topic: str) -> list[Finding]:
    return [reading for reading in readings if isinstance(reading, Finding) and reading.topic == topic]


def texts(section: Section) -> list[str]:
    return [block.text for block in section.blocks if isinstance(block, TextBlock)]


def said(record: Record, part: str | None = None) -> str:
    sections = [section for section in record.sections if part is None or (section.part and section.part.name == part)]
    return "".join(text for section in sections for text in texts(section))


def company_rules() -> Rules:
    """A company's own rules: captions and half-width numbers on one line, no frames, no commentary."""
    rules = Rules()
    rules.line("株式会社みほん　就業規則", 8, size=16)
    rules.line("第1章　総則", size=12)
    rules.text("第1条（目的）　この規則は、みほんで働く者の守ることを定める。")
    rules.text(
        "2　この規則にないことは、法令によるものとし、なお分からないことは、総務課に尋ねてから決めるものとする。"
    )
    rules.text("第2条（見習い）　新しく入った者は、入った日から　　か月間を見習いとする。")
    rules.text("(1) 見習いの間も給料を払う。", 1, 2)
    rules.text("(2) 見習いの間は夜勤をさせない。", 1, 2)
    rules.line("第2章　休み", size=12)
    rules.text("第3条（休日）　休日は日曜日とする。第38条の届けを出した者は、別表第1に定める日も休むことができる。")
    rules.line("附　則", 4)
    rules.text("この規則は、令和3年4月1日から施行する。")
    return rules


def test_one_record_an_article_with_caption_chapter_and_document() -> None:
    made = records(read(company_rules().pages()))
    assert list(made) == ["1", "2", "3", "suppl"]
    second = made["2"]
    assert second.record_id == "work_rules/ours/2"
    assert (second.label, second.title, second.document) == ("第2条", "見習い", "株式会社みほん　就業規則")
    assert second.chapter == ("第1章　総則",)
    assert made["3"].chapter == ("第2章　休み",)
    assert said(made["1"]).startswith("この規則は、みほんで働く者の守ることを定める。2　この規則にないことは")
    assert "総務課に尋ねてから決めるものとする。" in said(made["1"])


def test_rules_without_commentary_have_no_headings_of_ours() -> None:
    made = records(read(company_rules().pages()))
    assert all(section.headings == () for record in made.values() for section in record.sections)
    assert {section.part for record in made.values() for section in record.sections} == {RULE}


def test_items_stand_under_their_paragraph() -> None:
    made = records(read(company_rules().pages()))
    blocks = [block for block in made["2"].sections[0].blocks if isinstance(block, TextBlock)]
    assert [(block.kind, block.depth) for block in blocks] == [("paragraph", 0), ("item", 1), ("item", 1)]


def test_a_blank_is_marked_counted_and_told() -> None:
    readings = read(company_rules().pages())
    made = records(readings)
    assert f"入った日から{BLANK}か月間を見習いとする。" in said(made["2"])
    assert made["2"].attributes["has_blanks"] is True
    assert made["2"].attributes["blanks"] == 1
    assert made["1"].attributes["has_blanks"] is False
    (blank,) = findings(readings, "blank")
    assert blank.place == "page 1, 第2条"
    assert f"日から{BLANK}か月間" in blank.quote


def test_a_supplement_is_a_record_apart_and_tells_when_the_rules_came_into_force() -> None:
    made = records(read(company_rules().pages()))
    assert made["suppl"].label == "附則"
    assert said(made["suppl"]) == "この規則は、令和3年4月1日から施行する。"
    assert made["1"].as_of is not None
    assert made["1"].as_of.label == "令和3年4月1日施行"
    assert made["1"].as_of.date is not None
    assert made["1"].attributes["edition"] == "令和3年4月1日施行"


def test_settings_say_more_than_the_document() -> None:
    made = records(
        read(
            company_rules().pages(),
            document="みほん規則",
            edition="第3版",
            as_of="令和7年10月1日現在",
            link="https://example.jp/r",
        )
    )
    assert made["1"].document == "みほん規則"
    assert made["1"].attributes["edition"] == "第3版"
    assert made["1"].as_of is not None
    assert made["1"].as_of.label == "令和7年10月1日現在"
    assert made["1"].url == "https://example.jp/r"
    assert made["1"].origin_sha256 == SHA


@pytest.mark.parametrize(
    ("line", "number", "label"),
    [
        ("第６条　見習いを置く。", "6", "第６条"),
        ("第 6 条　見習いを置く。", "6", "第6条"),
        ("第六条　見習いを置く。", "6", "第六条"),
        ("第二十一条　見習いを置く。", "21", "第二十一条"),
        ("第10条の2　見習いを置く。", "10-2", "第10条の2"),
        ("第１０条の２　見習いを置く。", "10-2", "第１０条の２"),
        ("第十条の二　見習いを置く。", "10-2", "第十条の二"),
        ("第６条見習いを置く。", "6", "第６条"),
    ],
)
def test_numbers_of_every_make(line: str, number: str, label: str) -> None:
    made = records(read(Rules().line("（見習い）").text(line).pages()))
    assert [(each.number, each.label, each.title) for each in made.values()] == [(number, label, "見習い")]
    assert said(made[number]) == "見習いを置く。"


@pytest.mark.parametrize("line", ["第７条（見習い）", "第７条　（見習い）", "第７条【見習い】", "第７条〔見習い〕"])
def test_a_caption_on_the_articles_own_line(line: str) -> None:
    made = records(read(Rules().line(line).text("見習いを置く。", 1).pages()))
    assert made["7"].title == "見習い"
    assert said(made["7"]) == "見習いを置く。"


def test_an_article_without_caption_is_called_by_its_first_words() -> None:
    made = records(
        read(Rules().text("第１条　この規則は、働く者の守ることを定める。ただし、別に定める者を除く。").pages())
    )
    assert made["1"].title == "この規則は、働く者の守ることを定める"


def model_rules() -> Rules:
    """Model rules: articles in frames, commentary behind them, table of contents, cover and preface."""
    rules = Rules()
    rules.line("手本となる規則", 10, size=24).gap(4)
    rules.line("令和５年 ４ 月版", 14, size=18).line("みほん省", 16, size=18)
    rules.page().line("はじめに", size=14)
    rules.line("１　この手本の使い方", size=12)
    rules.text("手本の「　　　株式会社」のような所は、それぞれの会社で決めてください。", 1, 0)
    rules.page().line("目　次", 16, size=18)
    rules.line("第１章　総則…………………………３").line("第１条（目的）", 1).line("第２条（見習い）", 1)
    rules.line("第２章　働き方、休み………………５").line("[例１]　週休二日とする場合", 1).line("第３条（休日）", 2)
    rules.page().line("第１章　　総則", size=14).gap().text("この章では、目的などを定めます。", 1, 0).gap()
    rules.frame().line("（目的）").text("第１条　この規則は、　　　　株式会社で働く者について定める。").end()
    rules.gap().line("【第１条　目的】").text("１　目的を書いておくことが望まれます。").text("２　次の法律があります。")
    rules.line("・みほん法", 2).text("第３条　働く者は、休日に休むものとする。", 3, 4)
    rules.gap(2).frame().line("（見習い）").text("第２条　入った日から　　週間を見習いとする。").page()
    rules.text("２　見習いの間も給料を払う。ただし、会社が特に認めたときは、この限りでない。").end()
    rules.gap().text("見習いについては、ほかの決め方もあります。", 1, 0)
    rules.gap().line("【第２条　見習いの期間】").text("長すぎる見習いは望まれません。", 1, 0)
    rules.page().line("第２章　　働き方、休み", size=14).gap()
    rules.line("［例１］　週休二日とする場合").gap().text("週に二日休む例です。", 1, 0).gap()
    rules.frame().line("（休日）").text("第３条　休日は、次のとおりとする。").line("①　土曜日及び日曜日", 1)
    rules.line("②　夏休み（　　月　　日～　　月　　日）", 1).end()
    rules.gap().line("【第３条　休日】").text("何曜日を休みとしてもかまいません。", 1, 0)
    rules.gap(2).line("〔例２〕週休一日とする場合").gap().text("〔例２〕は、週に一日休む例です。", 1, 0)
    rules.gap().frame().line("（休日）").text("第３条　休日は、日曜日とする。").end()
    rules.gap().line("【第３条　休日】").text("一日の時間を短くしてください。", 1, 0)
    rules.gap(2).frame().line("（手当）").text("第４条　手当は、月額　　　　円とする。").end()
    rules.gap().frame().line("（賞与）").text("第５条　賞与は、次の日に払う。")
    rules.table(("支払う日", "計算する期間"), ("　　月　　日", "　　月　　日から　　月　　日まで")).end()
    rules.gap().line("【第４条　手当】").line("【第５条　賞与】").text("額は会社で決めてください。", 1, 0)
    rules.gap(3).frame().line("附　則", 4).line("（施行期日）").text(
        "第１条　この規則は、　　年　　月　　日から施行する。"
    ).end()
    return rules


def test_rule_text_and_commentary_are_parts_of_one_record() -> None:
    made = records(read(model_rules().pages()))
    first = made["1"]
    assert [(section.headings, section.part) for section in first.sections] == [
        (("条文",), RULE),
        (("解説",), COMMENTARY),
    ]
    assert said(first, "rule") == f"この規則は、{BLANK}株式会社で働く者について定める。"
    assert said(first, "commentary").startswith("１　目的を書いておくことが望まれます。")


def test_articles_come_in_order_and_the_supplements_first_article_is_none_of_them() -> None:
    made = records(read(model_rules().pages()))
    articles = [number for number, record in made.items() if record.attributes["unit"] == "article"]
    assert articles == ["1", "2", "3", "4", "5"]
    assert made["suppl"].title == "施行期日"
    assert said(made["suppl"]).endswith(f"第１条　この規則は、{BLANK}年{BLANK}月{BLANK}日から施行する。")


def test_a_quoted_laws_article_stays_commentary() -> None:
    readings = read(model_rules().pages())
    made = records(readings)
    assert "第３条　働く者は、休日に休むものとする。" in said(made["1"], "commentary")
    assert "休日に休むものとする" not in said(made["3"])
    (quoted,) = findings(readings, "quoted article")
    assert quoted.place == "page 4, 第３条"


def test_a_frame_goes_on_over_the_page_and_what_stands_outside_is_commentary() -> None:
    second = records(read(model_rules().pages()))["2"]
    assert said(second, "rule") == (
        f"入った日から{BLANK}週間を見習いとする。"
        "２　見習いの間も給料を払う。ただし、会社が特に認めたときは、この限りでない。"
    )
    assert said(second, "commentary") == "見習いについては、ほかの決め方もあります。長すぎる見習いは望まれません。"


def test_a_commentarys_own_caption_is_kept_where_it_differs() -> None:
    second = records(read(model_rules().pages()))["2"]
    assert second.sections[-1].headings == ("解説：見習いの期間",)


def test_alternatives_stand_under_their_article_and_say_which_they_are() -> None:
    third = records(read(model_rules().pages()))["3"]
    first, second = "［例１］　週休二日とする場合", "〔例２〕週休一日とする場合"
    assert [(section.headings, said_by(section)) for section in third.sections] == [
        (
            ("条文", first),
            f"休日は、次のとおりとする。①　土曜日及び日曜日②　夏休み（{BLANK}月{BLANK}日～{BLANK}月{BLANK}日）",
        ),
        (("条文", second), "休日は、日曜日とする。"),
        (("解説", first), "週に二日休む例です。何曜日を休みとしてもかまいません。"),
        (("解説", second), "〔例２〕は、週に一日休む例です。一日の時間を短くしてください。"),
    ]


def said_by(section: Section) -> str:
    return "".join(texts(section))


def test_an_alternative_ends_where_an_article_comes_that_has_none() -> None:
    fourth = records(read(model_rules().pages()))["4"]
    assert fourth.sections[0].headings == ("条文",)


def test_commentary_on_several_articles_stands_with_each_or_with_the_first() -> None:
    each = records(read(model_rules().pages()))
    for number in ("4", "5"):
        assert each[number].sections[-1].headings == ("解説（第４条・第５条）",)
        assert said(each[number], "commentary") == "額は会社で決めてください。"
    once = records(read(model_rules().pages(), shared_commentary="first"))
    assert said(once["4"], "commentary") == "額は会社で決めてください。"
    assert said(once["5"], "commentary") == ""


def test_a_table_in_a_frame_keeps_its_place_and_its_blanks_are_marked() -> None:
    fifth = records(read(model_rules().pages()))["5"]
    text, table = fifth.sections[0].blocks
    assert isinstance(text, TextBlock)
    assert isinstance(table, Table)
    assert [cell.text for cell in table.cells] == [
        "支払う日",
        "計算する期間",
        f"{BLANK}月{BLANK}日",
        f"{BLANK}月{BLANK}日から{BLANK}月{BLANK}日まで",
    ]
    assert [cell.heading for cell in table.cells] == [True, True, False, False]
    assert fifth.attributes["blanks"] == 6


def test_cover_contents_and_preface() -> None:
    readings = read(model_rules().pages())
    made = records(readings)
    assert made["1"].document == "手本となる規則"
    assert made["1"].attributes["edition"] == "令和５年４月版"
    assert made["preface"].title == "はじめに"
    assert [section.headings for section in made["preface"].sections] == [("はじめに", "１　この手本の使い方")]
    (cover,) = findings(readings, "cover")
    assert "みほん省" in cover.quote
    (contents,) = findings(readings, "table of contents")
    assert contents.place == "page 3"


def test_what_introduces_a_chapter_is_the_chapters_record() -> None:
    made = records(read(model_rules().pages()))
    assert (made["chapter-1"].label, made["chapter-1"].title) == ("第１章", "総則")
    assert said(made["chapter-1"]) == "この章では、目的などを定めます。"
    assert "chapter-2" not in made
    assert made["3"].chapter == ("第２章　働き方、休み",)


def test_commentary_and_preface_can_be_left_out() -> None:
    readings = read(model_rules().pages(), commentary=False, preface=False)
    made = records(readings)
    assert list(made) == ["1", "2", "3", "4", "5", "suppl"]
    assert all(section.part == RULE for record in made.values() for section in record.sections)
    assert len(findings(readings, "left out by settings")) == 7


def test_commentary_without_frames() -> None:
    rules = Rules()
    for number, name in enumerate("あいうえ", 1):
        rules.line(f"（{name}のこと）").text(f"第{number}条　{name}について定める。")
        rules.line(f"【第{number}条　{name}のこと】").text(f"{name}の説明です。", 1, 0)
        if number == 2:
            rules.text("第3条　よその法律の定めです。", 2, 3).line("（よそのこと）", 2).text(
                "第9条　よその定めです。", 2, 3
            )
    readings = read(rules.pages())
    made = records(readings)
    assert list(made) == ["1", "2", "3", "4"]
    assert (
        said(made["2"], "commentary")
        == "いの説明です。第3条　よその法律の定めです。（よそのこと）第9条　よその定めです。"
    )
    assert [finding.place for finding in findings(readings, "quoted article")] == ["page 1, 第3条", "page 1, 第9条"]


def test_commentary_that_comes_before_its_article() -> None:
    rules = Rules().line("【第１条　目的】").text("目的の説明です。", 1, 0)
    rules = Rules().line("第１章　総則").line("【第１条　目的】").text("目的の説明です。", 1, 0)
    rules.gap().frame().line("（目的）").text("第１条　目的を定める。").end()
    made = records(read(rules.pages()))
    assert said(made["1"], "commentary") == "目的の説明です。"
    assert said(made["1"], "rule") == "目的を定める。"


def test_commentary_on_an_article_that_is_not_there_is_kept_and_told() -> None:
    rules = (
        Rules().line("（目的）").text("第１条　目的を定める。").line("【第７条　休み】").text("休みの説明です。", 1, 0)
    )
    readings = read(rules.pages())
    assert said(records(readings)["1"], "commentary") == "休みの説明です。"
    (fault,) = findings(readings, "commentary without its article")
    assert fault.kind == "fault"
    assert "article 7" in fault.message


@pytest.mark.parametrize("line", ["第２条　削除", "第２条（削除）", "第２条　（削　除）"])
def test_a_deleted_article_is_told_and_makes_no_record(line: str) -> None:
    rules = Rules().text("第１条（目的）　目的を定める。").line(line).text("第３条（休み）　休みを定める。")
    readings = read(rules.pages())
    assert list(records(readings)) == ["1", "3"]
    (deleted,) = findings(readings, "deleted article")
    assert deleted.place == "page 1, 第２条"


def test_a_deleted_article_needs_neither_frame_nor_caption() -> None:
    rules = Rules().frame().line("（目的）").text("第１条　目的を定める。").end()
    rules.line("【第１条　目的】").text("目的の説明です。", 1, 0).gap().line("第２条　削除")
    rules.gap().frame().line("（休み）").text("第３条　休みを定める。").end()
    rules.gap().frame().line("（手当）").text("第４条　手当を定める。").end()
    readings = read(rules.line("【第４条　手当】").text("手当の説明です。", 1, 0).line("第９条　削除").pages())
    assert list(records(readings)) == ["1", "3", "4"]
    assert said(records(readings)["1"], "commentary") == "目的の説明です。"
    assert [found.place for found in findings(readings, "deleted article")] == ["page 1, 第２条"]
    assert [found.place for found in findings(readings, "quoted article")] == ["page 1, 第９条"]


def test_a_heading_without_text_is_told() -> None:
    rules = Rules().text(f"第１条（目的）　{LONG}").line("第２条（休み）").line("附　則").text("今日から施行する。")
    readings = read(rules.line("別表第１　手当").pages())
    assert list(records(readings)) == ["1", "suppl"]
    assert [(fault.kind, fault.place) for fault in findings(readings, "heading without text")] == [
        ("fault", "page 1, 第２条"),
        ("fault", "page 1, 別表第１"),
    ]


def test_a_range_of_deleted_articles() -> None:
    rules = (
        Rules()
        .text("第１条（目的）　目的を定める。")
        .line("第２条から第４条まで　削除")
        .text("第５条（休み）　休みを定める。")
    )
    readings = read(rules.pages())
    assert list(records(readings)) == ["1", "5"]
    assert findings(readings, "deleted article")[0].place == "page 1, 第２条から第４条まで"


def test_supplements_and_appendices_are_records_apart() -> None:
    rules = (
        Rules()
        .line("（目的）")
        .text("第１条　目的を定める。")
        .line("（手当）")
        .text("第２条　手当は、別表第１のとおりとする。")
    )
    rules.gap().line("附　則（令和元年５月１日）").text("第１条　この規則は、令和元年５月１日から施行する。").text(
        "第２条　前の規則は、やめる。"
    )
    rules.line("附　則").text("この改正は、令和６年１０月１日から施行する。")
    rules.page().line("別表第１（第２条関係）").table(("役", "手当"), ("長", "１万円"), ("次長", "５千円"))
    rules.line("様式第２号　休み届").text("休みたい日を書いてください。")
    made = records(read(rules.pages()))
    assert list(made) == ["1", "2", "suppl", "suppl-2", "table-1", "form-2"]
    assert made["suppl"].title == "令和元年５月１日"
    assert said(made["suppl"]).endswith("第２条　前の規則は、やめる。")
    assert (made["table-1"].label, made["table-1"].title) == ("別表第１", "（第２条関係）")
    assert isinstance(made["table-1"].sections[0].blocks[0], Table)
    assert made["suppl-2"].title == "令和６年１０月１日施行"
    assert (made["form-2"].label, made["form-2"].title) == ("様式第２号", "休み届")
    assert made["1"].attributes["edition"] == "令和６年１０月１日施行"


def test_an_article_number_that_comes_twice_is_kept_twice_and_told() -> None:
    rules = Rules()
    for number, name in ((1, "あ"), (2, "い"), (2, "う"), (3, "え")):
        rules.text(f"第{number}条（{name}）　{name}を定める。")
    readings = read(rules.pages())
    assert [(record.number, record.title) for record in records(readings).values()] == [
        ("1", "あ"),
        ("2", "い"),
        ("2_2", "う"),
        ("3", "え"),
    ]
    (fault,) = findings(readings, "duplicate article number")
    assert fault.kind == "fault"
    assert "2_2" in fault.message


def test_an_article_that_is_not_recognised_is_told() -> None:
    rules = Rules()
    for number, name in ((1, "あ"), (2, "い")):
        rules.line(f"（{name}）").text(f"第{number}条　{name}を定める。")
    rules.page().line("（う）").text("第３粂　うを定める。")
    rules.page().line("（え）").text("第４条　えを定める。")
    readings = read(rules.pages())
    (fault,) = findings(readings, "missing article")
    assert (fault.kind, fault.place) == ("fault", "pages 1-3")
    assert fault.message.startswith("第3条 was not found behind 第2条 and before 第4条; see how these pages print")
    assert "第３粂　うを定める。" in said(records(readings)["2"])


def test_deleted_articles_are_not_missing() -> None:
    rules = Rules().text("第１条（目的）　目的を定める。").line("第２条　削除").line("第３条から第５条まで　削除")
    rules.text("第６条（休み）　休みを定める。").text("第６条の２（盆）　盆を定める。").text(
        "第７条（年）　年を定める。"
    )
    assert [each.topic for each in read(rules.pages()) if isinstance(each, Finding)] == ["deleted article"] * 2


def test_the_table_of_contents_bears_out_the_articles() -> None:
    rules = Rules().line("目次").line("第１章　総則……２")
    for number in (1, 2, 3, 6):
        rules.line(f"第{number}条（あ{number}）")
    rules.line("第２章　休み……３").page().line("第１章　総則")
    for number in (1, 2, 5):
        rules.text(f"第{number}条（あ{number}）　{LONG}")
    readings = read(rules.pages())
    told = [each for each in readings if isinstance(each, Finding) and each.topic != "table of contents"]
    assert [(each.topic, each.kind, each.place, each.message[:4]) for each in told] == [
        ("missing article", "fault", "page 2", "第3条,"),
        ("missing article", "fault", "page 2", "第6条,"),
        ("missing chapter", "fault", "page 1", "第2章 "),
    ]


def test_a_number_that_is_none_makes_no_article() -> None:
    rules = Rules().text("第１条（目的）　目的を定める。").text("第〇〇条（例）　このように書く。")
    assert list(records(read(rules.pages()))) == ["1"]


def test_a_table_over_two_pages_is_one_table() -> None:
    rules = Rules().text("第１条（目的）　目的を定める。").line("別表第１　手当")
    rules.table(("勤めた年", "手当"), *((f"{year}年", f"{year}千円") for year in range(1, 34))).page()
    rules.table(*((f"{year}年", f"{year}千円") for year in range(34, 38))).page()
    rules.table(*((f"{year}年", f"{year}千円") for year in range(38, 40))).line("その他は別に決める。")
    (table, after) = records(read(rules.pages()))["table-1"].sections[0].blocks
    assert isinstance(table, Table)
    assert [cell.text for cell in table.cells if cell.column == 0] == [
        "勤めた年",
        *(f"{year}年" for year in range(1, 40)),
    ]
    assert {cell.row for cell in table.cells if cell.heading} == {0}
    assert isinstance(after, TextBlock)


def test_tables_of_other_columns_or_with_text_between_stay_apart() -> None:
    def tables(rules: Rules) -> int:
        return sum(isinstance(block, Table) for block in records(read(rules.pages()))["1"].sections[0].blocks)

    def first() -> Rules:
        return Rules().text("第１条（目的）　目的を定める。").table(("年", "手当"), ("1年", "1千円"))

    assert tables(first().page().table(("2年", "2千円"))) == 1
    assert tables(first().page().table(("2年", "2千円", "なし"))) == 2
    assert tables(first().page().line("次の表").table(("2年", "2千円"))) == 2
    assert tables(first().line("次の頁").page().table(("2年", "2千円"))) == 2


def test_an_appendix_is_called_by_its_name() -> None:
    rules = Rules().text("第１条（目的）　目的を定める。")
    rules.page().line("別表第１（第１条関係）").line("手当の一覧", 1).table(("役", "手当"), ("長", "１万円"))
    rules.page().line("別表第２（第１条関係）　休みの一覧").table(("役", "日"), ("長", "１日"))
    rules.page().line("別表第３").line("（第１条関係）").line("道具の一覧").line("ほうき", 1)
    rules.page().line("別表第４（第１条関係）").text("休みは別に定める。")
    rules.page().line("様式第１号").line("（単位：円）").line("金額", 1)
    rules.page().line("様式第２号").line("休み届")
    readings = read(rules.pages())
    made = records(readings)
    assert {number: (record.title, said(record)) for number, record in made.items() if number != "1"} == {
        "table-1": ("手当の一覧", "（第１条関係）"),
        "table-2": ("休みの一覧", "（第１条関係）"),
        "table-3": ("道具の一覧", "（第１条関係）ほうき"),
        "table-4": ("（第１条関係）", "休みは別に定める。"),
        "form-1": ("金額", "（単位：円）金額"),
        "form-2": ("休み届", "休み届"),
    }


def test_an_appendix_with_nothing_but_its_heading_is_told() -> None:
    rules = Rules().text("第１条（目的）　目的を定める。").line("別表第１（第１条関係）")
    (fault,) = findings(read(rules.pages()), "heading without text")
    assert fault.quote == "別表第１　（第１条関係）"


def test_a_supplement_is_called_by_its_date_or_caption() -> None:
    rules = Rules().text("第１条（目的）　目的を定める。")
    rules.line("附則").text("この規則は、令和３年４月１日から施行する。")
    rules.line("附則（令和４年５月１日）").text("この改正は、令和４年６月１日から施行する。")
    rules.line("附則").line("（施行期日）").text("第１条　この改正は、令和５年４月１日から施行する。")
    rules.line("附則").text("この改正に要する手続は、別に定める。")
    titles = [record.title for record in records(read(rules.pages())).values()]
    assert titles == ["目的", "令和３年４月１日施行", "令和４年５月１日", "施行期日", "附則"]


def test_a_further_set_of_rules_in_the_same_document() -> None:
    rules = Rules()
    for number, name in enumerate("あいう", 1):
        rules.text(f"第{number}条（{name}）　{name}を定める。")
    rules.line("附則").text("この規則は、令和３年４月１日から施行する。")
    rules.page().line("賃金規程", 12, size=16)
    for number, name in enumerate("かき", 1):
        rules.text(f"第{number}条（{name}）　{name}を定める。")
    made = records(read(rules.pages()))
    assert list(made) == ["1", "2", "3", "suppl", "r2-1", "r2-2"]
    assert made["r2-1"].chapter == ("賃金規程",)
    assert said(made["suppl"]) == "この規則は、令和３年４月１日から施行する。"


def test_a_mention_of_an_article_at_a_lines_start_is_none() -> None:
    rules = (
        Rules()
        .text("第１条（目的）　目的を定める。")
        .line("第２条の規定により、目的を変える。")
        .line("第２条第１項　を除く。")
    )
    made = records(read(rules.pages()))
    assert list(made) == ["1"]
    assert said(made["1"]) == "目的を定める。第２条の規定により、目的を変える。第２条第１項　を除く。"


def test_a_document_without_articles_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"ours\.pdf: no article .*第１条"):
        read(Rules().text("お知らせです。").pages())


def test_a_blank_at_a_line_break_is_marked() -> None:
    rules = Rules().line("（番）")
    rules.line("第１条　番は、決まった日数ごとに次のように替えるものとし、替わる順は、　　番を　　番に、")
    rules.line("番を　　番に替える。", 3)
    made = records(read(rules.pages()))
    assert said(made["1"]).endswith(f"{BLANK}番を{BLANK}番に、{BLANK}番を{BLANK}番に替える。")


def test_columns_at_a_lines_end_are_not_run_together() -> None:
    rules = Rules().line("（手当）").text("第１条　手当は、次のとおりとする。")
    for name in ("安全の係をする者", "薬の係をする者　", "その他の係の者　"):
        rules.line(f"{name}　　　　　　　　　　　　　　　　　　　　　月額　　　　円", 4)
    made = records(read(rules.pages()))
    assert texts(made["1"].sections[0])[1:] == [
        f"安全の係をする者　月額{BLANK}円",
        f"薬の係をする者　月額{BLANK}円",
        f"その他の係の者　月額{BLANK}円",
    ]


def test_a_real_pdf() -> None:
    maker = PdfMaker()
    maker.text(80, 60, "みほん就業規則", 18)
    maker.text(80, 100, "第１章　総則", 14)
    maker.lines("（見習い）", "第１条　入った日から　　か月間を見習いとする。", "２　見習いの間も給料を払う。", top=130)
    maker.grid([70, 515], [124, 186])
    maker.lines("【第１条　見習い】", "長すぎる見習いは望まれません。", "第９条　よその法律です。", top=210)
    maker.lines("（休日）", "第２条　休日は、日曜日とする。", top=290)
    maker.grid([70, 515], [284, 330])
    maker.lines("（手当）", "第３条　手当は、次のとおりとする。", top=360)
    maker.grid([70, 515], [354, 400])
    made = records(list(read_document(maker.file(), configured(), sha256=SHA, url="https://example.jp/rules.pdf")))
    assert list(made) == ["1", "2", "3"]
    assert said(made["1"], "rule") == f"入った日から{BLANK}か月間を見習いとする。２　見習いの間も給料を払う。"
    assert said(made["1"], "commentary") == "長すぎる見習いは望まれません。第９条　よその法律です。"
    assert made["2"].title == "休日"
    assert made["2"].document == "みほん就業規則"
    assert made["2"].url == "https://example.jp/rules.pdf"


@pytest.mark.parametrize(
    ("printed", "marked"),
    [
        ("手当は、月額（ ）円とする。", f"手当は、月額（{BLANK}）円とする。"),
        ("手当は、月額（　）円とする。", f"手当は、月額（{BLANK}）円とする。"),
        ("手当は、月額　　とする。", f"手当は、月額{BLANK}とする。"),
        ("所在地：　　（以下「本店」という。）", f"所在地：{BLANK}（以下「本店」という。）"),
        ("勤続●年以上の者", f"勤続●{BLANK}年以上の者"),
        ("手当は、××円とする。", f"手当は、××{BLANK}円とする。"),
        ("手当は、…円とする。", f"手当は、…{BLANK}円とする。"),
        ("毎年 月 日を初日とする。", f"毎年{BLANK}月{BLANK}日を初日とする。"),
    ],
)
def test_blanks_as_a_pdf_prints_them(printed: str, marked: str) -> None:
    maker = PdfMaker()
    maker.lines(
        "第１条（目的）　目的を定める。", f"第２条（手当）　{printed}", "第３条（休み）　休みを定める。", top=100
    )
    assert said(records(list(read_document(maker.file(), configured(), sha256=SHA)))["2"]) == marked


_LINES = st.sampled_from(
    [
        "目　次",
        "第１章　総則",
        "第２章　休み",
        "第１章　総則………１",
        "（見習い）",
        "（休日）",
        "第１条　あを定める。",
        "第２条（い）　いを定める。",
        "第３条　削除",
        "第３条",
        "第４条　うを定める。",
        "第４条の２　えを定める。",
        "第３８条　よその定め",
        "２　おを定める。",
        "①　かを定める。",
        "きは、毎月　　日とする。",
        "［例１］　くの場合",
        "〔例２〕　けの場合",
        "【第２条　い】",
        "【第９条】",
        "【解説】",
        "附　則",
        "別表第１　こ",
        "別紙様式第２号（第２条関係）",
        "別紙　し",
        "様式第１号　削除",
        "第３章　削除",
        "附則第２項　削除",
        "令和　　年　　月　　日　　氏名　　　印",
        "３．すを定める。",
        "日　月　火　水　木　金　土",
        "１　２　３　４　５　６　７",
        "賃金規程",
        "さの定めによる",
        "第１条に定める者は、",
    ]
)


@given(st.lists(st.tuples(_LINES, st.sampled_from([0, 1, 3])), min_size=1, max_size=25), st.sets(st.integers(0, 24)))
def test_whatever_the_lines_nothing_is_lost_untold(lines: list[tuple[str, int]], breaks: set[int]) -> None:
    rules = Rules().line("第１条　はじめの定め。")
    for position, (text, indent) in enumerate(lines):
        rules.line(text, indent)
        if position in breaks:
            rules.page()
    readings = read(rules.line("おわりの定め。").pages())
    told = "".join(each.in_words() if isinstance(each, Finding) else everything(each) for each in readings)
    for text in (
        "はじめの定め。",
        "いを定める。",
        "うを定める。",
        "おを定める。",
        "かを定める。",
        "さの定めによる",
        "くの場合",
        "よその定め",
        "第２条関係",
        "様式第１号",
        "第３章",
        "附則第２項",
        "氏名",
        "すを定める。",
    ):
        if text == "はじめの定め。" or any(text in line for line, _ in lines):
            assert text in told
    made = [reading for reading in readings if isinstance(reading, Record)]
    assert len({record.record_id for record in made}) == len(made)


def everything(record: Record) -> str:
    return "".join((record.label, record.title, *record.chapter, plain_text(record)))


def test_chunks_never_mix_rule_and_commentary_and_name_their_article() -> None:
    made = records(read(model_rules().pages()))
    for chunk in chunks_of(list(made.values())):
        assert not ("【条文" in chunk.text and "【解説" in chunk.text)
        assert made[chunk.record_id.rsplit("/", 1)[-1]].label in chunk.header


def chunks_of(found: Sequence[Record]) -> list[Chunk]:
    (variant,) = [variant for variant in VARIANTS if variant.name == "prepared_400"]
    return prepare(found, variant, lambda source: pytest.fail(f"no dictionary was asked for, but {source} was"))


def test_an_alternative_that_no_article_follows_stays_text() -> None:
    rules = (
        Rules()
        .line("（目的）")
        .text(f"第１条　{LONG}")
        .line("［例１］　しないままの場合")
        .text("なにも定めません。", 1, 0)
    )
    made = records(read(rules.pages()))
    assert said(made["1"], "commentary") == "［例１］　しないままの場合なにも定めません。"


def test_a_single_alternative_keeps_its_heading() -> None:
    rules = (
        Rules()
        .line("第１章　総則")
        .line("［例１］　週休二日とする場合")
        .line("（休日）")
        .text("第１条　土日を休みとする。")
    )
    rules.line("（見習い）").text("第２条　見習いを置く。")
    made = records(read(rules.pages()))
    assert made["1"].sections[0].headings == ("［例１］　週休二日とする場合",)
    assert made["2"].sections[0].headings == ()


def test_a_title_above_a_preface_on_the_same_page() -> None:
    rules = Rules().line("みほんの会社の規則", 8, size=16).text("ともに働く者の約束をここに記す。", 1, 0)
    rules.line("第１章　総則").text("第１条（目的）　目的を定める。").text("第２条（範囲）　範囲を定める。")
    made = records(read(rules.pages()))
    assert made["1"].document == "みほんの会社の規則"
    assert said(made["preface"]) == "ともに働く者の約束をここに記す。"


def test_dots_before_an_amount_are_no_table_of_contents() -> None:
    rules = Rules().text(f"第１条（目的）　{LONG}").line("（手当）").text("第２条　次のとおりとする。")
    rules.line("部長…………50,000", 1)
    assert "50,000" in said(records(read(rules.pages()))["2"])


def test_a_preface_behind_the_table_of_contents_stays() -> None:
    rules = Rules().line("目次").line("第１章　総則").line("第２章　休み").line("第３章　給料")
    rules.page().text("ともに働く者の約束をここに記す。", 1, 0)
    rules.page().line("第１章　総則").text(f"第１条（目的）　{LONG}").line("附　則").text("第１条　今日から施行する。")
    readings = read(rules.pages())
    made = records(readings)
    assert said(made["preface"]) == "ともに働く者の約束をここに記す。"
    assert made["1"].chapter == ("第１章　総則",)
    assert findings(readings, "table of contents")[0].message.startswith("left out: 4 lines")


def test_a_table_of_contents_without_numbers_takes_nothing_of_the_rules() -> None:
    rules = Rules().line("目次").line("総則").line("休み").page()
    rules.line("第１章　総則").text(f"第１条（目的）　{LONG}").line("第２章　休み").text(f"第２条（休み）　{LONG}")
    made = records(read(rules.pages()))
    assert [(number, record.chapter) for number, record in made.items()] == [
        ("1", ("第１章　総則",)),
        ("2", ("第２章　休み",)),
    ]


def test_frames_can_be_told_by_settings() -> None:
    rules = Rules().frame().line("（目的）").text("第１条　目的を定める。").end().gap().text("説明です。", 1, 0)
    assert said(records(read(rules.pages()))["1"], "rule") == "目的を定める。説明です。"
    assert said(records(read(rules.pages(), frames="yes"))["1"], "commentary") == "説明です。"


def test_the_blanks_of_the_sample() -> None:
    content = (files("rag_assets") / "sample/documents/work_rules.pdf").read_bytes()
    made = records(list(read_document(BytesIO(content), configured(), sha256=SHA)))
    found = {
        number: re.findall("[^▮|]{0,3}▮[^▮|]{0,3}", "|".join(all_texts(record)).replace(BLANK, "▮"))
        for number, record in made.items()
        if record.attributes["has_blanks"]
    }
    assert sum(map(len, found.values())) == 27
    assert found == {
        "1": ["ん商会▮店（以"],
        "3": ["日から▮日以内", "きは、▮週間以"],
        "5": ["の日の▮日前ま"],
        "6": ["日から▮か月間"],
        "7": ["、毎月▮日まで"],
        "8": ["年始の▮日間と"],
        "9": ["ついて▮時間、", "ついて▮時間を"],
        "10": ["続けて▮日以上"],
        "10-2": ["くとも▮時間の"],
        "11": ["１年に▮回まで"],
        "13": ["たとき▮日", "たとき▮日", "たとき▮日", "たとき▮日"],
        "14": ["きは、▮日を限", "勤務を▮時間ま"],
        "15": ["、月額▮円を限", "き月額▮円を支"],
        "16": ["、毎月▮日に締", "、翌月▮日に支"],
        "17": ["ある満▮歳に達"],
        "18": ["る日の▮日前ま"],
        "suppl": ["則は、▮年", "▮月", "▮日から"],
    }


def all_texts(record: Record) -> list[str]:
    blocks = [block for section in record.sections for block in section.blocks]
    cells = [cell.text for block in blocks if isinstance(block, Table) for cell in block.cells]
    return [*(block.text for block in blocks if isinstance(block, TextBlock)), *cells]


@pytest.fixture(scope="module")
def model_file(realdata: Path) -> Path:
    file = realdata / "pdf/model_shugyo_kisoku_R4-11.pdf"
    if not file.exists():
        pytest.skip("the model work rules are not among the real documents")
    return file


@pytest.fixture(scope="module")
def model_readings(model_file: Path) -> list[Reading]:
    with model_file.open("rb") as file:
        return list(read_document(file, configured(key="model-r4"), sha256=SHA))


@pytest.mark.realdata
def test_real_model_rules_have_their_seventy_articles(model_readings: list[Reading]) -> None:
    made = records(model_readings)
    articles = [record for record in made.values() if record.attributes["unit"] == "article"]
    assert [record.number for record in articles] == [str(number) for number in range(1, 71)]
    assert {record.document for record in made.values()} == {"モデル就業規則"}
    assert {record.attributes["edition"] for record in made.values()} == {"令和４年11月版"}
    assert not [reading for reading in model_readings if isinstance(reading, Finding) and reading.kind == "fault"]


@pytest.mark.realdata
def test_real_captions_and_chapters_are_those_of_the_table_of_contents(
    model_file: Path, model_readings: list[Reading]
) -> None:
    with model_file.open("rb") as file:
        lines = [
            plain(line.text)
            for page in read_pages(file, name="model")
            if page.number in range(6, 10)
            for line in page.lines
        ]
    listed: dict[str, tuple[str, str]] = {}
    chapter = ""
    for line in lines:
        if match := re.fullmatch(r"(第[0-9]+章.*?)…+[0-9]+", line):
            chapter = match[1]
        elif match := re.fullmatch(r"第([0-9]+)条\((.*)\)", line):
            listed.setdefault(match[1], (match[2], chapter))
    assert len(listed) == 70
    found = {
        record.number: (plain(record.title), plain("".join(record.chapter)))
        for record in records(model_readings).values()
        if record.attributes["unit"] == "article"
    }
    assert {number: chapter for number, (_, chapter) in found.items()} == {
        number: chapter for number, (_, chapter) in listed.items()
    }
    # These captions are printed otherwise in the table of contents than over the article.
    other = {number for number in listed if found[number][0] != listed[number][0]}
    assert other == {"21", "22", "62"}


def plain(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text).replace("...", "…"))


@pytest.mark.realdata
def test_real_commentary_stands_with_the_article_that_heads_it(model_file: Path, model_readings: list[Reading]) -> None:
    # Read apart from how the source reads: the page's text as PDFium gives it, and the headings in it.
    import pypdfium2

    made = records(model_readings)
    pages = [plain(page.get_textpage().get_text_range()) for page in pypdfium2.PdfDocument(model_file)]
    headed: Counter[str] = Counter()
    unchecked: list[str] = []
    for page in pages[9:]:
        for match in re.finditer(r"((?:【第[0-9]+条[^】]*】)+)([^【】]{0,12})", page):
            numbers = re.findall(r"【第([0-9]+)条", match[1])
            headed.update(numbers)
            unchecked.extend(numbers if not match[2] else [])
            for number in numbers:
                assert match[2] in plain(said(made[number], "commentary")), match[0]
    # Alternatives repeat 第19条 and 第20条; one heading stands at the foot of its page.
    assert headed == {str(number): 3 if number in (19, 20) else 1 for number in range(1, 71)}
    assert unchecked == ["62"]


@pytest.mark.realdata
def test_real_alternatives_stand_under_their_own_article(model_readings: list[Reading]) -> None:
    made = records(model_readings)
    alternatives = {
        number: [section.headings[-1][:4] for section in record.sections if section.part == RULE]
        for number, record in made.items()
        if record.attributes["unit"] == "article" and sum(section.part == RULE for section in record.sections) > 1
    }
    assert alternatives == {
        "19": ["［例１］", "〔例２〕", "〔例３〕"],
        "20": ["［例１］", "〔例２〕", "〔例３〕"],
        "22": ["［例１］", "［例２］"],
        "51": ["［例１］", "［例2］", "［例３］", "［例４］"],
    }


@pytest.mark.realdata
def test_real_supplement_and_quoted_law(model_readings: list[Reading]) -> None:
    made = records(model_readings)
    assert made["suppl"].title == "施行期日"
    (quoted,) = findings(model_readings, "quoted article")
    assert quoted.place == "page 91, 第３８条"
    assert "第３８条　" in said(made["70"], "commentary")
    assert made["38"].title == "技能・資格手当"


@pytest.mark.realdata
def test_real_commentary_stands_with_the_right_article(model_readings: list[Reading]) -> None:
    made = records(model_readings)
    without = [
        number
        for number, record in made.items()
        if record.attributes["unit"] == "article" and not said(record, "commentary")
    ]
    assert without == []
    assert "１４日" in said(made["6"], "commentary")
    assert made["11"].sections[-1].headings == ("解説（第１０条・第１１条）",)
    assert "インターバル" in said(made["22"], "commentary")
    # What stands in no frame behind the last alternative explains, it does not rule.
    assert "考えられます" not in said(made["22"], "rule")


@pytest.mark.realdata
def test_real_blanks(model_readings: list[Reading]) -> None:
    made = records(model_readings)
    assert f"採用した日から{BLANK}か月間" in said(made["6"])
    counted = {
        number: record.attributes["blanks"] for number, record in made.items() if record.attributes["has_blanks"]
    }
    assert sum(int(str(count)) for count in counted.values()) == 196
    assert len(findings(model_readings, "blank")) == 196
    assert counted["6"] == 1
    assert counted["42"] == 8
    assert counted["50"] == 12
    assert counted["suppl"] == 3
    assert "23" not in counted
    # A value that is filled in as an example is none.
    assert BLANK not in said(made["24"])


@pytest.mark.realdata
def test_real_text_is_all_there_with_no_footer(model_file: Path, model_readings: list[Reading]) -> None:
    with model_file.open("rb") as file:
        pages = list(read_pages(file, name="model"))
    body = [page for page in pages if page.number > 9 or 1 < page.number < 6]
    items = [item for page in body for item in page.flow()]
    on_pages = Counter("".join(map(stripped, items)))
    with model_file.open("rb") as file:
        once = records(list(read_document(file, configured(shared_commentary="first"), sha256=SHA)))
    told = Counter("".join(re.sub(r"\s", "", plain_text(record)) for record in once.values()).replace(BLANK, ""))
    # Headings that became number, title, chapter and section headings; a blank drawn as ＿ became a mark.
    assert on_pages - told - Counter("".join(map(heading_words, items, ["", *map(stripped, items)]))) == Counter("＿")
    for record in records(model_readings).values():
        assert not re.search(r"^\s*-?\s*[0-9０-９]+\s*-\s*$", plain_text(record), re.MULTILINE)
        assert not re.search(r"[-‐] ?[0-9]{2} ?[-‐]", plain_text(record))


def heading_words(item: object, above: str) -> str:
    text = str(getattr(item, "text", ""))
    article = article_heading(text, below_caption=bool(caption_line(above)))
    if article is not None:
        return article.label
    is_heading = chapter_heading(text) or commentary_heading(text) or caption_line(text)
    return stripped(item) if is_heading or supplement_heading(text) is not None else ""


def stripped(item: object) -> str:
    if isinstance(item, PdfTable):
        texts = [cell.text.strip() for cell in item.cells]
        # A calendar's day numbers are left out, and told.
        is_calendar = {*"日月火水木金土"} <= {*texts} and all(
            re.fullmatch(r"[日月火水木金土]|\d*", text) for text in texts
        )
        text = "" if is_calendar else "".join(texts)
    else:
        text = str(getattr(item, "text", ""))
    return re.sub(r"\s", "", text)


@pytest.mark.realdata
def test_real_formulas_are_read_as_fractions(model_readings: list[Reading]) -> None:
    fortieth = texts(records(model_readings)["40"].sections[0])
    assert any(re.search(r"（基本給＋.*）÷１か月の平均所定労働時間数×1\.25×", text) for text in fortieth)
    assert any("｛日給÷" in text and "｝×1.25×" in text for text in fortieth)


@pytest.mark.realdata
def test_real_chunks_hold_one_article_and_one_part(model_readings: list[Reading]) -> None:
    made = records(model_readings)
    for chunk in chunks_of(list(made.values())):
        assert made[chunk.record_id.rsplit("/", 1)[-1]].label in chunk.header
        assert not ("【条文" in chunk.text and "【解説" in chunk.text)
        assert len(chunk.context) + len(chunk.body) <= 400
