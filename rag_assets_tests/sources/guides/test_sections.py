from hypothesis import given
from hypothesis import strategies as st

from rag_assets.model import TextBlock
from rag_assets.sources.guides.document import BodyBlock, Heading
from rag_assets.sources.guides.sections import LONGEST_RECORD, SectionGroup, group_sections, read_sections

Parts = list[Heading | BodyBlock]

_headings = st.builds(Heading, level=st.integers(1, 6), text=st.sampled_from(["概要", "1. 宿", "(2) 日当", "例", "a"]))
_lengths = st.sampled_from([1, 30, 99, 100, 250, 599, 700])


@st.composite
def _documents(draw: st.DrawFn) -> Parts:
    parts: Parts = []
    for count in range(draw(st.integers(1, 25))):
        if draw(st.booleans()):
            parts.append(draw(_headings))
        else:
            parts.append(_text(f"{count}文", draw(_lengths)))
    return parts


def _text(words: str, length: int = 1) -> BodyBlock:
    return BodyBlock(TextBlock(text=(words + "あ" * length)[: max(length, len(words))]))


def _section(heading: str, length: int, level: int = 2) -> Parts:
    return [Heading(level, heading), _text(heading, length)]


def _groups(parts: Parts, level: int | None = None) -> list[SectionGroup]:
    return group_sections(read_sections(parts), level)


def _names(parts: Parts) -> dict[str, str]:
    """Name of the record by the words of each text."""
    return {
        block.text: group.name
        for group in _groups(parts)
        for section in group.all_sections
        for block in section.blocks
        if isinstance(block, TextBlock)
    }


@given(_documents(), st.none() | st.integers(1, 6))
def test_everything_stands_in_one_record_in_order(parts: Parts, level: int | None) -> None:
    groups = _groups(parts, level)
    if not any(isinstance(part, BodyBlock) for part in parts):
        assert groups == []
        return
    read: list[str] = []
    for group in groups:
        for section in group.all_sections:
            read += section.path[-1:]
            read += [block.text for block in section.blocks if isinstance(block, TextBlock)]
    assert read == [part.text if isinstance(part, Heading) else getattr(part.block, "text", "") for part in parts]


@given(_documents(), st.none() | st.integers(1, 6))
def test_a_record_has_text_and_a_name_of_its_own(parts: Parts, level: int | None) -> None:
    groups = _groups(parts, level)
    assert len({group.name for group in groups}) == len(groups)
    assert all(any(section.blocks for section in group.body()) for group in groups)


@given(_documents(), st.none() | st.integers(1, 6))
def test_title_and_body_hold_every_heading_of_the_record(parts: Parts, level: int | None) -> None:
    for group in _groups(parts, level):
        told = {heading for section in group.body() for heading in section.headings}
        for section in group.all_sections:
            heading = "".join(section.path[-1:])
            assert heading in told or heading in group.title or group.title.endswith("…")


@given(_documents())
def test_a_long_section_put_anywhere_renames_nothing_of_a_long_document(parts: Parts) -> None:
    sections = [_section(f"第{number}の話", 300 + number) for number in range(12)]
    whole = [part for section in sections for part in section]
    before = _names(whole)
    for at in range(len(sections) + 1):
        added = [*sections[:at], _section("新しい話", 450), *sections[at:]]
        after = _names([part for section in added for part in section])
        assert {words: after[words] for words in before} == before


def test_short_sections_join_their_neighbours_below_one_heading() -> None:
    parts = [*_section("宿", 500), *_section("甲", 20), *_section("乙", 20), *_section("食", 500)]
    assert [(group.title, group.chapter) for group in _groups(parts)] == [("宿", ()), ("甲／乙", ()), ("食", ())]


def test_a_short_section_put_into_a_run_leaves_the_name() -> None:
    run = [*_section("甲", 20), *_section("乙", 20)]
    long = _section("宿", 500)
    before = _names([*long, *run, *_section("食", 500)])
    after = _names([*long, *_section("甲", 20), *_section("新", 20), *_section("乙", 20), *_section("食", 500)])
    assert {words: after[words] for words in before} == before


def test_a_long_run_of_short_sections_is_split_where_its_names_say() -> None:
    def run(names: list[str]) -> Parts:
        return [part for name in names for part in _section(name, 80)]

    names = [f"話{number}" for number in range(40)]
    groups = _groups(run(names))
    assert all(sum(section.length for section in group.all_sections) <= LONGEST_RECORD for group in groups)
    kept = 0
    for at in range(len(names)):
        more = _groups(run([*names[:at], "新しい", *names[at:]]))
        kept += {group.name for group in groups} - {"top"} <= {group.name for group in more}
    assert kept >= 30


def test_a_section_that_fits_is_one_record_with_all_below_it() -> None:
    parts = [*_section("経費", 50, 1), *_section("宿", 200), *_section("食", 200), *_section("旅", 900, 1)]
    groups = _groups(parts)
    assert [(group.title, len(group.sections)) for group in groups] == [("経費", 3), ("旅", 1)]


def test_a_heading_without_text_leads_the_first_record_below_it_and_gives_it_no_name() -> None:
    parts: Parts = [Heading(1, "経費"), *_section("宿", 500), *_section("食", 500)]
    first, second = _groups(parts)
    assert (first.title, first.chapter, second.title, second.chapter) == ("経費＞宿", (), "食", ("経費",))
    moved, kept, _ = _groups([Heading(1, "経費"), *_section("新", 500), *_section("宿", 500), *_section("食", 500)])
    assert (moved.title, kept.title, kept.name) == ("経費＞新", "宿", first.name)


def test_empty_sections_behind_a_led_record_stand_in_it_and_no_heading_is_said_twice() -> None:
    parts: Parts = [Heading(1, "経費"), Heading(2, "宿"), *_section("上限", 700, level=3)]
    parts += [Heading(2, "通貨"), Heading(1, "旅"), _text("文" * 700)]
    first, _ = _groups(parts)
    assert (first.chapter, first.title) == ((), "経費＞宿＞上限／通貨")
    assert [section.headings for section in first.body() if not section.blocks][-1][-1] == "通貨"
    below: Parts = [Heading(1, "経費"), _text("文" * 300), Heading(2, "宿"), *_section("上限", 700, level=3)]
    _, led = _groups([*below, Heading(2, "通貨"), Heading(2, "配賦")])
    assert (led.chapter, led.title) == (("経費",), "宿＞上限／通貨／配賦")


def test_names_are_anchors_or_hashes_without_numbers() -> None:
    def name(heading: Heading) -> str:
        return read_sections([heading, _text("文")])[0].name

    assert name(Heading(1, "宿", anchor="yado")) == "yado"
    assert name(Heading(1, "宿", anchor="section-3")) == name(Heading(1, "宿"))
    assert name(Heading(1, "1.2 宿")) == name(Heading(1, "（３）宿")) == name(Heading(1, "宿"))
    assert name(Heading(1, "第１条")) != name(Heading(1, "第２条"))
    assert name(Heading(1, "2026年度の予算")) != name(Heading(1, "2027年度の予算"))


def test_the_same_heading_twice_is_counted_and_the_first_keeps_its_name() -> None:
    one = read_sections(_section("例", 9))
    two = read_sections([*_section("例", 9), *_section("例", 9)])
    assert [section.name for section in two] == [one[0].name, f"{one[0].name}-2"]


def test_a_level_decides_where_it_is_given() -> None:
    parts: Parts = [*_section("章", 10, 1), *_section("節", 10), *_section("項", 10, 3), *_section("次の節", 10)]
    assert [group.title for group in _groups(parts, 1)] == ["章"]
    assert [group.title for group in _groups(parts, 2)] == ["章", "節", "次の節"]
