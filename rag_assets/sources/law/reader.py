"""Law (法令): e-Gov standard XML, one Record an article, with the 附則 under the laws that brought them.

How the XML is opened is in `xml.py`, how an article's inside becomes blocks in `text.py`.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import BinaryIO
from urllib.parse import urlsplit

from rag_assets.japanese.characters import KANJI_NUMERALS, ONE_TO_TEN
from rag_assets.japanese.dates import ERAS, era_year, in_era
from rag_assets.japanese.kanji_numbers import kanji_to_int
from rag_assets.model import AsOf, Attribute, Block, Record, Section, Table
from rag_assets.sources.base import DocumentError, Finding, Reading
from rag_assets.sources.law.source import SOURCE, LawDocument
from rag_assets.sources.law.text import FIGURE, blocks, has_no_printed_number, words
from rag_assets.sources.law.xml import Element, LawEdition, local_name, open_law


def read_document(file: BinaryIO, settings: LawDocument, *, sha256: str, url: str | None = None) -> Iterator[Reading]:
    """A law as records: its articles, 附則, 前文 and 別表, with chapters, paragraphs and items as the XML has them.

    Numbers in IDs: `36`, `32-3-2` for 第三十二条の三の二, `suppl-1` for the first article of the law's own 附則,
    `suppl-20170331-4-1` for that of the law of 2017-03-31 No. 4, `table-1` for 別表第一, `preamble`, and `main` or
    `suppl` where a provision has paragraphs but no articles.

    An article without a caption of its own carries that of the articles before it, as statutes share captions, up to
    one that is deleted; else the title of its chapter. Deleted articles are left out, each with a note.

    The file is bare standard XML (version 3 of the schema), or a response of the law API, version 1 or 2.

    Raises:
        DocumentError: It is no law XML, or a law without a single article or paragraph.
    """
    edition = open_law(file, settings.location, url)
    body = next(_children(edition.law, "LawBody"), None)
    if body is None:
        raise DocumentError("The Law element has no LawBody: the XML is incomplete. Download it again.")
    law = _Law(edition, body, settings, sha256, url)
    yield from law.findings()
    found = 0
    for reading in _number_repeated(_readings(law)):
        found += isinstance(reading, Record)
        yield reading
    if not found:
        raise DocumentError(
            f"{law.title} has no article and no paragraph that could be read. Was it repealed, is the file cut off, or "
            "do the settings leave everything out?"
        )


class _Law:
    """What all records of one law share."""

    def __init__(self, edition: LawEdition, body: Element, settings: LawDocument, sha256: str, url: str | None) -> None:
        self.body = body
        self.settings = settings
        self.edition = edition
        self.number = _first_words(edition.law, "LawNum")
        named = _first_words(body, "LawTitle")
        self.title = settings.document or named or body.get("Subject", "") or self.number or settings.key
        day = edition.enforced_on
        self.as_of = settings.told_as_of() or (AsOf(label=f"{in_era(day)}施行", date=day) if day else None)
        self.url = settings.link or _readers_page(url, edition.law_id) or None
        self.sha256 = sha256

    def findings(self) -> Iterator[Finding]:
        """What is to be known of the law as a whole."""
        if self.as_of is None:
            yield Finding.note(
                "no enforcement date",
                self.title,
                "neither the file nor its name tells from when this edition is in force: headers go without a date. "
                "Set as_of, or fetch the law by its law ID.",
            )
        if self.edition.status:
            yield Finding.note(
                "not in force",
                self.title,
                f"e-Gov marks this edition as {self.edition.status}: what it says may not be the law today.",
            )

    def record(self, place: "_LawPlace", title: str, sections: list[Section]) -> Record:
        attributes: dict[str, Attribute] = {
            "law_id": self.edition.law_id,
            "law_num": self.number,
            "law_type": self.edition.law.get("LawType", ""),
            "supplementary": place.supplementary,
            "amending_law": place.amending_law,
        }
        article = re.match("[0-9]+", place.article)
        if article:
            attributes["article"] = int(article[0])
        return Record(
            record_id=f"{SOURCE.name}/{self.settings.key}/{place.number}",
            source=SOURCE.name,
            document=self.title,
            number=place.number,
            label=place.label,
            title=title,
            chapter=place.chapter,
            as_of=self.as_of,
            url=self.url,
            attributes={key: value for key, value in attributes.items() if value != ""},
            origin_sha256=self.sha256,
            sections=tuple(sections),
        )


@dataclass(frozen=True)
class _LawPlace:
    """Where in a law something stands, and what it is called there.

    Attributes:
        scope: What stands before the article's number in IDs and names: nothing, or that of the 附則.
        label: Name of the provision or article, as one cites it.
        chapter: Titles of what it stands in, outermost first.
        article: The article's own number, `32-3-2`; empty outside articles.
        supplementary: Whether it is part of a 附則.
        amending_law: The law that brought the 附則.
    """

    scope: str = ""
    label: str = ""
    chapter: tuple[str, ...] = ()
    article: str = ""
    supplementary: bool = False
    amending_law: str = ""

    @property
    def number(self) -> str:
        return "-".join(filter(None, (self.scope, self.article)))


def _readings(law: _Law) -> Iterator[Reading]:
    scopes: dict[str, int] = {}
    left_out = 0
    yield from _opening(law)
    for element in law.body:
        name = local_name(element)
        if name == "MainProvision":
            yield from _provision(law, element, _LawPlace(), alone=_LawPlace(scope="main", label="本則"))
        elif name == "SupplProvision":
            wanted = {"all": True, "none": False, "original": not element.get("AmendLawNum")}
            if wanted[law.settings.supplementary]:
                yield from _supplementary(law, element, scopes)
            else:
                left_out += 1
        elif name in _APPENDED:
            yield from _read_appended(law, element, _LawPlace())
    if left_out:
        yield Finding.note(
            "附則 left out", law.title, f"{left_out} 附則 are left out, as the settings want it (`supplementary`)."
        )


def _opening(law: _Law) -> Iterator[Reading]:
    for name, scope, label in (("Preamble", "preamble", "前文"), ("EnactStatement", "enactment", "制定文")):
        found = [block for element in _children(law.body, name) for block in blocks(element)]
        if found:
            yield law.record(
                _LawPlace(scope=scope, label=label), f"{law.title}の{label}", [Section(blocks=tuple(found))]
            )


def _supplementary(law: _Law, element: Element, scopes: dict[str, int]) -> Iterator[Reading]:
    amending = element.get("AmendLawNum", "")
    scope = f"suppl-{_amending_number(amending)}" if amending else "suppl"
    scopes[scope] = scopes.get(scope, 0) + 1
    if scopes[scope] > 1:
        scope = f"{scope}.{scopes[scope]}"
    extract = "抄" if element.get("Extract") == "true" else ""
    place = _LawPlace(
        scope=scope,
        label="附則",
        # The label says 附則 already; that of an amending law has to be told from the others.
        chapter=(f"附則（{amending}）{extract}",) if amending else (),
        supplementary=True,
        amending_law=amending,
    )
    yield from _provision(law, element, place, alone=place)


_AMENDING_LAW = re.compile(
    rf"(?P<era>{'|'.join(ERAS)})(?P<year>[^年]+)年(?P<month>[^月]+)月(?P<day>[^日]+)日.*?第(?P<number>.+)号$"
)


def _amending_number(amending: str) -> str:
    """平成二九年三月三一日法律第四号 as 20170331-4; a law named otherwise by a hash of its name."""
    match = _AMENDING_LAW.fullmatch(amending)
    if match:
        year = 1 if match["year"] == "元" else kanji_to_int(match["year"])
        month, day, number = (kanji_to_int(match[group]) for group in ("month", "day", "number"))
        if year and month and day and number:
            return f"{era_year(match['era'], year)}{month:02}{day:02}-{number}"
    return "x" + hashlib.sha256(amending.encode()).hexdigest()[:8]


def _provision_name(place: _LawPlace) -> str:
    """附則（平成二九年三月三一日法律第四号）; empty for what is in no 附則."""
    if not place.supplementary:
        return ""
    return f"附則（{place.amending_law}）" if place.amending_law else "附則"


def _name_place(place: _LawPlace, label: str) -> str:
    """A label with the 附則 it stands in, for findings."""
    return f"{_provision_name(place)}{label.removeprefix('附則')}" if place.supplementary else label


_DIVISIONS = frozenset({"Part", "Chapter", "Section", "Subsection", "Division"})


def _provision(law: _Law, element: Element, place: _LawPlace, *, alone: _LawPlace) -> Iterator[Reading]:
    """The articles of a provision; paragraphs that stand in no article together as one record, at `alone`."""
    paragraphs = list(_children(element, "Paragraph"))
    if _is_all_deleted(paragraphs):
        yield Finding.note("deleted provision", _provision_name(alone) or alone.label, _LEFT_OUT["deleted"])
    elif paragraphs:
        title = _own_caption(paragraphs[0], "ParagraphCaption") or alone.amending_law or f"{law.title}の{alone.label}"
        yield from _record(law, alone, title, paragraphs, [])
    yield from _articles(law, element, place)
    for appended in element:
        if local_name(appended) in _APPENDED:
            yield from _read_appended(law, appended, place)


def _articles(law: _Law, element: Element, place: _LawPlace) -> Iterator[Reading]:
    # The drafting convention of the shared caption (共通見出し): it stands over the first of the articles only. Whether
    # it goes on behind an article that is gone, nothing in the XML tells.
    shared = ""
    for child in element:
        name = local_name(child)
        if name in _DIVISIONS:
            shared = ""
            title = _own_caption(child, f"{name}Title")
            inside = replace(place, chapter=(*place.chapter, title)) if title else place
            if _is_deleted(child) or (title.endswith("削除") and not list(_children(child, "Article"))):
                yield Finding.note("deleted chapter", title, "deleted, and left out")
            else:
                yield from _articles(law, child, inside)
        elif name == "Article":
            left_out = _why_left_out(child)
            if left_out:
                shared = ""
                where = f"{_provision_name(place)}{_own_caption(child, 'ArticleTitle')}"
                yield Finding.note(f"{left_out} article", where, _LEFT_OUT[left_out])
            else:
                shared = _own_caption(child, "ArticleCaption") or shared
                yield from _article(law, child, place, shared)


_LEFT_OUT = {
    "deleted": "deleted, and left out",
    "hidden": "marked as hidden in the XML, and left out",
}


def _why_left_out(article: Element) -> str:
    """A key of `_LEFT_OUT`; empty for an article that holds."""
    if _is_deleted(article) or _is_all_deleted(list(_children(article, "Paragraph"))):
        return "deleted"
    return "hidden" if article.get("Hide") == "true" else ""


def _article(law: _Law, element: Element, place: _LawPlace, caption: str) -> Iterator[Reading]:
    printed = _own_caption(element, "ArticleTitle")
    where = f"{_provision_name(place)}{printed}"
    paragraphs = list(_children(element, "Paragraph"))
    number = _article_number(element.get("Num", ""), printed)
    if not number:
        yield Finding.fault(
            "article without number",
            where or "an article without a name",
            "neither its Num attribute nor its name tells its number, so it has no ID and is left out; "
            "correct the XML.",
        )
        return
    label = f"{place.label}{printed or f'第{number}条'}"
    title = caption or _bare_title(place.chapter[-1] if place.chapter else "") or law.title
    notes = list(_children(element, "SupplNote"))
    yield from _record(law, replace(place, article=number, label=label), title, paragraphs, notes)


def _record(
    law: _Law, place: _LawPlace, title: str, paragraphs: list[Element], notes: list[Element]
) -> Iterator[Reading]:
    sections = _paragraph_sections(paragraphs, title)
    further = tuple(block for note in notes for block in blocks(note))
    if further:
        sections.append(Section(blocks=further))
    if not sections:
        yield Finding.note("empty provision", place.label, "has no words, and is left out")
        return
    record = law.record(place, title, sections)
    yield record
    yield from _report_record(record, place, sum(map(has_no_printed_number, paragraphs)))


def _paragraph_sections(paragraphs: list[Element], title: str) -> list[Section]:
    """Every paragraph as a section of its own, so that chunks are cut between paragraphs rather than inside them.

    Paragraphs that share a caption are one section under it, as the drafting convention has it; the caption that
    already is the record's title is not said again.
    """
    sections: list[Section] = []
    shared = ""
    for paragraph in paragraphs:
        caption = _own_caption(paragraph, "ParagraphCaption")
        # The caption comes first of the blocks; here it is the heading.
        found = tuple(blocks(paragraph))[1 if caption else 0 :]
        shared = caption or shared
        headings = (shared,) if shared not in ("", title) else ()
        if headings and sections and sections[-1].headings == headings:
            sections[-1] = Section(headings=headings, blocks=(*sections[-1].blocks, *found))
        elif found:
            sections.append(Section(headings=headings, blocks=found))
    return sections


def _report_record(record: Record, place: _LawPlace, numbered: int) -> Iterator[Finding]:
    where = _name_place(place, record.label)
    if numbered:
        yield Finding.note(
            "unprinted paragraph number",
            where,
            f"{numbered} paragraphs of this old law print no number: they are numbered ②, ③ as e-Gov shows them.",
        )
    figures = sum(
        text.count(FIGURE) for section in record.sections for block in section.blocks for text in _texts(block)
    )
    if figures:
        yield Finding.note(
            "figure", where, f"{figures} images have no words in the XML; the text says {FIGURE} in their place."
        )


def _texts(block: Block) -> tuple[str, ...]:
    return tuple(cell.text for cell in block.cells) if isinstance(block, Table) else (block.text,)


_APPENDED = {
    "AppdxTable": ("table", "別表"),
    "AppdxNote": ("note", "別記"),
    "AppdxStyle": ("style", "様式"),
    "AppdxFormat": ("format", "書式"),
    "Appdx": ("appendix", "付録"),
    "AppdxFig": ("figure", "別図"),
    "SupplProvisionAppdxTable": ("table", "附則別表"),
    "SupplProvisionAppdxStyle": ("style", "附則様式"),
    "SupplProvisionAppdx": ("appendix", "附則付録"),
}
"""Element to the name it has in IDs, and the name it goes by where it has none."""


def _read_appended(law: _Law, element: Element, place: _LawPlace) -> Iterator[Reading]:
    kind, unnamed = _APPENDED[local_name(element)]
    heading = _own_caption(element, f"{local_name(element)}Title", "ArithFormulaNum") or unnamed
    label, title, referred = _split_heading(heading)
    if not law.settings.appended:
        yield Finding.note(f"{unnamed} left out", heading, "left out, as the settings want it (`appended`)")
        return
    related = " ".join(_without_brackets(words(child)) for child in _children(element, "RelatedArticleNum")) or referred
    content = [child for child in element if local_name(child) not in ("", "RelatedArticleNum", "ArithFormulaNum")]
    content = [child for child in content if local_name(child) != f"{local_name(element)}Title"]
    found = [block for child in content for block in blocks(child)]
    if _is_deleted(element) or _is_appendix_deleted(label, title, related, found):
        yield Finding.note("deleted appendix", _name_place(place, label), _LEFT_OUT["deleted"])
        return
    if not any(text.replace(FIGURE, "").strip() for block in found for text in _texts(block)):
        yield Finding.note(
            "no words", heading, f"has no words in the XML, only images, and is left out: see {law.title}."
        )
        return
    # 別表第一の二 is table-1-2; where the name has no number, the kind alone: most laws have just one.
    number = _article_number("", label.replace(unnamed, "", 1))
    inside = replace(place, label=label, scope="-".join(filter(None, (place.scope, kind, number))))
    record = law.record(inside, title or related or f"{law.title}の{label}", [Section(blocks=tuple(found))])
    yield record
    yield from _report_record(record, inside, 0)


def _number_repeated(readings: Iterator[Reading]) -> Iterator[Reading]:
    """The readings with every ID once: a number that comes again gets `.2` behind it, and a note says so."""
    seen: dict[str, int] = {}
    for reading in readings:
        if isinstance(reading, Record):
            count = seen[reading.number] = seen.get(reading.number, 0) + 1
            if count > 1:
                number = f"{reading.number}.{count}"
                yield Finding.note(
                    "duplicate ID", reading.label, f"its number stands more than once; this one is {number}"
                )
                reading = reading.model_copy(update={"number": number, "record_id": f"{reading.record_id}.{count}"})
        yield reading


_NUM = re.compile(r"[0-9]+(?:_[0-9]+)*(?::[0-9]+(?:_[0-9]+)*)?")
_PRINTED_NUMBER = re.compile(rf"第([{KANJI_NUMERALS}]+|\d+)[条号]?((?:の(?:[{KANJI_NUMERALS}]+|\d+))*)")


def _article_number(num: str, printed: str) -> str:
    """Num="32_3_2" as 32-3-2, a range 38:84 as 38to84; without a Num, the number is read from the name."""
    if _NUM.fullmatch(num):
        return num.replace("_", "-").replace(":", "to")
    match = _PRINTED_NUMBER.search(printed)
    parts = (match[1], *match[2].split("の")[1:]) if match else ()
    numbers = [int(part) if part.isdecimal() else kanji_to_int(part) for part in parts]
    return "-".join(map(str, numbers)) if numbers and all(numbers) else ""


def _is_deleted(element: Element) -> bool:
    return bool(element.get("Delete") == "true")


_DELETED = re.compile(r"[（(〔［【]?\s*削\s*除\s*[）)〕］】]?")
_ENDS_DELETED = re.compile(rf"(?:[〇{ONE_TO_TEN}表式記図録号]|まで)\s*{_DELETED.pattern}$")


def _is_all_deleted(paragraphs: list[Element]) -> bool:
    """Whether all that an article or a provision of paragraphs says is 削除."""
    said = [
        "".join(words(sentence) for sentence in _children(paragraph, "ParagraphSentence")) for paragraph in paragraphs
    ]
    has_more = any(local_name(child) not in _OWN_WORDS for paragraph in paragraphs for child in paragraph)
    return bool(said) and not has_more and all(map(_DELETED.fullmatch, said))


_OWN_WORDS = frozenset({"", "ParagraphCaption", "ParagraphNum", "ParagraphSentence"})


def _is_appendix_deleted(label: str, title: str, related: str, found: list[Block]) -> bool:
    """Whether all that a 別表 or the like says is 削除, in its name (別表第一　削除) or where its content would be."""
    said = [text for block in found for text in _texts(block) if text.strip()]
    if said:
        return all(map(_DELETED.fullmatch, said))
    return _ENDS_DELETED.search(label) is not None or any(map(_DELETED.fullmatch, (title, related)))


_REFERENCE = re.compile(r"(?:(?:本則|附則)?第[^（()）]*[条項]|別表|附則|本則)[^（()）]*|[^（()）]*関係")
"""What stands in brackets in the name of a 別表 and says which article it belongs to: 第二条関係."""


def _split_heading(heading: str) -> tuple[str, str, str]:
    """別表第一（第二条関係）　手数料（消費税を除く。） as its name, its title, and the article it belongs to.

    Other brackets are part of name or title.
    """
    referred: list[str] = []

    def take(match: re.Match[str]) -> str:
        if not match.start() or not _REFERENCE.fullmatch(_BRACKETED.sub("", match[1])):
            return match[0]
        referred.append(match[1])
        return ""

    label, _, title = _BRACKETED.sub(take, heading).partition("\u3000")
    return label, title.strip("\u3000"), " ".join(referred)


def _bare_title(title: str) -> str:
    """The words of a chapter's title: 罰則 of 第十三章　罰則."""
    return title.partition("\u3000")[2] or title


_BRACKETED = re.compile(r"[（(]([^（()）]*(?:[（(][^（()）]*[）)][^（()）]*)*)[）)]")
"""The whole in one pair of brackets, which may hold others: （定義）, （通則（総則を除く。））."""


def _own_caption(element: Element, *names: str) -> str:
    """The words of the first child of these names, without the brackets around a caption."""
    return _without_brackets(_first_words(element, *names))


def _first_words(element: Element, *names: str) -> str:
    """The words of the first child of these names; empty where there is none."""
    child = next((child for child in element if local_name(child) in names), None)
    return words(child) if child is not None else ""


def _without_brackets(text: str) -> str:
    """A text without the pair of brackets around the whole of it; others stay."""
    bracketed = _BRACKETED.fullmatch(text)
    return bracketed[1] if bracketed else text


def _children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if local_name(child) == name)


def _readers_page(url: str | None, law_id: str) -> str | None:
    """Where a person reads the law: for what came from the law API, e-Gov's page of the law."""
    if url and law_id:
        parts = urlsplit(url)
        if parts.path.startswith("/api/"):
            return f"{parts.scheme}://{parts.netloc}/law/{law_id}"
    return url
