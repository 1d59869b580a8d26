"""The body of a document of rules: forms, tables inside an article, what is deleted, pages that are no text."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from rag_assets.corpus.variants import VARIANTS, prepare
from rag_assets.japanese.blanks import BLANK
from rag_assets.model import Record, Table, TextBlock
from rag_assets.sources.base import Finding, Reading
from rag_assets.sources.pdf.pages import PdfPage
from rag_assets.sources.work_rules.lines import passages
from rag_assets.sources.work_rules.reader import read_document, read_passages
from rag_assets.sources.work_rules.source import WorkRulesDocument
from rag_assets_tests.conftest import REPOSITORY
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker
from rag_assets_tests.sources.work_rules.rules_pages import Rules

SHA = "0" * 64
DATED = "この規程は、令和５年４月１日から施行する。"


def configured(**given: object) -> WorkRulesDocument:
    return WorkRulesDocument.model_validate({"key": "ours", "location": "ours.pdf", **given})


def read(pages: Sequence[PdfPage], **given: object) -> list[Reading]:
    return list(read_passages(passages(pages), configured(**given), sha256=SHA))


def records(readings: Sequence[Reading]) -> dict[str, Record]:
    return {reading.number: reading for reading in readings if isinstance(reading, Record)}


def told(readings: Sequence[Reading]) -> list[tuple[str, str, str]]:
    return [(each.kind, each.topic, each.place) for each in readings if isinstance(each, Finding)]


def texts(record: Record) -> list[str]:
    """Its paragraphs in order, a table as its cells."""
    blocks = [block for section in record.sections for block in section.blocks]
    return [
        block.text if isinstance(block, TextBlock) else "｜".join(cell.text for cell in block.cells) for block in blocks
    ]


def leave_rules() -> Rules:
    """Three articles that name two forms, one of them where a line breaks, and a supplement."""
    rules = Rules().line("みほん会社　休暇規程", 8, size=16)
    rules.text("第１条（目的）　この規程は、休みのことを定める。")
    rules.text(
        "第２条（届け）　休もうとする者は、あらかじめ所属する所の長と話し合ったうえで、それぞれ別に定める"
        "様式第１号（以下「届け」という。）により届け出るものとする。"
    )
    rules.text("第３条（診断）　病気のときは、様式第２号による。")
    rules.line("附　則", 4)
    return rules.text("１　" + DATED).text("２　前の規程は、廃止する。")


def form(rules: Rules, heading: str, name: str = "休　暇　届") -> Rules:
    """A form as a page of rules has them."""
    rules.line(heading).line("令和　　年　　月　　日", 25).line("みほん会社　御中").line(name, 15)
    rules.line("氏　　名　　　　　　印", 20).line("次のとおり休みたいので、届け出ます。", 1)
    return rules.line("１．期間　　　年　　月　　日から　　　年　　月　　日まで（　　日間）").line(
        "２．手当　月額　　　　円"
    )


HEADINGS = [
    ("様式第１号（第２条関係）", "様式第１号", "form-1"),
    ("別紙様式第１号", "別紙様式第１号", "form-1"),
    ("別記様式第1号の2（第２条関係）", "別記様式第1号の2", "form-1-2"),
    ("第１号様式（第２条関係）", "第１号様式", "form-1"),
    ("（様式1）", "様式1", "form-1"),
    ("【様式１】", "様式１", "form-1"),
    ("様式第１号　休暇届", "様式第１号", "form-1"),
    ("別記様式", "別記様式", "form"),
    ("別紙１", "別紙１（様式）", "sheet-1"),
]


@pytest.mark.parametrize(("heading", "label", "number"), HEADINGS)
def test_a_form_behind_the_supplement_is_a_record_of_its_own(heading: str, label: str, number: str) -> None:
    readings = read(form(leave_rules().page(), heading).pages())
    made = records(readings)
    assert list(made) == ["1", "2", "3", "suppl", number]
    assert texts(made["suppl"]) == ["１　" + DATED, "２　前の規程は、廃止する。"]
    kept = made[number]
    assert (kept.label, kept.title, kept.attributes["unit"]) == (label, "休暇届", "form")
    assert [section.headings for section in kept.sections] == [("様式",)]
    assert "氏　名　印" in texts(kept)
    assert texts(kept)[-1] == "２．手当　月額　円"
    assert [each for each in told(readings) if each[1] in ("form", "blank")] == [
        ("note", "form", f"page 2, {label.removesuffix('（様式）')}")
    ]
    assert kept.attributes["has_blanks"] is False


@pytest.mark.parametrize("heading", [heading for heading, _, _ in HEADINGS])
def test_no_field_of_a_form_is_the_companys_to_set(heading: str) -> None:
    readings = read(form(form(leave_rules(), heading).page(), "様式第２号", "診断の届け").pages())
    (variant,) = [variant for variant in VARIANTS if variant.name == "prepared_400"]
    chunks = prepare([*records(readings).values()], variant, lambda source: pytest.fail(source))
    assert not any(BLANK in chunk.text for chunk in chunks)
    assert any("様式" in chunk.header and "【様式】" in chunk.text for chunk in chunks)


def test_forms_are_left_out_or_kept_as_the_settings_say() -> None:
    pages = form(form(leave_rules().page(), "様式第１号"), "別紙", "診断の届け").pages()
    readings = read(pages, forms="leave_out")
    assert list(records(readings)) == ["1", "2", "3", "suppl"]
    assert ("note", "form", "page 2, 様式第１号") in told(readings)
    drawn = leave_rules().page().line("様式第１号（第２条関係）").pages()
    assert [each[:2] for each in told(read(drawn)) if each[0] == "fault"] == [("fault", "heading without text")]
    assert not [each for each in told(read(drawn, forms="leave_out")) if each[0] == "fault"]
    kept = records(read(pages, forms="keep"))
    assert [(kept[number].label, kept[number].sections[0].headings) for number in ("form-1", "sheet")] == [
        ("様式第１号", ()),
        ("別紙", ()),
    ]


def test_several_forms_on_a_page_and_one_over_two_pages() -> None:
    rules = form(form(leave_rules().page(), "様式第１号"), "様式第２号", "診断の届け")
    rules.page().line("様式第２号（裏面）").line("書き方は総務課に尋ねること。")
    rules.page().line("病名　　　　　　　　")
    made = records(read(rules.pages()))
    assert list(made)[4:] == ["form-1", "form-2"]
    assert texts(made["form-2"])[-3:] == ["様式第２号（裏面）", "書き方は総務課に尋ねること。", "病名"]


def test_forms_between_the_articles_and_the_supplement() -> None:
    rules = Rules().text("第１条（目的）　この規程は、休みのことを定める。").text("第２条（届け）　様式による。").page()
    form(rules, "様式第１号（第２条関係）").page().line("附　則", 4).text(DATED)
    made = records(read(rules.pages()))
    assert list(made) == ["1", "2", "form-1", "suppl"]
    assert texts(made["suppl"]) == [DATED]


def test_a_form_that_is_one_table() -> None:
    rules = leave_rules().page().table(("様式第１号\n休暇届", ""), ("氏　名", ""), ("期間", "　　年　　月　　日から"))
    made = records(read(rules.pages()))
    assert (made["form-1"].title, made["form-1"].attributes["blanks"]) == ("休暇届", 0)
    assert isinstance(made["form-1"].sections[0].blocks[0], Table)


def test_the_first_row_of_a_forms_grid_heads_nothing() -> None:
    rules = leave_rules().page().line("様式第１号").table(("申請の日", "氏名", "所属"), ("金額", "期間", "理由"))
    (table,) = [
        block for block in records(read(rules.pages()))["form-1"].sections[0].blocks if isinstance(block, Table)
    ]
    assert not any(cell.heading for cell in table.cells)


def test_a_form_without_a_number_on_a_page_of_its_own() -> None:
    rules = leave_rules().page().line("休　暇　届", 15).line("令和　　年　　月　　日", 25).line("みほん会社　御中")
    rules.line("氏　名　　　　　印").page().line("診断の届出書", 15).line("　年　　月　　日", 25).line("氏　名　　　印")
    made = records(read(rules.pages()))
    assert [(made[number].label, made[number].title) for number in list(made)[4:]] == [
        ("様式", "休暇届"),
        ("様式", "診断の届出書"),
    ]


def test_articles_of_a_contract_to_fill_in_are_no_articles_of_the_rules() -> None:
    rules = leave_rules().page().line("別紙様式第１号").line("働く約束の契約書", 15).line("氏　名　　　　印")
    for number in "１２４５":
        rules.text(f"第{number}条（約束）　その日は　　年　　月　　日とする。")
    readings = read(rules.pages())
    made = records(readings)
    assert list(made) == ["1", "2", "3", "suppl", "form-1"]
    assert not [each for each in told(readings) if each[0] == "fault"]
    assert "第５条（約束）　その日は　年　月　日とする。" in texts(made["form-1"])


def test_a_sheet_that_is_no_form_stays_an_appendix() -> None:
    rules = (
        leave_rules()
        .page()
        .line("別紙１")
        .text("この規程は、次の者には当てはめない。")
        .line("（１）　社長　　（２）　部長")
    )
    made = records(read(rules.pages()))
    assert (made["sheet-1"].label, made["sheet-1"].attributes["unit"]) == ("別紙１", "appendix")


def test_a_list_of_forms_inside_an_article_is_text() -> None:
    rules = (
        Rules()
        .text("第１条（届け）　届けは、次の様式による。")
        .line("様式第１号　休暇届", 1)
        .line("様式第２号　診断の届け", 1)
    )
    rules.text("第２条（委任）　このほかは、別に定める。").page()
    readings = read(form(rules, "様式第１号").pages())
    assert texts(records(readings)["1"])[1:] == ["様式第１号　休暇届", "様式第２号　診断の届け"]
    assert list(records(readings)) == ["1", "2", "form-1"]
    assert not [each for each in told(readings) if each[0] == "fault"]


ROWS = (("年数", "日数"), ("１年", "１０日"), ("２年", "１２日"))
CELLS = "年数｜日数｜１年｜１０日｜２年｜１２日"


@pytest.mark.parametrize("caption", ["別表一", "別表", "（別表第１）", "【別表】", "別表第１（第２条関係）"])
@pytest.mark.parametrize(("two", "three"), [("２　", "３　"), ("２．", "３．"), ("２. ", "３. ")])
def test_a_table_between_two_paragraphs_stays_in_its_article(caption: str, two: str, three: str) -> None:
    rules = Rules().text("第１条（目的）　休みのことを定める。").text("第２条（休み）　次の休みを与える。")
    rules.text(f"{two}その日数は、次の別表のとおりとする。").line(caption, 1).table(*ROWS)
    rules.line("（注）年数は、４月１日で数える。", 1).text(f"{three}休みは、半日でもよい。")
    made = records(read(rules.line("附　則", 4).text(DATED).pages()))
    assert list(made) == ["1", "2", "suppl"]
    assert texts(made["2"])[2:5] == [caption, CELLS, "（注）年数は、４月１日で数える。"]
    assert texts(made["2"])[5].endswith("休みは、半日でもよい。")


def test_a_table_between_items_and_one_before_the_next_article_stay_in_their_article() -> None:
    rules = Rules().text("第１条（休み）　次の休みを与える。").line("①　年次の休み", 1).line("別表第１", 1).table(*ROWS)
    rules.line("②　病気の休み", 1).text("第２条（手当）　別表第２の手当を払う。").line("別表第２", 1).table(*ROWS)
    made = records(read(rules.text("第３条（委任）　このほかは、別に定める。").pages()))
    assert list(made) == ["1", "2", "3"]
    assert texts(made["1"])[1:] == ["①　年次の休み", "別表第１", CELLS, "②　病気の休み"]
    assert texts(made["2"])[1:] == ["別表第２", CELLS]


@pytest.mark.parametrize("below", ["３　休みは、半日でもよい。", "第３条（委任）　このほかは、別に定める。"])
def test_a_caption_whose_table_is_a_picture_is_a_fault(below: str) -> None:
    rules = Rules().text("第１条（目的）　休みのことを定める。").text("第２条（休み）　次の休みを与える。")
    readings = read(rules.text("２　その日数は、次の別表のとおりとする。").line("別表第１", 1).text(below).pages())
    assert told(readings) == [("fault", "heading without text", "page 1, 別表第１")]
    assert texts(records(readings)["2"])[2] == "別表第１"


def test_an_appendix_behind_the_last_article_or_the_supplement_is_a_record_of_its_own() -> None:
    rules = Rules().text("第１条（休み）　別表のとおり休みを与える。").text("２　休みは、半日でもよい。")
    rules.line("別表第１").table(*ROWS).text("１　年数は、４月１日で数える。").text("２　端数は、切り捨てる。")
    rules.line("附　則", 4).text(DATED).line("別表第２").table(*ROWS)
    made = records(read(rules.pages()))
    assert list(made) == ["1", "table-1", "suppl", "table-2"]
    assert len(texts(made["table-1"])) == 3


def test_what_is_deleted_is_told_and_no_fault() -> None:
    rules = Rules().line("第１章　総則", size=12).text("第１条（目的）　休みのことを定める。").text("第２条 （削除）")
    rules.line("第２章　削除", size=12).text("第３条から第５条まで　削除").line("第３章　雑則", size=12)
    rules.text("第６条（委任）　このほかは、別に定める。").line("第７条").line("削除", 1).line("附　則", 4)
    rules.text("１　" + DATED).text("附則第２項　削除").text("３　前の規程は、廃止する。")
    rules.line("別表第１　削除").line("別表第２及び別表第３　削除").line("別表第４（第６条関係）").line("削除", 1)
    readings = read(rules.line("様式第２号　削除").line("別表第５").table(*ROWS).pages())
    made = records(readings)
    assert list(made) == ["1", "6", "suppl", "table-5"]
    assert made["6"].chapter == ("第３章　雑則",)
    assert texts(made["suppl"]) == ["１　" + DATED, "３　前の規程は、廃止する。"]
    assert sorted(topic + place.removeprefix("page 1,") for kind, topic, place in told(readings) if kind == "note") == [
        "deleted appendix 別表第１",
        "deleted appendix 別表第２及び別表第３",
        "deleted appendix 別表第４",
        "deleted appendix 様式第２号",
        "deleted article 第２条",
        "deleted article 第３条から第５条まで",
        "deleted article 第７条",
        "deleted chapter 第２章",
        "deleted supplement 附則第２項",
    ]
    assert not [each for each in told(readings) if each[0] == "fault"]


def test_a_vertical_form_and_a_picture_page_cost_these_pages_only() -> None:
    maker = PdfMaker()
    maker.lines("第１条（目的）　休みのことを定める。", "第２条（届け）　様式による。", "附　則", DATED)
    maker.page_break()
    maker.vertical(500, 100, "別記様式　休暇届")
    maker.vertical(480, 100, "みほん会社社長殿に次のとおり休みを届け出ます")
    maker.page_break()
    maker.picture(30, 30, 565, 780)
    maker.page_break()
    maker.lines("別表第１", "年数による休みの日数は、働いた年ごとに一日とする。")
    readings = list(read_document(maker.file(), configured(), sha256=SHA))
    assert list(records(readings)) == ["1", "2", "suppl", "table-1"]
    assert told(readings) == [("fault", "picture page", "page 3"), ("note", "vertical page", "page 2")]


@pytest.fixture
def cases() -> Path:
    folder = (REPOSITORY / "../shared/cases").resolve()
    if not folder.is_dir():
        pytest.skip("the cases (../shared/cases beside the checkout) are not here")
    return folder


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("vertical_form_page", ["1", "2", "3", "4", "5", "6", "7", "suppl"]),
        ("forms_after_supplement", ["1", "2", "3", "4", "suppl", "suppl-2", "suppl-3", "form-1", "form-2"]),
        ("table_inside_article", ["1", "2", "3"]),
        ("paragraph_glued", ["1", "2", "3"]),
        ("deleted_appendix", ["1", "2", "4", "suppl", "suppl-2", "table-2"]),
    ],
)
def test_the_cases(cases: Path, name: str, numbers: list[str]) -> None:
    with (cases / f"{name}.pdf").open("rb") as file:
        readings = list(read_document(file, configured(), sha256=SHA))
    made = records(readings)
    assert list(made) == numbers
    assert not [each for each in told(readings) if each[0] == "fault" or each[1] == "blank"]
    second = texts(made["2"])
    if name == "paragraph_glued":
        assert [text[:2] for text in second] == ["この", "２．"]
    if name == "table_inside_article":
        assert [text[:2] for text in second] == ["会社", "２．", "別表", "勤続", "３．", "別表", "週の", "４．", "５．"]
