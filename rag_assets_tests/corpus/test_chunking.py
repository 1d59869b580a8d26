import re
import time
from itertools import pairwise, takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_assets.corpus.chunking import CONTINUED, Cut, Cutting, content_ids, cut_record, joined
from rag_assets.corpus.record_text import lines_of, record_text, section_title
from rag_assets.japanese.sentences import may_part, tokens
from rag_assets.model import Part, Record, Section, TextBlock
from rag_assets_tests.strategies import lines, record, records, section, table

_LIMITS = st.integers(50, 400) | st.integers(400, 2000)

_SENTENCE = "役員や使用人に支給する食事は、次の要件を満たすとき給与として課税されません。"

ADVERSARIAL = {
    "a line without any mark": record([section("概要", "税" * 5000)]),
    "a token over the limit": record([section("概要", "前" * 30, "x" * 3000, "後" * 30)]),
    "a token over the limit inside a line": record([section("概要", "前置き" + "9" * 2500 + "後置き")]),
    "one enormous cell": record([section("税率", table("区分｜税率", f"協同組合等｜{_SENTENCE * 200}", "甲｜乙"))]),
    "an enormous first cell": record([section("税率", table("区分｜税率", f"{_SENTENCE * 100}｜15%", "甲｜乙"))]),
    "an enormous column heading": record([section("税率", table(f"区分｜{'率' * 3000}", "甲｜乙"))]),
    "an enormous caption": record([section("税率", table("区分｜率", "甲｜乙", "丙｜丁", caption="表" * 2500))]),
    "a caption near the limit": record([section("税率", table("区分｜率", f"甲｜{'乙' * 300}", caption="表" * 190))]),
    "a row of many fields": record([section("表", table("｜".join(["年"] * 400), "｜".join(["1"] * 400)))]),
    "no body text": record([Section(headings=("概要",), blocks=())]),
    "no heading and nothing else": record([Section(headings=(), blocks=())]),
    "empty sections only": record([Section(headings=(f"見出し{n}",), blocks=()) for n in range(200)]),
    "empty sections between": record([section("甲"), section(("甲", "乙")), section("丙", _SENTENCE), section("丁")]),
    "a heading over the limit": record([section("見出し" * 900, _SENTENCE * 3, "続き" * 300), section("次", "文。")]),
    "a deep path over the limit": record([section(tuple(f"段{n}" * 20 for n in range(60)), *[_SENTENCE] * 30)]),
    "ten thousand sentences in a line": record([section("概要", _SENTENCE * 10_000)]),
    "ten thousand sentences, a line each": record([section("概要", *[_SENTENCE] * 10_000)]),
    "one character a line": record([section("概要", *["税"] * 3000)]),
    "blanks": record([section("概要", "　" * 1500 + "税" + " " * 1500)]),
    "brackets that never close": record([section("概要", "（" * 1000 + "税。" * 1000)]),
    "full stops only": record([section("概要", "。" * 3000)]),
}


def _size(cutting: Cutting) -> int:
    return len(cutting.body) + (len(cutting.context) + 1 if cutting.context else 0)


def _assert_sound(of: Record, limit: int) -> list[Cutting]:
    cuttings = cut_record(of, limit)
    assert joined(cuttings) == record_text(of)
    for cutting in cuttings:
        assert cutting.body
        assert _size(cutting) <= limit or len(tokens(cutting.body)) == 1
    ids = content_ids(cuttings)
    assert len(set(ids)) == len(ids)
    return cuttings


@given(records(max_size=300), _LIMITS)
def test_limit_holds_and_nothing_is_lost(of: Record, limit: int) -> None:
    _assert_sound(of, limit)


@settings(max_examples=30)
@given(records(max_size=900, max_heading=900), _LIMITS)
def test_limit_holds_under_headings_of_any_length(of: Record, limit: int) -> None:
    _assert_sound(of, limit)


@pytest.mark.parametrize("limit", [50, 51, 97, 400, 900, 2000])
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_adversarial_records(name: str, limit: int) -> None:
    _assert_sound(ADVERSARIAL[name], limit)


def test_a_token_over_the_limit_stands_alone() -> None:
    bodies = [cutting.body for cutting in cut_record(ADVERSARIAL["a token over the limit"], 400)]
    assert "x" * 3000 in bodies


def _heading_lines(of: Record) -> set[str]:
    return {line.text for line in lines_of(of) if line.kind == "heading"}


@given(records(max_size=300, max_heading=15), st.integers(300, 900))
def test_no_chunk_ends_in_a_heading(of: Record, limit: int) -> None:
    cuttings = cut_record(of, limit)
    headings = _heading_lines(of)
    for cutting, following in pairwise(cuttings):
        last, first = cutting.body.split("\n")[-1], following.body.split("\n")[0]
        own = [line for line in lines_of(of) if line.kind == "text" and line.text == last]
        # Words of a paragraph can be those of a heading; headings upon headings can fill half a chunk.
        above = list(takewhile(headings.__contains__, reversed(cutting.body.split("\n"))))
        fills_half = len("\n".join(above)) + 1 > limit // 2
        # A token that is as long as a chunk leaves no room for its heading.
        is_token = len(tokens(first)) == 1
        assert last not in headings or own or first in headings or fills_half or is_token


def test_a_heading_goes_with_the_line_below_even_over_an_empty_section() -> None:
    of = record([section("甲", "文" * 200), section("概要"), section("乙", "字" * 390)])
    bodies = [cutting.body for cutting in cut_record(of, 400)]
    assert bodies == [f"【甲】\n{'文' * 200}", f"【概要】\n【乙】\n{'字' * 390}"]


def test_a_caption_goes_with_the_first_row() -> None:
    of = record([section("税率", "文" * 150, table("区分｜率", "甲｜1%", "乙｜2%", caption="法人税の税率"))])
    bodies = [cutting.body for cutting in cut_record(of, 180)]
    assert bodies == [f"【税率】\n{'文' * 150}", "（表）法人税の税率\n区分：甲｜率：1%\n区分：乙｜率：2%"]


def test_small_neighbouring_sections_share_a_chunk() -> None:
    of = record([section("甲", "あ" * 50), section("乙", "い" * 50), section("丙", "う" * 50)])
    assert len(cut_record(of, 400)) == 1


def test_a_cut_falls_between_sections_where_it_can() -> None:
    of = record([section("甲", *["あ" * 90] * 3), section("乙", *["い" * 90] * 3)])
    assert [cutting.body[:3] for cutting in cut_record(of, 400)] == ["【甲】", "【乙】"]


def test_a_cut_falls_between_sentences_where_a_line_is_too_long() -> None:
    cuttings = cut_record(record([section("概要", _SENTENCE * 30)]), 400)
    assert len(cuttings) > 1
    assert all(cutting.body.endswith("。") for cutting in cuttings)


def test_a_section_that_goes_on_says_so() -> None:
    first, *others = cut_record(record([section(("手続き", "申告先等"), *[_SENTENCE] * 30)]), 400)
    assert first.context == ""
    assert first.body.startswith("【手続き＞申告先等】\n")
    assert {cutting.context for cutting in others} == {f"【手続き＞申告先等】{CONTINUED}"}
    assert all(cutting.headings == ("手続き", "申告先等") for cutting in (first, *others))


def test_a_section_without_a_heading_goes_on_under_its_own_beginning() -> None:
    paragraph = "５　店長は、次の場合には、本社の承認を受けなければならない。" + _SENTENCE * 30
    first, *others = cut_record(record([section((), "文。"), section((), paragraph)]), 400)
    assert paragraph.startswith(first.body.splitlines()[-1][:10])
    (context,) = {cutting.context for cutting in others}
    assert context.startswith("５　店長は、次の場合には")
    assert context.endswith(f"…{CONTINUED}")
    assert len(context) <= 400 // 8 + len(CONTINUED)


def test_a_section_without_heading_or_number_just_goes_on() -> None:
    _, *others = cut_record(record([section((), _SENTENCE * 30)]), 400)
    assert {cutting.context for cutting in others} == {CONTINUED}


def test_a_long_heading_said_again_keeps_its_end() -> None:
    path = ("計算方法・計算式" * 15, "源泉徴収の方法")
    _, second, *_ = cut_record(record([section(path, *[_SENTENCE] * 30)]), 400)
    assert second.context.startswith("【…")
    assert second.context.endswith(f"源泉徴収の方法】{CONTINUED}")
    assert len(second.context) <= 100 + len(CONTINUED)


def test_a_table_that_goes_on_names_its_caption() -> None:
    rows = table("区分｜率", *[f"法人{n}｜{'率' * 60}" for n in range(20)], caption="法人税の税率")
    _, second, *_ = cut_record(record([section("税率", rows)]), 400)
    assert second.context == f"【税率】{CONTINUED}（表）法人税の税率"


def test_a_row_that_is_cut_says_whose_it_is() -> None:
    of = record([section("税率", table("区分｜説明｜税率", f"協同組合等｜{_SENTENCE * 20}｜15%"))])
    first, *others = cut_record(of, 400)
    assert first.body.startswith("【税率】\n区分：協同組合等｜")
    assert all(cutting.context.startswith(f"【税率】{CONTINUED}\n区分：協同組合等｜") for cutting in others)
    assert all(
        cutting.context.endswith("説明：") for cutting in others if not cutting.body.startswith(("説明：", "税率："))
    )


def test_a_nested_item_says_what_it_stands_under() -> None:
    of = record([section("対象", "（1） 国内にある財産", *[f"{kana}　{'あ' * 100}。" for kana in "イロハニホヘト"])])
    first, *others = cut_record(of, 400)
    assert first.context == ""
    assert others
    for cutting in others:
        assert cutting.context == f"【対象】{CONTINUED}\n（1） 国内にある財産"
        assert cutting.before == Cut.NESTED
        assert cutting.body[0] in "イロハニホヘト"


def test_an_item_under_none_says_only_its_section() -> None:
    of = record([section("対象", *[f"（{number}） {'あ' * 100}。" for number in range(1, 8)])])
    _, *others = cut_record(of, 400)
    assert {cutting.context for cutting in others} == {f"【対象】{CONTINUED}"}
    assert {cutting.before for cutting in others} == {Cut.LINE}


def test_a_long_governing_line_is_said_again_in_short() -> None:
    of = record([section("対象", f"（1） {'国内' * 60}", *[f"{kana}　{'あ' * 100}。" for kana in "イロハニホ"])])
    _, *others = cut_record(of, 400)
    for cutting in others:
        said = cutting.context.split("\n")[1]
        assert said.startswith("（1） 国内")
        assert said.endswith("…")
        assert len(said) == 50


def test_an_item_does_not_stand_under_one_of_another_section() -> None:
    of = record([section("甲", "（1） 国内"), section("乙", *[f"{kana}　{'あ' * 150}。" for kana in "イロハニ"])])
    assert all("国内" not in cutting.context for cutting in cut_record(of, 400))


def test_a_sentence_that_goes_on_inside_a_nested_item_says_its_section() -> None:
    of = record([section("対象", "（1） 国内", f"イ　{_SENTENCE * 12}")])
    _, second, *_ = cut_record(of, 400)
    assert (second.before, second.context) == (Cut.SENTENCE, f"【対象】{CONTINUED}")


def test_a_cut_falls_before_an_item_rather_than_inside_one() -> None:
    nested = [f"{kana}　{'あ' * 60}。" for kana in "イロハ"]
    of = record([section("対象", "（1） 国内", *nested, "（2） 国外", *nested)])
    assert [cutting.body.split("\n")[0] for cutting in cut_record(of, 300)] == ["【対象】", "（2） 国外"]


@pytest.mark.parametrize(
    ("line", "stays"), [("税額は、次の算式で計算します。", True), ("税額は、申告書で計算します。", False)]
)
def test_a_line_that_leads_in_stays_with_what_it_leads_in(line: str, stays: bool) -> None:
    of = record([section("計算", "文" * 90, line, "式" * 110)])
    first, second = cut_record(of, 200)
    assert second.before == Cut.LINE
    assert second.body.startswith(line) is stays
    assert first.body.endswith(line) is not stays


_ITEMS = st.builds(
    lambda mark, text: mark + text,
    st.sampled_from(["", "１　", "（1） ", "（2） ", "イ　", "ロ　", "（注） ", "次のとおりです。", "計算式："]),
    lines(max_size=120),
)


@given(st.lists(_ITEMS, min_size=1, max_size=15), st.integers(50, 300))
def test_limit_holds_and_nothing_is_lost_in_nested_items(items: list[str], limit: int) -> None:
    cuttings = _assert_sound(record([section("対象", *items)]), limit)
    said = [item.strip(" 　") for item in items]
    for cutting in cuttings:
        for line in cutting.context.split("\n")[1:]:
            assert any(item.startswith(line.removesuffix("…")) for item in said)


def _moved(of: Record, number: str) -> Record:
    return of.model_copy(update={"record_id": f"tax_answer/{number}", "number": number, "title": "別の題"})


@given(records(), st.integers(50, 900))
def test_ids_come_from_the_records_own_words_only(of: Record, limit: int) -> None:
    ids = content_ids(cut_record(of, limit))
    assert content_ids(cut_record(of.model_copy(deep=True), limit)) == ids
    assert content_ids(cut_record(_moved(of, "2000"), limit)) == ids


@given(records(), st.integers(50, 900))
def test_words_of_different_cuttings_have_different_ids(of: Record, limit: int) -> None:
    cuttings = cut_record(of, limit)
    by_words: dict[tuple[str, str], list[str]] = {}
    for cutting, content_id in zip(cuttings, content_ids(cuttings), strict=True):
        by_words.setdefault((cutting.context, cutting.body), []).append(content_id)
    firsts = [ids[0] for ids in by_words.values()]
    assert len(set(firsts)) == len(firsts)
    for ids in by_words.values():
        assert ids == [ids[0], *(f"{ids[0]}-{count}" for count in range(2, len(ids) + 1))]


def _starts(cuttings: list[Cutting], text: str) -> dict[int, int]:
    """Position in the text where each cutting's body begins, to the cutting's number."""
    position, found = 0, {}
    for number, cutting in enumerate(cuttings):
        position += number > 0 and cutting.before not in (Cut.SENTENCE, Cut.CLAUSE, Cut.TOKEN)
        found[position] = number
        position += len(cutting.body)
    assert position == len(text)
    return found


def _long_records() -> st.SearchStrategy[Record]:
    paragraphs = st.lists(lines(max_size=80), min_size=1, max_size=4)
    found = st.builds(lambda heading, texts: section(heading, *texts), lines(max_size=8), paragraphs)
    return st.lists(found, min_size=4, max_size=25).map(record)


@given(_long_records(), lines(max_size=200), st.booleans(), st.integers(60, 300))
def test_an_edit_moves_no_cut_beyond_a_chunk_that_begins_where_one_did(
    of: Record, added: str, at_the_end: bool, limit: int
) -> None:
    at = len(of.sections) - 1 if at_the_end else 0
    old = of.sections[at]
    longer = old.model_copy(update={"blocks": (*old.blocks, TextBlock(text=added))})
    edited = of.model_copy(update={"sections": (*of.sections[:at], longer, *of.sections[at + 1 :])})
    text, edited_text = record_text(of), record_text(edited)
    before, after = cut_record(of, limit), cut_record(edited, limit)
    shift = 0 if at_the_end else len(edited_text) - len(text)
    unaffected = (
        range(len(text) - len("\n".join(line.text for line in lines_of(record([old])))))
        if at_the_end
        else range(len(record_text(record(of.sections[:1]))) + 1, len(text))
    )
    starts, new_starts = _starts(before, text), _starts(after, edited_text)
    common = [start for start in starts if start in unaffected and start + shift in new_starts]
    for start in common:
        old_number, new_number = starts[start], new_starts[start + shift]
        if at_the_end:
            assert before[:old_number] == after[:new_number]
        else:
            assert before[old_number:] == after[new_number:]


def test_an_edit_of_the_first_section_leaves_far_sections_alone() -> None:
    sizes = [130, 420, 60, 300, 90, 210, 500, 40, 170, 260, 330, 80, 240, 120, 450, 70]
    found = [section(f"見出し{n}", *[f"{chr(0x4E00 + n)}" * 29 + "。"] * (size // 30)) for n, size in enumerate(sizes)]
    before = content_ids(cut_record(record(found), 400))
    found[0] = section("見出し0", "書き換えた文。" * 25)
    after = content_ids(cut_record(record(found), 400))
    assert before[0] != after[0]
    assert set(before[3:]) <= set(after)


def test_a_repeated_text_is_counted() -> None:
    of = record([section("甲", "同じ文。" * 80), section("甲", "同じ文。" * 80)])
    first, second = content_ids(cut_record(of, 400))
    assert second == f"{first}-2"
    assert re.fullmatch(r"[0-9a-f]{10}", first)


_PROFILE = Part(name="profile")
_HISTORY = Part(name="history", numbered=True)
_PARTS = st.sampled_from([None, _PROFILE, _HISTORY, Part(name="history"), Part(name="a1")])


def _part(part: Part | None, of: Section) -> Section:
    return of.model_copy(update={"part": part})


@given(records(max_size=200, max_heading=60), st.lists(_PARTS, min_size=6, max_size=6), _LIMITS)
def test_no_chunk_spans_two_parts(of: Record, parts: list[Part | None], limit: int) -> None:
    sections = tuple(_part(part, one) for part, one in zip(parts, of.sections, strict=False))
    of = of.model_copy(update={"sections": sections})
    cuttings = _assert_sound(of, limit)
    text, end = record_text(of), 0
    part_at = [sections[line.section].part for line in lines_of(of) for _ in f"{line.text}\n"]
    for cutting in cuttings:
        start = text.index(cutting.body, end)
        end = start + len(cutting.body)
        assert set(part_at[start:end]) == {cutting.part}
    for cutting, name in zip(cuttings, content_ids(cuttings), strict=True):
        if cutting.part is None:
            assert re.fullmatch(r"[0-9a-f]{10}(-\d+)?", name)
        else:
            assert re.fullmatch(rf"{cutting.part.name}(-\d{{3}})?", name)
            assert "-" in name or not cutting.part.numbered


def test_a_part_is_cut_as_if_it_stood_alone() -> None:
    profile, history = section((), "質問：動かない。"), section("経緯", *["電話で聞いた。" * 8] * 6)
    of = record([_part(_PROFILE, profile), _part(_HISTORY, history)])
    first, *others = cut_record(of, 200)
    assert first.body == "質問：動かない。"
    assert [other.body for other in others] == [alone.body for alone in cut_record(record([history]), 200)]
    assert {other.context for other in others[1:]} == {f"【経緯】{CONTINUED}"}


def test_ids_of_parts_are_their_names_and_counts() -> None:
    short, long = section((), "質問：動かない。"), section((), *["電話で聞いた。" * 10] * 5)
    other = section("附記", "後で書いた。")

    def names(*sections: Section) -> list[str]:
        return content_ids(cut_record(record(sections), 200))

    assert names(_part(_PROFILE, short), _part(_HISTORY, short)) == ["profile", "history-001"]
    assert names(_part(_PROFILE, long)) == ["profile-001", "profile-002", "profile-003"]
    assert names(_part(_PROFILE, short), _part(_HISTORY, long), _part(_PROFILE, other)) == [
        "profile-001",
        *(f"history-00{count}" for count in (1, 2, 3)),
        "profile-002",
    ]
    named, by_content = names(_part(_PROFILE, short), other)
    assert (named, by_content) == ("profile", names(other)[0])


def test_a_heading_with_nothing_under_it_does_not_reach_into_the_next_part() -> None:
    of = record([_part(_PROFILE, section("分類")), _part(_HISTORY, section("経緯", "電話で聞いた。"))])
    assert [cutting.body for cutting in cut_record(of, 200)] == ["【分類】", "【経緯】\n電話で聞いた。"]
    full = record([_part(_PROFILE, section("分類")), _part(_HISTORY, section((), "字" * 200))])
    assert [(cutting.body, cutting.before) for cutting in cut_record(full, 200)] == [
        ("【分類】", Cut.SECTION),
        ("字" * 200, Cut.SECTION),
    ]


def test_time_is_linear_in_the_size_of_the_record() -> None:
    def seconds(copies: int) -> float:
        of = record([section(f"見出し{n}", *[_SENTENCE * 3] * 5, table("区分｜率", "甲｜1%")) for n in range(copies)])
        return min(_timed(of) for _ in range(3))

    def _timed(of: Record) -> float:
        start = time.perf_counter()
        cut_record(of, 400)
        return time.perf_counter() - start

    # Quadratic time would be 2,500 times; the margin is for a busy machine.
    assert seconds(500) < 50 * 5 * seconds(10)


def test_a_section_title_shows_the_path() -> None:
    assert section_title(("手続き", "申告先等")) == "【手続き＞申告先等】"


_NOUNS = ["法人税", "サーバー", "人々", "ヴァイオリン", "ユーザー", "時々", "ちょっと", "フォーム", "である", "です"]
_WORDS = st.lists(
    st.sampled_from([*_NOUNS, *"をがのと「」（）『』。、！？ー々％"]),
    min_size=20,
    max_size=120,
)


@given(_WORDS, st.integers(50, 80))
def test_no_chunk_begins_with_what_closes_or_lengthens_the_word_before(words: list[str], limit: int) -> None:
    text = "".join(words)
    cuttings = cut_record(record([section("概要", text)]), limit)
    assert joined(cuttings).endswith(text)
    for above, cutting in pairwise(cuttings):
        if cutting.before is Cut.TOKEN and not _is_unbreakable(above.body + cutting.body):
            assert may_part(above.body, cutting.body), (above.body, cutting.body)


def _is_unbreakable(text: str) -> bool:
    """Whether a run of marks leaves no place to cut."""
    return re.search(rf"[{re.escape('」）』。、！？ー々％ァィォょっ（「『')}]{{15,}}", text) is not None


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("あ" * 56 + "」" + "い" * 80, 50),
        ("あ" * 49 + "ー" + "い" * 80, 50),
        ("あ" * 50 + "々" + "い" * 80, 50),
        ("あ" * 49 + "（" + "い" * 80, 50),
        ("あ" * 49 + "（" + "9" * 50 + "い" * 10, 50),
    ],
)
def test_the_limit_holds_where_a_cut_is_made_earlier(text: str, limit: int) -> None:
    of = record([section("", text)])
    cuttings = cut_record(of, limit)
    assert joined(cuttings) == record_text(of)
    assert all(_size(cutting) <= limit for cutting in cuttings)
