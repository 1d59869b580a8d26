"""Why a PDF cannot be read, or some pages of it: pictures, text that names the wrong characters, vertical lines.

Each page is looked at once and little more than counts is kept; the verdict is over the whole document: one that is
mostly pictures or vertical lines is refused, while single such pages are left out of it and told.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from rag_assets.japanese.radicals import mend_characters
from rag_assets.sources.base import DocumentError, Finding
from rag_assets.sources.pdf.drawings import Drawings
from rag_assets.sources.pdf.remarks import pages_in_words as _pages
from rag_assets.sources.pdf.running import PdfPlace
from rag_assets.sources.pdf.text import BLANKS, Char, PageText, is_sign_font

FEW = 200
"""Characters on a page from which it is no picture, whatever is drawn on it."""
_STAMP = 30
"""Characters that may stand on a scanned page beside running lines: a mark put on afterwards."""
_PICTURE = 0.4
"""Share of a page that pictures cover if it is a scanned one; margins are often cut off."""
_OUTLINES = 150
"""Curved shapes on a page without text from which they are letters drawn as outlines."""

_ENOUGH = 20
"""Characters from which a share says something."""
_BAD_ON_PAGE = 0.05
_BAD_IN_FONT = 0.3
"""Shares of characters that cannot be text. Single ones are no fault: a company's own 外字 have no code either."""
_RARE_KANJI = 0.25
"""Share of kanji outside CP932 and JIS X 0213: below 1% in real text, about two thirds where kanji are random."""
_SCRIPTS = 4
_FOREIGN = 0.1
"""Letters of so many other scripts on one page, making up this share: no text has that, a wrong map does."""
_VOWELS = 0.2
_LETTERS = 200
"""Share of vowels, on a page of at least so many Latin letters: about 40% in English and in romanised Japanese."""

_SUSPECT = re.compile(
    r"[^\t -~\u00a0-\u024f\u0370-\u03ff\u0400-\u04ff\u1e00-\u1eff\u2000-\u2bff\u2e80-\u2fdf\u2ff0-\u30ff\u31c0-\u9fff"
    r"\uf900-\ufaff\ufb00-\ufb06\ufe00-\ufe4f\uff00-\uffef\U0001f000-\U0001faff\U00020000-\U0003ffff]"
)
_KANJI = re.compile(r"[\u3400-\u9fff]+")
_JAPANESE = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_LATIN = re.compile(r"[A-Za-z]")
_CID = re.compile(r"\(cid:\d+\)")

_INSTALL = (
    "install one (Debian, Ubuntu: apt-get install fonts-noto-cjk; Fedora: dnf install google-noto-sans-cjk-fonts) and "
    "run again, or save the PDF with its fonts embedded"
)
_FORM_WORDS = re.compile(r"様式|書式|別紙|別記|別添|申請書|届出書")
_FORM_HEAD = 40
"""Characters at the beginning of a vertical page among which a form names itself."""
_SENTENCES = 3
"""Sentences from which a vertical page that names no form is text that is missed."""
_MOST = 0.5
"""Share of the pages with anything on them above which unreadable ones make the document be refused."""

_OCR = "make their text readable with OCR (adding a text layer to the PDF), and read that PDF instead"

_PICTURES = "only pictures and no text layer"
_PICTURE_REMEDY = f"{_OCR}, or say (picture_pages) that there is nothing to read on these pages"
_VERTICAL = "set in vertical lines (縦書き), which are not read in order"
_VERTICAL_REMEDY = "use an edition set in horizontal lines, or its text"


@dataclass(slots=True)
class _FontUse:
    seen: int = 0
    bad: int = 0
    pages: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class UnreadPages:
    """Pages that are left out of a document that is read.

    Attributes:
        vertical: Pages whose lines are not read, as they are set from top to bottom.
        findings: What a person should know of these pages and of those that are pictures.
    """

    vertical: frozenset[int]
    findings: tuple[Finding, ...]


class Faults:
    """What speaks against reading a document or pages of it: `add` every page, then `refuse`."""

    def __init__(self, name: str, picture_pages: Collection[int] = ()) -> None:
        self._name = name
        self._picture_pages = picture_pages
        self._printed = 0
        self._pages = 0
        self._shown = 0
        self._pictured: dict[int, Sequence[int]] = {}
        self._vertical: dict[int, str] = {}
        self._garbled: defaultdict[str, list[int]] = defaultdict(list)
        self._lost: defaultdict[str, list[int]] = defaultdict(list)
        self._fonts: defaultdict[str, _FontUse] = defaultdict(_FontUse)

    def add(self, page: int, text: PageText, drawings: Drawings | None, rows: Sequence[int], tables: int) -> None:
        """Note a page.

        Args:
            page: Its number.
            text: Its characters.
            drawings: What is drawn on it; may be None where it has more than `FEW` characters.
            tables: Number of tables found on it.
            rows: Characters by row of lines from the top, as `line_rows` has them.
        """
        self._pages += 1
        by_font: defaultdict[str, list[str]] = defaultdict(list)
        for char in text.chars:
            by_font[char.run.font].append(char.text)
        for run in text.standing:
            by_font[run[0].run.font].extend(char.text for char in run)
        words = {font: "".join(texts).replace(" ", "").replace("\u3000", "") for font, texts in by_font.items()}
        printed = sum(map(len, words.values()))
        self._printed += printed
        self._shown += bool(printed or (drawings is not None and _shows_text(drawings, printed)))
        if drawings is not None and printed < FEW and not tables and _shows_text(drawings, printed):
            self._pictured[page] = rows
        for font in text.lost_fonts:
            self._lost[font].append(page)
        if text.vertical:
            self._vertical[page] = _vertical_words(text.chars)
        reason = self._garbled_page(page, words, text.unnamed)
        if reason:
            self._garbled[reason].append(page)

    def _garbled_page(self, page: int, words: dict[str, str], unnamed: Counter[str]) -> str:
        """What is wrong with the characters of a page; empty where they can be text."""
        bad = seen = 0
        for font, text in words.items():
            if is_sign_font(font):
                continue
            wrong = unnamed[font] + sum(_is_bad(character) for character in _SUSPECT.findall(text))
            use = self._fonts[font]
            use.seen += len(text)
            use.bad += wrong
            if wrong:
                use.pages.append(page)
            bad += wrong
            seen += len(text)
        if bad >= _BAD_ON_PAGE * max(seen, _ENOUGH):
            return "characters without a code that means something"
        return _implausible("".join(words.values()))

    def refuse(self, running: Mapping[int, Collection[PdfPlace]]) -> UnreadPages:
        """The pages that are left out, if the document can be read.

        Args:
            running: By page, the rows at its edges that are no text, as `EdgeLines.running` tells.

        Raises:
            DocumentError: It cannot; the message names every page at fault and what to do.
        """
        reasons = [*self._lost_reasons(), *self._garbled_reasons()]
        pictures = self._picture_pages_missed(running)
        vertical = [page for page in self._vertical if page not in self._picture_pages]
        if reasons or len({*pictures, *vertical}) > _MOST * self._shown:
            if pictures:
                reasons.append(f"{_pages(pictures)}: {_PICTURES}; {_PICTURE_REMEDY}")
            if vertical:
                reasons.append(f"{_pages(vertical)}: {_VERTICAL}; {_VERTICAL_REMEDY}")
        if not reasons and not self._printed:
            reasons.append(
                f"none of its {self._pages} pages has any text: if they show text, {_OCR}"
                if self._pages
                else "it has no pages"
            )
        if reasons:
            raise DocumentError("; ".join(f"{self._name}: {reason}" for reason in reasons))
        return UnreadPages(frozenset(self._vertical), tuple(self._left_out(pictures)))

    def _left_out(self, pictures: Sequence[int]) -> Iterator[Finding]:
        """What is told of single pages that cannot be read."""
        if pictures:
            message = f"{_PICTURES}; what they say is missing, the rest is kept: {_PICTURE_REMEDY}"
            yield Finding(kind="fault", topic="picture page", place=_pages(pictures), message=message)
        for page, words in self._vertical.items():
            is_note = page in self._picture_pages or _is_form(words)
            remedy = _VERTICAL_REMEDY if is_note else f"{_VERTICAL_REMEDY}, or name the page in picture_pages"
            yield Finding(
                kind="note" if is_note else "fault",
                topic="vertical page",
                place=f"page {page}",
                message=f"{_VERTICAL}; the page is left out, the rest is kept: {remedy}",
                quote=words[:_FORM_HEAD],
            )

    def _lost_reasons(self) -> list[str]:
        return [
            f"{_pages(pages)}: characters are lost: the font {font} is not embedded in the PDF, and "
            f"this machine has no Japanese font to stand in for it; {_INSTALL}"
            for font, pages in self._lost.items()
        ]

    def _garbled_reasons(self) -> list[str]:
        told = {page for pages in self._garbled.values() for page in pages}
        reasons = [
            f"{_pages(pages)}: the text layer is gibberish ({reason}): its fonts do not tell their characters, or tell "
            f"them wrong; get a PDF with proper text from the publisher, or {_OCR}"
            for reason, pages in self._garbled.items()
        ]
        for font, use in self._fonts.items():
            if use.seen >= _ENOUGH and use.bad >= _BAD_IN_FONT * use.seen and not told.issuperset(use.pages):
                reasons.append(
                    f"{_pages(use.pages)}: the characters in font {font or '(without a name)'} cannot be told (no "
                    f"ToUnicode map, or a wrong one); get a PDF with proper text from the publisher, or {_OCR}"
                )
        return reasons

    def _picture_pages_missed(self, running: Mapping[int, Collection[PdfPlace]]) -> list[int]:
        """Pages that are pictures, but for those of which the settings say that they may be."""
        scanned = []
        for page, rows in self._pictured.items():
            gone = {place if edge == "top" else len(rows) - 1 - place for edge, place in running.get(page, ())}
            if (
                sum(count for row, count in enumerate(rows) if row not in gone) < _STAMP
                and page not in self._picture_pages
            ):
                scanned.append(page)
        return scanned


def _vertical_words(chars: Sequence[Char]) -> str:
    """The characters of a vertical page, columns from right to left: enough to tell which page it is."""
    printed = [char for char in chars if char.text not in BLANKS]
    size = median(char.size for char in printed)
    ordered = sorted(printed, key=lambda char: (-round((char.x0 + char.x1) / 2 / size), char.base))
    return "".join(char.text for char in ordered)


def _is_form(text: str) -> bool:
    """Whether a vertical page is a form or certificate to fill in, by its name or as it says next to nothing."""
    return _FORM_WORDS.search(text[:_FORM_HEAD]) is not None or text.count("。") < _SENTENCES


def _shows_text(drawings: Drawings, printed: int) -> bool:
    """Whether a page with few characters may show more than they say."""
    return drawings.pictures >= _PICTURE or (printed < _STAMP and drawings.curves >= _OUTLINES)


def _is_bad(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cn", "Co", "Cs") or character == "\ufffd"


def _implausible(text: str) -> str:
    """Why a page's characters, each of them good, make no text; empty where they may."""
    if len(_CID.findall(text)) > 2:
        return "(cid:…) instead of characters"
    kanji = mend_characters("".join(_KANJI.findall(text)))
    if len(kanji) >= _ENOUGH and _share_of_rare(kanji) > _RARE_KANJI:
        return "kanji that no Japanese text uses"
    letters = [character for character in _SUSPECT.findall(text) if character.isalpha()]
    if len(letters) > _FOREIGN * len(text):
        scripts = {unicodedata.name(character, "").split(" ")[0] for character in letters}
        if len(scripts) >= _SCRIPTS:
            return "letters of many scripts mixed"
    latin = "".join(_LATIN.findall(text))
    if len(latin) >= _LETTERS and len(latin) > 10 * len(_JAPANESE.findall(text)):
        vowels = sum(latin.lower().count(vowel) for vowel in "aeiou")
        if vowels < _VOWELS * len(latin):
            return "Latin letters that make no words"
    return ""


def _share_of_rare(kanji: str) -> float:
    if 2 * len(kanji) - len(kanji.encode("cp932", "ignore")) <= 2 * _RARE_KANJI * len(kanji):
        return 0.0
    return sum(not character.encode("euc_jis_2004", "ignore") for character in kanji) / len(kanji)
