from hypothesis import given

from rag_assets.corpus.digits import with_digits
from rag_assets.corpus.record_text import record_text
from rag_assets.model import Record, Table, TextBlock
from rag_assets_tests.strategies import record, records, section, table


def _record() -> Record:
    return record(
        [
            section(
                "三年の期間",
                "一週間について四十時間とする。",
                TextBlock(kind="item", text="一　三箇月", depth=1),
                table("区分｜日数", "六年以上｜十労働日", caption="十日の表"),
            )
        ],
        title="五年の時効",
    ).model_copy(update={"chapter": ("二年の章",), "question": "三日ですか", "label": "第三年"})


def test_text_and_cells_get_their_digits() -> None:
    found = with_digits(_record()).sections[0].blocks
    assert [block.text for block in found if isinstance(block, TextBlock)] == [
        "一週間（1週間）について四十時間（40時間）とする。",
        "一　三箇月（3か月）",
    ]
    cells = next(block for block in found if isinstance(block, Table)).cells
    assert [cell.text for cell in cells] == ["区分", "日数", "六年（6年）以上", "十労働日（10労働日）"]


def test_names_stay_as_they_are() -> None:
    before, after = _record(), with_digits(_record())
    assert after.model_dump(exclude={"sections"}) == before.model_dump(exclude={"sections"})
    assert after.sections[0].headings == ("三年の期間",)
    assert [block.caption for block in after.sections[0].blocks if isinstance(block, Table)] == ["十日の表"]


@given(records())
def test_records_without_kanji_numbers_are_unchanged(given_record: Record) -> None:
    assert record_text(with_digits(given_record)) == record_text(given_record)
