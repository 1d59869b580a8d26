"""Which stretch of a document's plain text belongs to which of its records."""

import itertools
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.corpus.tracing import SpanOwners, trace_records
from rag_assets.model import Span
from rag_assets_tests.strategies import record, section

MEAL = record(
    [section("概要", "食事を支給したときは、半分以上を負担していれば課税されません。")], number="1", title="食事"
)
STAMP = record([section("概要", "印紙税を納めなかったときは、三倍の過怠税がかかります。")], number="2", title="印紙")
PAGE = """\
手引き
目次
No.1 食事 …… 1
No.2 印紙 …… 2
No.1　食事
概要
食事を支給したときは、半分以上を
- 1 -
負担していれば課税されません。
No.2　印紙
概要
印紙税を納めなかったときは、
三倍の過怠税がかかります。
- 2 -
"""


def said(text: str, spans: Sequence[Span]) -> list[tuple[str, str]]:
    return [(span.record_id.rpartition("/")[2], "".join(text[span.start : span.end].split())) for span in spans]


def test_titles_and_text_belong_to_their_record_and_page_furniture_to_none() -> None:
    assert said(PAGE, trace_records(PAGE, [MEAL, STAMP])) == [
        ("1", "No.1食事概要食事を支給したときは、半分以上を"),
        ("1", "負担していれば課税されません。"),
        ("2", "No.2印紙概要印紙税を納めなかったときは、三倍の過怠税がかかります。"),
    ]


def test_other_forms_of_characters_are_the_same_words() -> None:
    text = PAGE.replace("No.1　食事", "Ｎｏ．１ 食事").replace("課税", "課\u3000税")
    assert [name for name, _ in said(text, trace_records(text, [MEAL, STAMP]))] == ["1", "1", "2"]


def test_rows_on_one_line_go_to_their_records() -> None:
    text = "品目,区分 鏡台,粗大ごみ 乾電池,有害ごみ"
    rows = [
        record([section("", words)], number=str(at), title=words[:2])
        for at, words in enumerate(("鏡台 粗大ごみ", "乾電池 有害ごみ"))
    ]
    assert [name for name, _ in said(text, trace_records(text, rows))] == ["0", "1"]


def test_links_beside_the_words_of_a_record_do_not_hide_it() -> None:
    text = "## 申請\n- [経費の精算のしかた](https://www.example.jp/a/very/long/address/of/a/page/that/nobody/reads)"
    of = record([section("申請", "経費の精算のしかた")], number="1", title="申請")
    assert [name for name, _ in said(text, trace_records(text, [of]))] == ["1"]


def test_a_document_without_any_of_their_words_has_no_spans() -> None:
    assert trace_records("\n12\n- 13 -\n", [MEAL]) == ()
    assert trace_records("", [MEAL]) == trace_records(PAGE, []) == ()


sentences = st.lists(
    st.text("あいうえおかきくけこ税法給与控除申告納付書類期限東京年月日", min_size=12, max_size=60),
    min_size=1,
    max_size=5,
    unique=True,
)


@settings(max_examples=60)
@given(st.lists(sentences, min_size=1, max_size=6, unique_by=lambda found: found[0]), st.data())
def test_every_record_is_found_where_it_stands(bodies: list[list[str]], data: st.DataObject) -> None:
    """Records whose titles and sentences are their own, laid out with page numbers between the lines."""
    records, lines, owners = [], ["表紙"], [""]
    for number, body in enumerate(bodies):
        marked = [f"{number}{at}番目、{words}" for at, words in enumerate(body)]
        records.append(record([section("", *marked)], number=str(number), title=f"題名その{number}"))
        for line in (f"No.{number} 題名その{number}", *marked):
            if data.draw(st.booleans()):
                lines.append(f"- {len(lines)} -")
                owners.append("")
            lines.append(line)
            owners.append(records[-1].record_id)
    text = "\n".join(lines)
    spans = trace_records(text, records)
    assert all(one.end <= other.start for one, other in itertools.pairwise(spans))
    start = 0
    for line, owner in zip(lines, owners, strict=True):
        here = {span.record_id for span in spans if span.start < start + len(line) and span.end > start}
        assert here == ({owner} if owner else set())
        start += len(line) + 1


def test_a_passage_goes_by_the_record_it_holds_most_of() -> None:
    owners = SpanOwners(PAGE, trace_records(PAGE, [MEAL, STAMP]))
    across = PAGE[PAGE.index("課税されません") : PAGE.index("三倍")]
    assert owners.find_in_passage(across) == [STAMP.record_id, MEAL.record_id]
    assert owners.find_in_passage(PAGE[: PAGE.index("No.1　食事")]) == []


def test_a_passage_that_was_read_otherwise_is_found_by_its_words() -> None:
    owners = SpanOwners(PAGE, trace_records(PAGE, [MEAL, STAMP]))
    assert owners.find_in_passage("食事を支給したときは、半分以上を ｜ 負担していれば、、課税されません。") == [
        MEAL.record_id
    ]
    assert owners.find_in_passage("まったく別の話です。") == []
    assert owners.find_in_passage("") == []
