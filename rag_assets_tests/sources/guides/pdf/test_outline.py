"""Whatever a guide's headings are numbered and set with, the tree that is read is the outline it was made from."""

from collections.abc import Sequence

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rag_assets.sources.guides.pdf import read_pdf
from rag_assets_tests.sources.guides.guide_pages import (
    SENTENCE,
    LevelLook,
    OutlineEntry,
    block_texts,
    guide_file,
    heading_tree,
    outline_blocks,
)

_NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""Every example reads a PDF: looking for the smallest one that fails would take minutes."""
_CIRCLED = "①②③④⑤⑥⑦⑧⑨"
_ROMAN = "ⅠⅡⅢⅣⅤⅥⅦⅧⅨ"
_KANA = "アイウエオカキクケ"
_FULL = str.maketrans("0123456789", "０１２３４５６７８９")
_NUMBERINGS = {
    "chapters": ("第{0}章　", "第{1}節　", "{2}　"),
    "full width": ("第{0}章　", "{1}　", "（{2}）　"),
    "decimals": ("{0}. ", "{0}.{1} ", "{0}.{1}.{2} "),
    "hyphens": ("{0}　", "{0}－{1}　", "({2}) "),
    "signs": ("{0}　", "({1}) ", "{circled} "),
    "roman": ("{roman}　", "{1}　", "{kana}　"),
    "marks": ("■", "【{1}】", "●"),
}
_SIZES = (LevelLook(16, gothic=True, above=20), LevelLook(13, gothic=True, above=14), LevelLook(11.5, gothic=True))
_FACES = (LevelLook(gothic=True), LevelLook(gothic=True), LevelLook(gothic=True))
_MIXED = (LevelLook(14, above=20), LevelLook(12, gothic=True), LevelLook(gothic=True))
_GAPS = (LevelLook(above=14), LevelLook(above=14), LevelLook(above=14, first=1))
_TITLES = (
    "荷物の受取り",
    "棚への並べ方",
    "記録のつけ方",
    "返品の手順",
    "点検の時期",
    "鍵の管理",
    "火の始末",
    "休日の当番",
)


def _number(pattern: str, counts: Sequence[int], level: int) -> str:
    own = counts[level - 1] - 1
    numbers = [str(count) for count in counts]
    if "．" in pattern or "－" in pattern or "第" in pattern or "（" in pattern:
        numbers = [number.translate(_FULL) for number in numbers]
    return pattern.format(*numbers, circled=_CIRCLED[own], roman=_ROMAN[own], kana=_KANA[own])


@st.composite
def _outlines(draw: st.DrawFn) -> list[tuple[int, str, int]]:
    """Levels, titles, and numbers of paragraphs; a level is skipped nowhere, and the deepest have text."""
    outline: list[tuple[int, str, int]] = []
    for _ in range(draw(st.integers(2, 4))):
        children = draw(st.integers(2, 3))
        outline.append((1, draw(st.sampled_from(_TITLES)), draw(st.integers(0, 1))))
        for _ in range(children):
            grandchildren = draw(st.sampled_from((2, 0, 3)))
            outline.append((2, draw(st.sampled_from(_TITLES)), 1 if not grandchildren else draw(st.integers(0, 2))))
            outline += [(3, draw(st.sampled_from(_TITLES)), draw(st.integers(1, 2))) for _ in range(grandchildren)]
    return outline


def _numbered(outline: Sequence[tuple[int, str, int]], patterns: Sequence[str]) -> list[OutlineEntry]:
    counts = [0, 0, 0]
    entries = []
    for level, title, paragraphs in outline:
        counts[level - 1] += 1
        counts[level:] = [0] * (3 - level)
        pattern = patterns[level - 1]
        words = pattern.replace("{1}", title) if pattern.startswith("【") else _number(pattern, counts, level) + title
        entries.append(OutlineEntry(level, words, (SENTENCE,) * paragraphs))
    return entries


_COMBINATIONS = [
    (numbering, looks)
    for numbering in _NUMBERINGS
    for looks in (_SIZES, _FACES, _MIXED, _GAPS)
    # Nothing but its size tells which of two signs stands above the other.
    if numbering != "marks" or looks in (_SIZES, _MIXED)
]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=_NO_SHRINKING)
@given(outline=_outlines(), combination=st.sampled_from(_COMBINATIONS))
def test_read_tree_is_the_outline(
    outline: list[tuple[int, str, int]], combination: tuple[str, Sequence[LevelLook]]
) -> None:
    numbering, looks = combination
    entries = _numbered(outline, _NUMBERINGS[numbering])
    guide = read_pdf(guide_file(outline_blocks(entries, looks)))
    squeezed = [(level, "".join(words.split())) for level, words in heading_tree(guide)]
    assert squeezed == [(entry.level, "".join(entry.words.split())) for entry in entries]
    assert "".join(block_texts(guide)) == "".join("".join(entry.paragraphs) for entry in entries)


@settings(max_examples=8, deadline=None, phases=_NO_SHRINKING)
@given(outline=_outlines())
def test_headings_without_numbers_are_told_by_their_size(outline: list[tuple[int, str, int]]) -> None:
    entries = [OutlineEntry(level, title, (SENTENCE,) * paragraphs) for level, title, paragraphs in outline]
    guide = read_pdf(guide_file(outline_blocks([OutlineEntry(1, "はじめに", (SENTENCE,)), *entries], _SIZES)))
    assert heading_tree(guide) == [(1, "はじめに"), *((entry.level, entry.words) for entry in entries)]
