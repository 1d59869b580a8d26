"""Work rules (就業規則): a PDF of rules by article, with or without commentary, to Records, one a 条.

How the PDF is read is in `pdf/pages`, how its passages are told apart in the modules beside it, and what a blank is in
`japanese/blanks`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import groupby
from typing import BinaryIO

from rag_assets.clock import today_in_japan
from rag_assets.japanese.characters import clip
from rag_assets.japanese.dates import first_date
from rag_assets.japanese.whitespace import one_line
from rag_assets.model import AsOf, Attribute, Part, Record, Section, TextBlock
from rag_assets.sources.base import DocumentError, Finding, Reading
from rag_assets.sources.pdf.pages import read_pages
from rag_assets.sources.work_rules.blocks import BlankFound, blocks_of
from rag_assets.sources.work_rules.calendars import leave_out_calendars
from rag_assets.sources.work_rules.edition import Edition, Supplement, edition, force_dates
from rag_assets.sources.work_rules.headings import caption_line
from rag_assets.sources.work_rules.lines import RulePassage, passages
from rag_assets.sources.work_rules.outline import Outline, outline
from rag_assets.sources.work_rules.source import SOURCE, WorkRulesDocument
from rag_assets.sources.work_rules.title import dating_lines, document_title
from rag_assets.sources.work_rules.units import RuleStretch, Unit

DOCUMENT = "就業規則"
"""Name of a document that has no title of its own and is given none."""

RULE = Part(name="rule")
COMMENTARY = Part(name="commentary", numbered=True)
FORM = Part(name="form")
_RULE_HEADING = "条文"
_COMMENTARY_HEADING = "解説"
_FORM_HEADING = "様式"
_LONGEST_TITLE = 30


def read_document(
    file: BinaryIO, settings: WorkRulesDocument, *, sha256: str, url: str | None = None
) -> Iterator[Reading]:
    """Records and findings of a document of rules.

    A record an article, a chapter's introduction, a supplement (附則), an appendix (別表), a form (様式), the preface.

    Raises:
        DocumentError: It cannot be read, or has no article.
    """
    findings: list[Finding] = []
    pages = read_pages(file, name=settings.location, picture_pages=settings.picture_pages, findings=findings)
    found = passages(pages)
    yield from findings
    yield from read_passages(found, settings, sha256=sha256, url=url)


def read_passages(
    found: Sequence[RulePassage],
    settings: WorkRulesDocument,
    *,
    sha256: str,
    url: str | None = None,
    today: Callable[[], date] = today_in_japan,
) -> Iterator[Reading]:
    """Records and findings of a document's passages; see `read_document`.

    What comes into force after `today` does not date the document yet.
    """
    found, calendars = leave_out_calendars(found)
    yield from calendars
    framed = {"yes": True, "no": False}.get(settings.frames)
    parts = outline(found, framed=framed, forms=settings.forms != "leave_out")
    if not any(unit.kind == "article" for unit in parts.units):
        raise DocumentError(
            f"{settings.location}: no article (a line that begins with 第１条, 第1条 or 第一条) was found: "
            "is this a document of rules by article, and is its text the text of the rules?"
        )
    if parts.cover:
        words = " / ".join(filter(None, map(_words_of, parts.cover)))
        yield Finding.note("cover", f"page {parts.cover[0].page}", "left out of the text", words)
    yield from parts.findings
    dated = _edition(parts, today())
    yield from dated.findings
    maker = _RecordMaker(parts, found, settings, dated, sha256, url)
    for unit in parts.units:
        yield from maker.readings(unit)


def _words_of(passage: RulePassage) -> str:
    cells = passage.table.cells if passage.table is not None else ()
    return passage.text or " ".join(one_line(cell.text) for cell in cells if cell.text)


def _edition(parts: Outline, today: date) -> Edition:
    """Which edition the document is, by its head, its supplements and its articles."""
    supplements = [
        Supplement(unit.title, unit.page, _paragraphs(unit)) for unit in parts.units if unit.kind == "supplement"
    ]
    articles = [line for unit in parts.units if unit.kind in ("article", "preface") for line in _paragraphs(unit)]
    return edition(dating_lines(parts.cover), supplements, articles, today)


def _paragraphs(unit: Unit) -> list[tuple[int, str]]:
    return [(passage.page, passage.text) for stretch in unit.stretches for passage in stretch.passages if passage.text]


class _RecordMaker:
    """Makes the readings of one document's units."""

    def __init__(
        self,
        parts: Outline,
        found: Sequence[RulePassage],
        settings: WorkRulesDocument,
        dated: Edition,
        sha256: str,
        url: str | None,
    ) -> None:
        self._settings = settings
        self._sha256 = sha256
        self._url = settings.link or url or None
        self._edition = settings.edition or (dated.holds.label if dated.holds else "")
        self._document = settings.document or document_title(parts.cover) or DOCUMENT
        self._as_of = settings.told_as_of() or _as_of(settings.edition, dated)
        self._told: set[int] = set()
        self._body_size = _body_size(found)
        self._titles = {unit.label: unit.title for unit in parts.units if unit.kind == "article"}
        self._explained = any(
            stretch.part == "commentary" for unit in parts.units if unit.kind == "article" for stretch in unit.stretches
        )

    def readings(self, unit: Unit) -> Iterator[Reading]:
        """The record of a unit, if it is wanted, and what a person should know of it."""
        if unit.kind == "form":
            yield self._form_finding(unit)
            if self._settings.forms == "leave_out":
                return
        kept = self._select_wanted(unit)
        if len(kept) < len(unit.stretches):
            yield Finding.note(
                "left out by settings",
                f"page {unit.page}, {unit.label}",
                "its commentary or introduction is left out, as the settings say",
            )
        sections, blanks = self._sections(unit, [stretch for stretch in kept if not self._of_others(stretch)])
        if not sections:
            return
        yield Record(
            record_id=f"{SOURCE.name}/{self._settings.key}/{unit.number}",
            source=SOURCE.name,
            document=self._document,
            number=unit.number,
            label=self._label(unit),
            title=self._title(unit, sections),
            chapter=unit.chapter,
            as_of=self._as_of,
            url=self._url,
            attributes=self._attributes(unit, blanks),
            origin_sha256=self._sha256,
            sections=sections,
        )
        for blank in blanks:
            yield Finding.note(
                "blank", f"page {blank.page}, {unit.label}", "a value that the company has to set", blank.around
            )

    def _form_finding(self, unit: Unit) -> Finding:
        kept = {
            "mark": "kept as a record of its own and marked 様式",
            "keep": "kept as a record of its own",
            "leave_out": "left out, as the settings say",
        }
        return Finding.note(
            "form", f"page {unit.page}, {unit.label}", f"a form to fill in: {kept[self._settings.forms]}", unit.title
        )

    def _label(self, unit: Unit) -> str:
        """The label as printed; of a 別紙 that is a form, with what it is."""
        is_marked = unit.kind == "form" and self._settings.forms == "mark"
        says_so = re.search("様[ \u3000]*式|書[ \u3000]*式", unit.label)
        return f"{unit.label}（{_FORM_HEADING}）" if is_marked and not says_so else unit.label

    def _select_wanted(self, unit: Unit) -> list[RuleStretch]:
        settings = self._settings
        if unit.kind == "preface":
            return unit.stretches if settings.preface else []
        return [stretch for stretch in unit.stretches if settings.commentary or stretch.part == "rule"]

    def _of_others(self, stretch: RuleStretch) -> bool:
        """Whether a stretch that several articles share already stands with another one, where once is enough."""
        if self._settings.shared_commentary == "each" or len(stretch.labels) < 2:
            return False
        seen = id(stretch.passages) in self._told
        self._told.add(id(stretch.passages))
        return seen

    def _attributes(self, unit: Unit, blanks: Sequence[BlankFound]) -> dict[str, Attribute]:
        found: dict[str, Attribute] = {"unit": unit.kind, "has_blanks": bool(blanks), "blanks": len(blanks)}
        return {**found, "edition": self._edition} if self._edition else found

    def _title(self, unit: Unit, sections: Sequence[Section]) -> str:
        if unit.title:
            return one_line(unit.title)
        texts = [block.text for section in sections for block in section.blocks if isinstance(block, TextBlock)]
        if unit.kind == "preface":
            heading = next((section.headings[0] for section in sections if section.headings), "")
            return heading or "前文"
        captions = [caption for text in texts if (caption := caption_line(text))]
        if captions and unit.kind not in ("appendix", "form"):
            return "・".join(captions)
        if unit.kind == "supplement":
            return next((event.label for line in _paragraphs(unit) for event in force_dates(*line)), unit.label)
        # What a bracketed line says of an appendix (単位：円) is not its name.
        words = next((text.partition("。")[0] for text in texts if not caption_line(text)), unit.label)
        return clip(words, _LONGEST_TITLE)

    def _sections(
        self, unit: Unit, stretches: Sequence[RuleStretch]
    ) -> tuple[tuple[Section, ...], tuple[BlankFound, ...]]:
        """Rule text first, then what explains it, each under its own heading."""
        if unit.kind == "preface":
            return self._preface(stretches)
        sections: list[Section] = []
        blanks: list[BlankFound] = []
        for stretch in sorted(stretches, key=lambda stretch: stretch.part == "commentary"):
            rule = stretch.part == "rule"
            blocks, found = blocks_of(
                stretch.passages,
                under_number=rule and unit.kind == "article",
                signs=rule and self._settings.signs,
                fields=unit.kind == "form",
            )
            if blocks:
                headings = self._headings(unit, stretch)
                sections.append(Section(headings=headings, blocks=blocks, part=self._part(unit, stretch)))
                blanks.extend(found)
        return tuple(_merge_neighbours(sections)), tuple(blanks)

    def _part(self, unit: Unit, stretch: RuleStretch) -> Part:
        if unit.kind == "form":
            return FORM
        return RULE if stretch.part == "rule" else COMMENTARY

    def _headings(self, unit: Unit, stretch: RuleStretch) -> tuple[str, ...]:
        if unit.kind == "form":
            return (_FORM_HEADING,) if self._settings.forms == "mark" else ()
        alternative = (one_line(stretch.alternative),) if stretch.alternative else ()
        if stretch.part == "rule":
            return (*((_RULE_HEADING,) if self._explained and unit.kind == "article" else ()), *alternative)
        shared = f"（{'・'.join(stretch.labels)}）" if len(stretch.labels) > 1 else ""
        titles = {unit.title, *(self._titles.get(label, "") for label in stretch.labels)}
        other = [caption for caption in stretch.captions if caption not in titles]
        return (f"{_COMMENTARY_HEADING}{shared}{'：' if other else ''}{'、'.join(other)}", *alternative)

    def _preface(self, stretches: Sequence[RuleStretch]) -> tuple[tuple[Section, ...], tuple[BlankFound, ...]]:
        """The preface under its own headings, which stand out by their size."""
        sections: list[Section] = []
        blanks: list[BlankFound] = []
        path: list[tuple[float, str]] = []
        gathered: list[RulePassage] = []

        def close() -> None:
            blocks, found = blocks_of(gathered, under_number=False, signs=False)
            if blocks:
                sections.append(Section(headings=tuple(words for _, words in path), blocks=blocks))
                blanks.extend(found)
            gathered.clear()

        for passage in (passage for stretch in stretches for passage in stretch.passages):
            if passage.size > 1.08 * self._body_size and "。" not in passage.text and passage.text:
                close()
                path = [(size, words) for size, words in path if size > 1.02 * passage.size]
                path.append((passage.size, one_line(passage.text)))
            else:
                gathered.append(passage)
        close()
        return tuple(sections), tuple(blanks)


def _merge_neighbours(sections: Sequence[Section]) -> Iterator[Section]:
    """Sections with those put together that stand one after the other under the same headings."""
    for _, same in groupby(sections, key=lambda section: (section.headings, section.part)):
        first, *further = same
        blocks = [*first.blocks, *(block for section in further for block in section.blocks)]
        yield first.model_copy(update={"blocks": tuple(blocks)})


def _body_size(found: Sequence[RulePassage]) -> float:
    sizes: Counter[float] = Counter()
    for passage in found:
        sizes[round(passage.size, 1)] += len(passage.text)
    return sizes.most_common(1)[0][0] if sizes else 0.0


def _as_of(told: str, dated: Edition) -> AsOf | None:
    """The date of the edition that the settings name, where it tells one, else the one that the document tells."""
    if told and (first_date(told, or_month=True) or dated.holds is None):
        return AsOf(label=told, date=first_date(told, or_month=True))
    return AsOf(label=dated.holds.label, date=dated.holds.day) if dated.holds else None
