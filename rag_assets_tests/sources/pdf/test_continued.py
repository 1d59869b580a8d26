import pytest

from rag_assets.corpus.table_text import readable_rows
from rag_assets.sources.pdf.pages import is_continuation_mark
from rag_assets_tests.sources.pdf.pay_tables import tables_of
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker

HEADING = ("名称", "事由", "期間")
Cells = tuple[str, str, str]


def rows(first: list[Cells], second: list[Cells], *, closed: bool = True) -> list[str]:
    maker = PdfMaker()
    maker.text(80, 30, "第１条　休暇は次の表による。")
    xs = [80.0, 160.0, 262.0, 364.0]
    for number, texts in enumerate((first, second)):
        if number:
            maker.page_break()
        y = 100.0
        maker.rule(xs[0], y, xs[-1], y)
        for position, row in enumerate(texts):
            for x, text in zip(xs, row, strict=False):
                maker.lines(*filter(None, text.split("/")), x=x + 1, top=y + 3, pitch=14)
            y += 8 + 14 * max(len(text.split("/")) for text in row)
            if closed or number or position < len(texts) - 1:
                maker.rule(xs[0], y, xs[-1], y)
        for x in xs:
            maker.rule(x, 100, x, y)
    (table,) = tables_of(maker)
    return [row.text for row in readable_rows(table)]


@pytest.mark.parametrize(
    ("above", "below", "joined"),
    [
        (
            ("一　介護", "家族の世話をするため", "５日"),
            ("", "休むことが必要な場合", ""),
            "家族の世話をするため休むことが必要な場合",
        ),
        (("一　介護", "家族の入院、", "５日"), ("", "通院の場合", ""), "家族の入院、通院の場合"),
        (
            ("一　介護", "家族が入院する場合で", "５日"),
            ("", "、付き添うとき", ""),
            "家族が入院する場合で、付き添うとき",
        ),
    ],
)
def test_a_row_that_the_page_breaks_is_one_row(above: Cells, below: Cells, joined: str) -> None:
    found = rows([HEADING, above], [below, ("二　忌引", "親族の死亡", "７日")])
    assert found == [f"名称：一　介護｜事由：{joined}｜期間：５日", "名称：二　忌引｜事由：親族の死亡｜期間：７日"]


def test_a_row_that_no_rule_closes_goes_on() -> None:
    found = rows(
        [HEADING, ("一　介護", "家族の", "５日")], [("", "世話", ""), ("二　忌引", "死亡", "７日")], closed=False
    )
    assert found[0] == "名称：一　介護｜事由：家族の世話｜期間：５日"


def test_rows_of_a_group_that_goes_on_stay_rows_and_have_its_name() -> None:
    found = rows(
        [HEADING, ("一　介護", "本人の場合", "５日")], [("", "家族の場合", "３日"), ("二　忌引", "死亡", "７日")]
    )
    assert found == [
        "名称：一　介護｜事由：本人の場合｜期間：５日",
        "名称：一　介護｜事由：家族の場合｜期間：３日",
        "名称：二　忌引｜事由：死亡｜期間：７日",
    ]


def test_marks_of_what_goes_on() -> None:
    assert all(map(is_continuation_mark, ("（続き）", "別表第１（続き）", "（単位：円）", "単位　千円")))
    assert not any(map(is_continuation_mark, ("別表第２", "第３条　続きは別に定める。", "備考")))
