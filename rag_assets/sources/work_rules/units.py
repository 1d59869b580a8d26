"""What a document of rules is taken apart into: units that become records, and the stretches of text under them.

Which passage goes where is decided in `outline`; here is only what a unit is, and what it settles by itself.
"""

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from rag_assets.sources.work_rules.appendices import form_name
from rag_assets.sources.work_rules.headings import is_deleted, item_mark
from rag_assets.sources.work_rules.lines import RulePassage

_LONGEST_NAME = 30
_NAME = re.compile(r"^(?![（(【［\[〔※])[^。、：:]+$")
_RELATED = re.compile(r"^(?P<related>[（(][^（）()]*関係[）)])[ \u3000]*(?P<title>.*)$")


@dataclass(slots=True)
class RuleStretch:
    """Passages of one kind under one unit.

    Attributes:
        part: Rule text, or what explains it.
        alternative: The heading of the alternative it belongs to, as printed; empty where there are none.
        opens: Whether it is the first one below that heading.
        labels: The articles that a commentary is headed with, as printed; empty where it has no such heading.
        captions: The captions it is headed with.
        passages: What it says.
    """

    part: Literal["rule", "commentary"]
    alternative: str = ""
    opens: bool = False
    labels: tuple[str, ...] = ()
    captions: tuple[str, ...] = ()
    passages: list[RulePassage] = field(default_factory=list)


@dataclass(slots=True)
class Unit:
    """One thing that gets a record of its own.

    Attributes:
        kind: What it is.
        number: Its number in ASCII: `6`, `10-2`, `chapter-4`, `suppl`, `table-1`, `form-2`, `preface`.
        label: The number as printed: 第６条.
        title: Caption or title without brackets; empty where it has none.
        chapter: The chapters it stands in, outermost first.
        page: The page it begins on.
        stretches: Its text.
    """

    kind: Literal["article", "chapter", "supplement", "appendix", "form", "preface"]
    number: str
    label: str
    title: str
    chapter: tuple[str, ...]
    page: int
    stretches: list[RuleStretch] = field(default_factory=list)

    @property
    def passages(self) -> list[RulePassage]:
        """All that stands under it."""
        return [passage for stretch in self.stretches for passage in stretch.passages]

    @property
    def is_deleted(self) -> bool:
        """Whether all that stands under it is that it is deleted."""
        return bool(self.passages) and all(is_deleted(passage.text) for passage in self.passages)

    def stretch(self, part: Literal["rule", "commentary"], alternative: str = "") -> RuleStretch:
        """The last stretch, if it is of this kind and has no heading of its own; else a new one."""
        last = self.stretches[-1] if self.stretches else None
        if last is not None and last.part == part and last.alternative == alternative:
            return last
        self.stretches.append(RuleStretch(part, alternative))
        return self.stretches[-1]


def settle_alternatives(unit: Unit) -> None:
    """Alternatives' headings stay where the unit has alternatives, or where it opens one; they reach no further.

    A commentary that is headed with the article and is the only one speaks of all its alternatives.
    """
    rules = [stretch for stretch in unit.stretches if stretch.part == "rule"]
    has_alternatives = len(rules) > 1 or any(stretch.opens for stretch in rules)
    headed = [stretch for stretch in unit.stretches if stretch.labels]
    for position, stretch in enumerate(unit.stretches):
        stays = has_alternatives and (stretch.part == "rule" or not stretch.labels or len(headed) > 1)
        if stretch.alternative and not stays:
            unit.stretches[position] = replace(stretch, alternative="")


def split_reference(title: str) -> tuple[str, str]:
    """What an appendix's heading says it belongs to, and its name: （第５条関係）, 手当一覧; either may be empty."""
    match = _RELATED.match(title)
    return (match["related"], match["title"]) if match else ("", title)


def settle_appendix(unit: Unit) -> None:
    """An appendix whose heading does not name it is called by the short line below, else by what it belongs to.

    A line that becomes the title is no text any more; with nothing else below, the appendix has none.
    """
    passages = unit.stretches[0].passages
    related, name = split_reference(passages[0].text) if passages else ("", "")
    at = 1 if related and not name else 0
    if len(passages) == at:
        unit.title = unit.title or related
        passages.clear()
    elif not unit.title and len(passages) > at + 1 and _is_name(passages[at]):
        unit.title = passages.pop(at).text
    elif not unit.title and at:
        unit.title = passages.pop(0).text


def settle_form(unit: Unit) -> None:
    """A form whose heading does not name it is called by what names it on the form, which stays where it stands.

    Where nothing does, it is called by what it belongs to; with nothing else below its heading, it has no text.
    """
    lines = [line for passage in unit.passages for line in words_of(passage)]
    related = next((line for line in lines[:1] if _RELATED.match(line)), "")
    unit.title = unit.title or form_name(lines) or related
    if related and len(lines) == 1:
        unit.stretches[0].passages.clear()


def words_of(passage: RulePassage) -> list[str]:
    """The lines of a passage; of a table, those of its cells."""
    if passage.table is None:
        return [passage.text]
    return [line for cell in passage.table.cells for line in cell.text.split("\n")]


def _is_name(passage: RulePassage) -> bool:
    """Whether a line can be an appendix's name: short, and neither a sentence nor an item nor a note."""
    text = passage.text
    return 0 < len(text) <= _LONGEST_NAME and bool(_NAME.match(text)) and not item_mark(text)
