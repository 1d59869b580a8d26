"""The head of documents of rules, as PDFs: title, dates, and what of them stands beside a chapter."""

import datetime
from collections.abc import Sequence
from pathlib import Path

import pytest

from rag_assets.model import Record, TextBlock
from rag_assets.sources.base import Finding, Reading
from rag_assets.sources.pdf.pages import read_pages
from rag_assets.sources.work_rules.lines import passages
from rag_assets.sources.work_rules.reader import read_document, read_passages
from rag_assets.sources.work_rules.source import WorkRulesDocument
from rag_assets_tests.sources.pdf.pdf_maker import WIDTH, PdfMaker

SHA = "0" * 64
TODAY = datetime.date(2026, 4, 1)
BODY = (
    "（目的）",
    "第１条　この規程は、みほん会が持つ備品を貸し出すときに守ることを定め、貸出しが滞りな",
    "く行われることを目的とする。",
    "（貸出し）",
    "第２条　備品は、係の者に申し出て借りる。",
    "（返却）",
    "第３条　備品は、借りた日から７日の間に返す。",
)
CHAPTERS = (
    "第１条（目的）　この規則は、みほん社の社員が守ることと働く条件とを定め、社員が安心して働",
    "くことができるようにする。",
    "第２条（社員）　社員とは、試験を経て雇われた者をいう。",
    "第２章　休　み",
    "第３条（休日）　休日は、日曜日とする。",
)
TITLE = ("center", "みほん会備品貸出規程", 12.5)


def right(*texts: str) -> list[tuple[str, str, float]]:
    return [("right", text, 10.5) for text in texts]


def left(*texts: str) -> list[tuple[str, str, float]]:
    return [("left", text, 10.5) for text in texts]


def read(
    *head: tuple[str, str, float], body: Sequence[str] = BODY, behind: Sequence[str] = (), **given: object
) -> list[Reading]:
    """Readings of a document with a head set as told, a body and what follows it."""
    maker, top = PdfMaker(), 70.0
    for place, text, size in head:
        width = sum(0.5 if character.isascii() else 1.0 for character in text) * size
        maker.text({"left": 85.0, "center": (WIDTH - width) / 2, "right": 505 - width}[place], top, text, size)
        top += 18
    maker.lines(*body, *behind, x=85, top=top + 12, size=10.5, pitch=17)
    return _read(maker, **given)


def _read(maker: PdfMaker, **given: object) -> list[Reading]:
    settings = WorkRulesDocument.model_validate({"key": "ours", "location": "ours.pdf", **given})
    found = passages(read_pages(maker.file(), name="ours.pdf"))
    return list(read_passages(found, settings, sha256=SHA, today=lambda: TODAY))


def records(readings: Sequence[Reading]) -> list[Record]:
    return [reading for reading in readings if isinstance(reading, Record)]


def told(readings: Sequence[Reading], topic: str) -> list[str]:
    return [reading.quote for reading in readings if isinstance(reading, Finding) and reading.topic == topic]


def as_of(readings: Sequence[Reading]) -> tuple[str, str] | None:
    """Label and date, which all records share."""
    (shared,) = {record.as_of for record in records(readings)}
    return (shared.label, str(shared.date)) if shared else None


@pytest.mark.parametrize(
    ("head", "label"),
    [
        (right("平成22年4月7日　制定", "平成25年10月2日　一部改正", "令和3年9月13日　全部改正"),
         "令和3年9月13日 全部改正"),
        (left("制定　平成22年4月7日", "最終改正　令和3年9月13日"), "令和3年9月13日 改正"),
        (right("制定 平成22年4月7日　改正 平成25年10月2日　改正 令和3年9月13日"), "令和3年9月13日 改正"),
        (right("平成22年 4月 7日", "改正", "平成25年10月 2日", "令和 3年 9月13日"), "令和3年9月13日 改正"),
        (right("平成22年4月7日", "制定", "令和3年9月13日", "改正"), "令和3年9月13日 改正"),
        (left("（平成22年4月7日規程第12号）", "改正　平成25年10月2日規程第38号、平成31年3月20日規程第9号、令和3年9",
              "月13日規程第27号"), "令和3年9月13日 改正"),
        (right("令和3年9月13日一部改正（令和3年10月1日施行）"), "令和3年9月13日 一部改正"),
        (right("平成二十二年四月七日　制定", "令和三年九月十三日　改正"), "令和三年九月十三日 改正"),
        (right("制定 H22.4.7", "改訂 R3-9-13"), "R3-9-13 改訂"),
        (right("平成22（2010）年4月7日制定", "令和3（2021）年9月13日改正"), "令和3（2021）年9月13日 改正"),
        (right("平成22年4月7日　理事会決定", "令和3年9月13日　理事会改正"), "令和3年9月13日 改正"),
        (right("平成22年4月7日制定", "令和3年9月13日改正", "令和50年4月1日施行"), "令和3年9月13日 改正"),
        (right("令和3年9月13日"), "令和3年9月13日"),
        (right("平成22年4月7日規程第12号", "改正　令和元年10月2日第38号　同3年9月13日第27号"), "令和3年9月13日 改正"),
        (right("昭和五十年四月一日", "規則第三号", "改正　令和元年十月二日規則第四号", "同　三年九月十三日規則第九号"),
         "令和三年九月十三日 改正"),
        (left("Ver.1.0　2010年4月7日", "Ver.2.1　2021年9月13日"), "2021年9月13日 Ver.2.1"),
        (right("2010ー04ー07制定", "2021ー09ー13改訂"), "2021ー09ー13 改訂"),
        (right("平成22年4月7日制定", "令和3年9月13日改正", "令和8年3月1日改正、翌年4月1日施行"), "令和3年9月13日 改正"),
        (left("平成22年4月7日　取締役会決議", "令和3年9月13日　取締役会決議"), "令和3年9月13日"),
    ],
)  # fmt: skip
def test_the_last_amendment_dates_the_records_however_the_head_is_set(
    head: list[tuple[str, str, float]], label: str
) -> None:
    readings = read(TITLE, *head)
    assert as_of(readings) == (label, "2021-09-13")
    made = records(readings)
    assert [(record.number, record.title, record.document) for record in made] == [
        ("1", "目的", "みほん会備品貸出規程"),
        ("2", "貸出し", "みほん会備品貸出規程"),
        ("3", "返却", "みほん会備品貸出規程"),
    ]
    assert made[0].attributes["edition"] == label
    first = made[0].sections[0].blocks[0]
    assert isinstance(first, TextBlock)
    assert first.text.startswith("この規程は、")
    (cover,) = told(readings, "cover")
    assert all("".join(text.split())[:4] in "".join(cover.split()) for _, text, _ in head)


def test_dates_above_the_title_and_beside_it() -> None:
    assert as_of(read(*right("令和3年9月13日改正"), TITLE)) == ("令和3年9月13日 改正", "2021-09-13")
    readings = read(*left("みほん会備品貸出規程　　　　　　　　令和3年9月13日改正"))
    assert as_of(readings) == ("令和3年9月13日 改正", "2021-09-13")
    assert records(readings)[0].document == "みほん会備品貸出規程"


@pytest.mark.parametrize("mark", ["（令和3年9月13日改正）", "（平成22年規程第12号）"])
def test_a_bracket_of_the_head_is_no_caption_of_the_first_article(mark: str) -> None:
    body = [line for line in BODY if not line.startswith("（")]
    first, *_ = records(read(TITLE, *right("令和3年9月13日改正"), *left(mark), body=body))
    assert first.title.startswith("この規程は、")
    assert first.as_of is not None
    assert str(first.as_of.date) == "2021-09-13"


def test_dates_above_a_preamble_are_no_part_of_it() -> None:
    words = "みほん会は、備品を長く使うことを願い、この規程を定める。"
    readings = read(*left("備品規程", "平成22年4月1日制定", "令和3年9月13日改定", words))
    preface = records(readings)[0]
    assert preface.number == "preface"
    assert [block.text for block in preface.sections[0].blocks if isinstance(block, TextBlock)] == [words]
    assert as_of(readings) == ("令和3年9月13日 改定", "2021-09-13")


@pytest.mark.parametrize(
    ("lines", "label", "document"),
    [
        (["第１章　総　則　　　　　　就業規則　　2021年 9月13日 改定"], "2021年9月13日 改定", "就業規則"),
        (["第１章　総則（令和3年9月13日改正）"], "令和3年9月13日 改正", "就業規則"),
        (["第１章　総則　　　　　　賃金規程　令和3年9月13日"], "令和3年9月13日", "賃金規程"),
        (
            ["第１章　総則", "　　　　　　　　　　　　　　　　賃金規程　令和3年9月13日制定"],
            "令和3年9月13日 制定",
            "賃金規程",
        ),
    ],
)
def test_title_and_date_beside_the_first_chapter_are_the_heads(lines: list[str], label: str, document: str) -> None:
    readings = read(body=(*lines, *CHAPTERS))
    assert as_of(readings) == (label, "2021-09-13")
    assert [(record.number, record.chapter, record.document) for record in records(readings)] == [
        ("1", ("第１章　総則",), document),
        ("2", ("第１章　総則",), document),
        ("3", ("第２章　休み",), document),
    ]
    assert len(told(readings, "cover")) == 1


def test_a_larger_chapter_line_with_smaller_words_beside_it() -> None:
    maker = PdfMaker()
    maker.text(130, 95, "第１章　総　則", 15)
    maker.text(290, 99, "賃金規則　2021年9月１3日　制定", 10.5)
    maker.lines(*CHAPTERS, x=85, top=121, size=10.5, pitch=17)
    readings = _read(maker)
    assert as_of(readings) == ("2021年9月１3日 制定", "2021-09-13")
    assert records(readings)[0].chapter == ("第１章　総則",)
    assert records(readings)[0].document == "賃金規則"


def test_a_table_of_editions_on_the_cover() -> None:
    maker = PdfMaker()
    maker.text(200, 200, "備品規程", 24)
    columns, rows = [150.0, 250.0, 350.0, 450.0], [400.0, 420.0, 440.0, 460.0]
    maker.grid(columns, rows)
    cells = (
        ("版", "改定日", "内容"),
        ("第1版", "2010年4月7日", "新規作成"),
        ("第2版", "2021年9月13日", "返却の条を見直した。"),
    )
    for row, texts in zip(rows, cells, strict=False):
        for column, text in zip(columns, texts, strict=False):
            maker.text(column + 4, row + 4, text, 9)
    maker.page_break()
    maker.lines("第１章　総則", *CHAPTERS, x=85, size=10.5, pitch=17)
    readings = _read(maker)
    assert as_of(readings) == ("2021年9月13日 改定", "2021-09-13")
    assert "返却の条を見直した。" in told(readings, "cover")[0]


@pytest.mark.parametrize(
    ("lines", "document"),
    [
        (["令和７年４月１日に開設するみほん図書館分館の", "分館長の選考及び任期並びに職務の代行の特例を定める", "規程"],
         "令和７年４月１日に開設するみほん図書館分館の分館長の選考及び任期並びに職務の代行の特例を定める規程"),
        (["みほん会における備品の貸出し及び返却の手続並びに", "貸出委員会の組織に関する規程"],
         "みほん会における備品の貸出し及び返却の手続並びに貸出委員会の組織に関する規程"),
        (["みほん株式会社", "就　業　規　則"], "みほん株式会社　就業規則"),
        (["就業規則（パートタイマー用）"], "就業規則（パートタイマー用）"),
        (["みほん社就業規則（令和3年9月13日改正）"], "みほん社就業規則"),
    ],
)  # fmt: skip
def test_a_title_over_several_lines_is_one_name(lines: list[str], document: str) -> None:
    readings = read(*[("center", line, 14.0) for line in lines], *right("令和3年9月13日"))
    assert {record.document for record in records(readings)} == {document}
    dated = as_of(readings)
    assert dated is not None
    assert dated[1] == "2021-09-13"


def test_supplements_tell_where_the_head_does_not() -> None:
    behind = []
    for day in ("平成22年4月1日", "令和三年九月十三日", "令和50年4月1日"):
        behind += ["附　則", f"この規程は、{day}から施行する。"]
    readings = read(TITLE, behind=behind)
    assert as_of(readings) == ("令和三年九月十三日施行", "2021-09-13")
    assert told(readings, "not yet in force") == ["令和50年4月1日施行"]
    (waits,) = [reading for reading in readings if isinstance(reading, Finding) and reading.review_on]
    assert waits.review_on == datetime.date(2068, 4, 1)


def test_a_document_without_any_date_has_none() -> None:
    assert as_of(read(TITLE)) is None


def test_calendars_that_contradict_each_other_date_nothing_and_are_told() -> None:
    readings = read(TITLE, *right("平成22年4月7日制定", "令和3（2020）年9月13日改正"))
    assert as_of(readings) is None
    assert told(readings, "date that cannot be") == ["令和3（2020）年9月13日"]


@pytest.mark.parametrize(
    ("edition", "label", "day"),
    [("第3版", "令和3年9月13日 改正", "2021-09-13"), ("令和4年11月版", "令和4年11月版", "2022-11-01")],
)
def test_an_edition_of_the_settings_dates_where_it_tells_a_date(edition: str, label: str, day: str) -> None:
    readings = read(TITLE, *right("令和3年9月13日改正"), edition=edition)
    assert records(readings)[0].attributes["edition"] == edition
    assert as_of(readings) == (label, day)


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "document", "day"),
    [
        ("asof_last_amendment", "みほん大学備品貸出委員会規程", "2021-09-13"),
        ("asof_bare_list", "みほん大学標本室利用規程", "2022-11-16"),
        ("chapter_line_with_title_and_date", "就業規則", "2024-07-01"),
        ("two_line_title",
         "令和７年４月に開設するみほん大学附属図書館分館の長となる者の選考における特例に関する規程", "2024-11-20"),
        ("two_line_title_short_first",
         "令和７年４月に開設するみほん大学附属分館の長等の選考における特例に関する規程", "2024-11-20"),
    ],
)  # fmt: skip
def test_the_cases(realdata: Path, name: str, document: str, day: str) -> None:
    file = realdata.parent / "cases" / f"{name}.pdf"
    if not file.exists():
        pytest.skip("the cases (../shared/cases beside the checkout) are not here")
    with file.open("rb") as opened:
        settings = WorkRulesDocument(key="case", location=file.name)
        made = records(list(read_document(opened, settings, sha256=SHA)))
    assert {(record.document, str(record.as_of and record.as_of.date)) for record in made} == {(document, day)}
