"""What a document of rules only says is deleted: 別表第１　削除, 第３章　削除, 附則第３項　削除.

Articles (第４条　削除, 第５条から第７条まで　削除) are told by `headings`.
"""

import re
from dataclasses import dataclass
from typing import Literal

from rag_assets.japanese.characters import GAP, remove_spaces
from rag_assets.sources.work_rules.appendices import appendix_heading
from rag_assets.sources.work_rules.headings import AND, ARTICLE, LEVELS, NUMBER, is_deleted, numbers_in

_CHAPTER = rf"第{GAP}{NUMBER}{GAP}(?P<level>[編章節款])(?:{GAP}の{GAP}{NUMBER})?"
_CHAPTERS = re.compile(
    rf"^(?P<first>{_CHAPTER})(?:(?:{AND}第{GAP}{NUMBER}{GAP}[編章節款])*{AND}"
    rf"(?P<last>第{GAP}{NUMBER}{GAP}[編章節款]))?(?:まで)?(?P<rest>.*)$"
)
_SUPPLEMENT = re.compile(
    rf"^[附付]{GAP}則{GAP}(?P<what>(?:第{GAP}{NUMBER}{GAP}項|{ARTICLE})"
    rf"(?:{AND}(?:第{GAP}{NUMBER}{GAP}項|{ARTICLE}))*(?:まで)?)?(?P<rest>.*)$"
)
_OMITTED = re.compile(r"(?:^|[）) \u3000])[（(〔［]?[ \u3000]*(?:省[ \u3000]*)?略[ \u3000]*[）)〕］]?$")
_ONE = (
    rf"(?:別{GAP}[表紙記添]|様{GAP}式|別[紙記]様式)?{GAP}(?:第{GAP})?{NUMBER}{GAP}号?"
    rf"(?:様式)?(?:{GAP}の{GAP}{NUMBER})*"
)
_SEVERAL = re.compile(rf"^(?P<what>(?=別|様|第[^条項章節款編]*様式){_ONE}(?:{AND}{_ONE})+)(?:まで)?(?P<rest>.*)$")


@dataclass(frozen=True, slots=True)
class Deleted:
    """A part of the rules of which only its number is left.

    Attributes:
        what: Kind of part.
        label: Its number, or theirs, as printed.
        level: Of chapters, 0 for 編, 1 for 章, 2 for 節, 3 for 款.
        numbers: Of chapters, all that are deleted.
        omitted: Whether it is only left out of this edition: 様式第１号（略）.
    """

    what: Literal["appendix", "chapter", "supplement"]
    label: str
    level: int = 0
    numbers: tuple[int, ...] = ()
    omitted: bool = False


def deleted_part(text: str) -> Deleted | None:
    """What a line says is deleted, if that is all it says, and it is no article."""
    text = re.sub(r"[ \u3000]{2,}", "\u3000", text)
    heading = appendix_heading(text)
    if heading is not None and heading.deleted:
        return Deleted("appendix", heading.label)
    if heading is not None and _OMITTED.search(heading.title):
        return Deleted("appendix", heading.label, omitted=True)
    if (match := _SEVERAL.match(text)) and is_deleted(match["rest"]):
        return Deleted("appendix", remove_spaces(text[: match.start("rest")]))
    if (match := _SUPPLEMENT.match(text)) and is_deleted(match["rest"]):
        return Deleted("supplement", remove_spaces(text[: match.start("rest")]))
    if (match := _CHAPTERS.match(text)) and is_deleted(match["rest"]):
        numbers = numbers_in(match["first"]), numbers_in(match["last"] or match["first"])
        if all(numbers):
            level = LEVELS.index(match["level"])
            label = remove_spaces(text[: match.start("rest")])
            return Deleted("chapter", label, level, tuple(range(numbers[0][0], numbers[1][0] + 1)))
    return None
