"""Which sections of a guide make a record, and what each record is called.

A record is a run of sections in reading order. The rules look at lengths and names, never at positions, so that a
section that is added changes as few names as can be:

- A section that is short enough with everything below it is one record; a longer one is split at its subheadings.
- Of a section that is split, the text above the first subheading is a record of its own, and each subsection is one
  or is split in turn. A heading with next to no text of its own goes with the first record below it, and takes no name
  from it: that record keeps its name whatever is added before it.
- Short neighbours below one heading join. A run of them that is too long is split before the section whose name sorts
  first: whatever is added to the run, the same section opens the second half.
- A joined record has the name of its first section.

A setting can give the level of headings that open records instead; then lengths count for nothing.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from rag_assets.japanese.characters import clip
from rag_assets.japanese.heading_numbers import without_number
from rag_assets.model import Block, Section, TextBlock
from rag_assets.sources.guides.document import BodyBlock, Heading

LONGEST_RECORD = 600
"""Characters that a section may have, with everything below it, to be one record."""
SHORT_SECTION = 100
"""Characters below which a section joins its neighbours."""
TOP = "top"
"""Name of what stands above the first heading, and of a short document as a whole."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_GIVEN_BY_PROGRAM = re.compile(
    r"(?:section|heading|header|h|id|toc|ref|sec|anchor|bookmark|x|p|_toc|_ref|_heading[a-z_]*)?[-_.]*\d*|_.*|[0-9a-f-]{16,}",
    re.I,
)
"""Anchors that programs count out: they change when a section is added."""
_LONGEST_JOINED_TITLE = 80
_TITLE_JOINT = "／"


@dataclass(frozen=True, slots=True)
class GuideSection:
    """A heading and what stands directly below it, up to the next heading.

    Attributes:
        path: The headings it stands under, outermost first, its own at the end; empty above the first heading.
        level: Of its heading; 0 above the first one.
        name: Its name in IDs; no other section of the document has it.
        anchor: The name that links give it; empty where there is none.
        blocks: What stands below it.
        page: Page it begins on, where there are pages.
    """

    path: tuple[str, ...]
    level: int
    name: str
    anchor: str
    blocks: tuple[Block, ...]
    page: int | None

    @property
    def length(self) -> int:
        """Characters of the text, without the heading."""
        return sum(map(_length, self.blocks))


@dataclass(frozen=True, slots=True)
class SectionGroup:
    """The sections of one record.

    Attributes:
        name: Of the record.
        sections: What it is called by.
        lead: Headings above them with next to no text of their own, which go with the first record below.
    """

    name: str
    sections: tuple[GuideSection, ...]
    lead: tuple[GuideSection, ...] = ()

    @property
    def all_sections(self) -> tuple[GuideSection, ...]:
        """All sections, in reading order."""
        return (*self.lead, *self.sections)

    @property
    def chapter(self) -> tuple[str, ...]:
        """The headings above all of it."""
        return self.lead[0].path[:-1] if self.lead else self._above()

    @property
    def title(self) -> str:
        """The headings from the lead to its own, or those of the sections that were joined; empty without any."""
        above = len(self._above())
        outermost: list[tuple[str, ...]] = []
        for section in self.sections:
            if not any(section.path[: len(path)] == path for path in outermost):
                outermost.append(section.path)
        led = self.lead[-1].path if self.lead else ()
        own = _TITLE_JOINT.join(
            "＞".join(path[max(above, len(led)) if path[: len(led)] == led else above :]) for path in outermost
        )
        if len(outermost) > 1:
            own = clip(own, _LONGEST_JOINED_TITLE)
        return "＞".join(filter(None, (*("".join(section.path[-1:]) for section in self.lead), own)))

    def body(self) -> tuple[Section, ...]:
        """What the record holds; headings are told from the outermost that is not all of the record's title."""
        shared = self.sections[0].path if self._is_one_section() else self._above()
        above = self.lead[0].path if self.lead else shared
        sections = self.all_sections
        body: list[Section] = []
        for section, behind in zip(sections, (*sections[1:], None), strict=True):
            headings = section.path[len(_common_path(above, section.path)) :]
            is_told_below = behind is not None and _is_below(behind, section)
            if section.blocks or (headings and not is_told_below):
                body.append(Section(headings=headings, blocks=section.blocks))
        return tuple(body)

    def _is_one_section(self) -> bool:
        return all(_is_below(section, self.sections[0]) for section in self.sections[1:])

    def _above(self) -> tuple[str, ...]:
        """The headings above the sections, without the lead's being looked at."""
        above = self.sections[0].path[:-1]
        if self._is_one_section():
            return above
        for section in self.sections[1:]:
            above = _common_path(above, section.path[:-1])
        return above


def _common_path(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    same = takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False))
    return tuple(ours for ours, _ in same)


def _is_below(section: GuideSection, other: GuideSection) -> bool:
    return len(section.path) > len(other.path) and section.path[: len(other.path)] == other.path


@dataclass(slots=True)
class _Node:
    """A section with those below it."""

    section: GuideSection
    below: list["_Node"] = field(default_factory=list)

    @property
    def length(self) -> int:
        heading = len(self.section.path[-1]) if self.section.path else 0
        return heading + self.section.length + sum(node.length for node in self.below)

    def sections(self) -> Iterator[GuideSection]:
        yield self.section
        for node in self.below:
            yield from node.sections()


@dataclass(frozen=True, slots=True)
class _SectionUnit:
    """Sections that are not parted, and whether they may join short neighbours."""

    group: SectionGroup
    length: int
    is_short: bool


def read_sections(parts: Sequence[Heading | BodyBlock], anchors: Sequence[str] = ()) -> list[GuideSection]:
    """The sections of a document in reading order; the first has no heading and is left out where it has no text.

    Args:
        parts: The document.
        anchors: The names that links give its headings, one each, where they have no anchor of their own.
    """
    sections: list[GuideSection] = []
    names: Counter[str] = Counter()
    path: list[tuple[int, str]] = []
    heading: Heading | None = None
    blocks: list[BodyBlock] = []
    links = iter(anchors)

    def finish() -> None:
        if heading is None and not blocks:
            return
        words = tuple(text for _, text in path)
        name = _free_name(_name_of(heading, words), names) if heading else TOP
        page = heading.page if heading else blocks[0].page
        anchor = (next(links, "") or heading.anchor) if heading else ""
        level = heading.level if heading else 0
        sections.append(GuideSection(words, level, name, anchor, tuple(block.block for block in blocks), page))

    names[TOP] = 1
    for part in parts:
        if isinstance(part, BodyBlock):
            blocks.append(part)
            continue
        finish()
        heading, blocks = part, []
        path = [*((level, text) for level, text in path if level < part.level), (part.level, part.text)]
    finish()
    return sections


def group_sections(sections: Sequence[GuideSection], level: int | None = None) -> list[SectionGroup]:
    """The sections in groups, one a record; all of them in order, each in one.

    Args:
        sections: Of one document.
        level: Headings of this level and above open records; None decides by length.
    """
    groups = _by_level(sections, level) if level is not None else _by_length(_tree(sections))
    return _without_empty(groups)


def _tree(sections: Sequence[GuideSection]) -> _Node:
    has_top = bool(sections) and not sections[0].path
    root = _Node(sections[0] if has_top else GuideSection((), 0, TOP, "", (), None))
    around = [root]
    for section in sections[has_top:]:
        while around[-1].section.level >= section.level:
            around.pop()
        node = _Node(section)
        around[-1].below.append(node)
        around.append(node)
    return root


def _by_length(node: _Node) -> list[SectionGroup]:
    own = node.section
    if node.length <= LONGEST_RECORD or not node.below:
        return [SectionGroup(own.name, tuple(_real(node.sections())))]
    units = [_unit(group, splits=len(groups) > 1) for groups in map(_by_length, node.below) for group in groups]
    if own.length >= SHORT_SECTION:
        return [SectionGroup(own.name, (own,)), *_join_short(units)]
    first, *others = _join_short(units)
    return [replace(first, lead=(*_real((own,)), *first.lead)), *others]


def _real(sections: Iterable[GuideSection]) -> Iterator[GuideSection]:
    """Without what stands for the missing text above the first heading."""
    return (section for section in sections if section.path or section.blocks)


def _unit(group: SectionGroup, *, splits: bool) -> _SectionUnit:
    length = sum(len("".join(section.path[-1:])) + section.length for section in group.all_sections)
    return _SectionUnit(group, length, is_short=not splits and length < SHORT_SECTION)


def _join_short(units: Sequence[_SectionUnit]) -> Iterator[SectionGroup]:
    run: list[_SectionUnit] = []
    for unit in units:
        if unit.is_short:
            run.append(unit)
            continue
        yield from _split_run(run)
        run = []
        yield unit.group
    yield from _split_run(run)


def _split_run(run: Sequence[_SectionUnit]) -> Iterator[SectionGroup]:
    """A run of short sections as one group, or as several where it is too long; see the module's rules."""
    if not run:
        return
    if sum(unit.length for unit in run) <= LONGEST_RECORD or len(run) == 1:
        sections = tuple(section for unit in run for section in unit.group.sections)
        yield replace(run[0].group, sections=sections)
        return
    at = min(range(1, len(run)), key=lambda position: _digest(run[position].group.name))
    yield from _split_run(run[:at])
    yield from _split_run(run[at:])


def _by_level(sections: Sequence[GuideSection], level: int) -> list[SectionGroup]:
    groups: list[SectionGroup] = []
    for section in sections:
        if not groups or section.level <= level:
            groups.append(SectionGroup(section.name, (section,)))
        else:
            groups[-1] = replace(groups[-1], sections=(*groups[-1].sections, section))
    return groups


def _without_empty(groups: Sequence[SectionGroup]) -> list[SectionGroup]:
    """Groups without text: headings lead the group below them, others go with the group before."""
    kept: list[SectionGroup] = []
    waiting: tuple[GuideSection, ...] = ()
    for group in groups:
        if not any(section.blocks for section in group.all_sections):
            waiting = (*waiting, *group.all_sections)
            continue
        at = len(waiting)
        while at and _is_below(group.all_sections[0], waiting[at - 1]):
            at -= 1
        before, lead = waiting[:at], waiting[at:]
        if before and kept:
            kept[-1] = replace(kept[-1], sections=(*kept[-1].sections, *before))
        elif before:
            group = SectionGroup(group.name, (*before, *lead, *group.all_sections))
            lead = ()
        kept.append(replace(group, lead=(*lead, *group.lead)))
        waiting = ()
    if waiting and kept:
        kept[-1] = replace(kept[-1], sections=(*kept[-1].sections, *waiting))
    return kept


def _name_of(heading: Heading, path: tuple[str, ...]) -> str:
    """The heading's own anchor, or a hash of its path without numbers, which change when a section is added."""
    if _NAME.fullmatch(heading.anchor) and not _GIVEN_BY_PROGRAM.fullmatch(heading.anchor):
        return heading.anchor
    return _digest("\x1f".join(map(without_number, path)))


def _free_name(name: str, names: Counter[str]) -> str:
    """The name, with its count behind it where an earlier section has it."""
    names[name] += 1
    while names[name] > 1 and names[f"{name}-{names[name]}"]:
        names[name] += 1
    free = name if names[name] == 1 else f"{name}-{names[name]}"
    if free != name:
        names[free] += 1
    return free


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def _length(block: Block) -> int:
    return len(block.text) if isinstance(block, TextBlock) else sum(len(cell.text) for cell in block.cells)
