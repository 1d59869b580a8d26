"""How documents of rules head their pieces: 第６条, （試用期間）, 第１章, ［例１］, 【第６条　試用期間】, 附則.

Single lines only, by their words; whether a line that looks like an article is one is decided in `articles`,
what a table of contents is in `contents`, and what 別表 and 様式 look like is in `appendices`.
"""

import re
import unicodedata
from dataclasses import dataclass

from rag_assets.japanese.characters import (
    CLOSING,
    DIGITS,
    GAP,
    KANJI_NUMERALS,
    ONE_TO_TEN,
    OPENING,
    SPACES,
    remove_spaces,
)
from rag_assets.japanese.kanji_numbers import kanji_to_int
from rag_assets.japanese.whitespace import close_spaced
from rag_assets.sources.work_rules.history import is_history, split_history

NUMBER = rf"(?:[{DIGITS}][{DIGITS}{SPACES}]*|[{KANJI_NUMERALS}]+)"
"""A number in digits of any width, spaced out or not, or in kanji."""

ARTICLE = rf"第{GAP}{NUMBER}{GAP}条(?:{GAP}の{GAP}{NUMBER})*"
"""An article's number as printed: 第 10 条の２."""
_ARTICLE_LINE = re.compile(rf"^(?P<label>{ARTICLE})(?P<rest>(?:[ \u3000（(【［\[〔＜<〈].*|削[ \u3000]*除。?)?)$")
_ARTICLE_CLOSE = re.compile(rf"^(?P<label>{ARTICLE})(?P<rest>[^ぁ-ん、。）)」第・～〜及又若].*)$")
_CAPTION_FIRST = re.compile(
    rf"^{GAP}[{OPENING}](?P<caption>[^（）()【】]+(?:[（(][^（）()]*[）)][^（）()]*)*)[{CLOSING}](?P<rest>.*)$"
)
_CAPTION_LINE = re.compile(r"^[（(](?P<caption>[^（）()【】。]+(?:[（(][^（）()。]*[）)][^（）()。]*)*)[）)]$")
_CHAPTER = re.compile(rf"^第{GAP}(?P<number>{NUMBER}){GAP}(?P<level>[編章節款])(?:{GAP}の{GAP}{NUMBER})?(?P<title>.*)$")
LEVELS = "編章節款"
"""Kinds of chapters, the outermost first."""
_CLOSE_TITLE = re.compile(r"^[^ぁ-ん、）)」第・～〜及又若]([^、]{0,24}[^、をにはがでと])?$")
"""A title with no space before it: short, and no middle of a sentence."""
_SUPPLEMENT = re.compile(rf"^[附付]{GAP}則(?:{GAP}[（(](?P<of>[^（）()]*)[）)])?$")
_ALTERNATIVE = re.compile(
    rf"^[［\[〔【＜<（(]{GAP}(?:規定|規程)?例{GAP}(?:{NUMBER}|[A-ZＡ-Ｚ])[^］\]〕】＞>）)]*[］\]〕】＞>）)](?P<title>.*)$"
)
_INLINE = re.compile(r"^[はがをにのでともや、。]")
_COMMENTARY_OF = re.compile(
    rf"^[【［\[〔＜<〈《◆■]{GAP}(?P<labels>{ARTICLE}(?:{GAP}[、・,及びから～〜]+{GAP}{ARTICLE})*)(?P<caption>[^】］\]〕＞>〉》。]*)[】］\]〕＞>〉》]?$"
)
_COMMENTARY = re.compile(
    rf"^[【［\[〔＜<〈《◆■（(]?{GAP}(?:解{GAP}説|逐条解説|条文解説|趣{GAP}旨|留意点|留意事項|ポイント"
    rf"|運用上の(?:注意|留意点)|補足説明){GAP}[】］\]〕＞>〉》）)]?$"
)
_CONTENTS = re.compile(rf"^[［\[【〔]?{GAP}目{GAP}次{GAP}[］\]】〕]?$")
_LEADERS = re.compile(r"[…‥]{2,}|[・.．･]{4,}")
_DELETED = re.compile(
    r"^[ \u3000（(【［\[〔＜<〈]*"
    r"(?:(?:(?:令和|平成|昭和|大正)[0-9０-９元]|[0-9０-９]{4}年)[^ぁ-ん]{0,24}(?:により|で)?)?"
    r"(?:削[ \u3000]*除|欠[ \u3000]*番)(?:[ \u3000]*[（(〔［][^（）()]*[）)〕］])?[ \u3000）)】］\]〕＞>〉。]*$"
)
AND = rf"{GAP}(?:から|～|〜|－|―|—|–|-|ないし|乃至|及び|並びに|又は|、|，|・){GAP}"
_RANGE = re.compile(rf"^(?P<first>{ARTICLE})(?:{AND}{ARTICLE})*{AND}(?P<last>{ARTICLE})(?:まで)?(?P<rest>.*)$")
_BRACKETED_MARK = rf"[（(](?:[{DIGITS}]{{1,2}}|[ア-ンｱ-ﾝa-zａ-ｚ]|[{ONE_TO_TEN}]{{1,2}})[）)]"
_ITEM = re.compile(
    rf"^(?:{_BRACKETED_MARK}(?!から|又は|及び|[、，・をにはがの])"
    rf"|[{DIGITS}]{{1,2}}[.．、]?[{SPACES}]|[{ONE_TO_TEN}]{{1,2}}[{SPACES}]|[ア-ンａ-ｚa-z][.．、]?[{SPACES}]"
    r"|[①-⑳㋐-㋾⑴-⒇㈠-㈩]|[・●■◆○※])"
)


@dataclass(frozen=True, slots=True)
class ArticleHeading:
    """The line an article begins with.

    Attributes:
        label: The number as printed, without blanks inside: 第６条, 第10条の２.
        number: It as numbers: (6,), (10, 2).
        caption: The caption where it stands on the same line, without its brackets.
        rest: What of the article's text stands on the line.
    """

    label: str
    number: tuple[int, ...]
    caption: str
    rest: str

    @property
    def deleted(self) -> bool:
        """Whether all it says is that it is deleted."""
        return is_deleted(self.rest) or (not self.rest and is_deleted(self.caption))


@dataclass(frozen=True, slots=True)
class ChapterHeading:
    """A chapter's line: 第４章　労働時間. `level` is 0 for 編, 1 for 章, 2 for 節, 3 for 款.

    `beside` is what of the document's head stands on the same line: 就業規則　2024年7月1日 制定.
    """

    level: int
    number: int
    label: str
    title: str
    beside: str = ""


def article_heading(text: str, *, below_caption: bool = False) -> ArticleHeading | None:
    """The heading of a line that looks like an article's first: 第６条　…, 第6条（試用期間）…, 第六条　（試用期間）.

    A mention is none: 第６条の規定により, 第６条第２項.

    Args:
        text: The line.
        below_caption: Whether a line that can be its caption stands above; then the text may follow with no space.
    """
    match = _ARTICLE_LINE.match(text) or (_ARTICLE_CLOSE.match(text) if below_caption else None)
    if match is None or not numbers_in(match["label"]):
        return None
    rest = match["rest"]
    inner = _CAPTION_FIRST.match(rest) if rest else None
    # Behind the number, （以下…）and the number of a list's first item are no captions.
    if inner is not None and not re.search(r"以下|。|^[0-9０-９ア-ンa-z]{1,2}$", inner["caption"]):
        caption, rest = inner["caption"], inner["rest"]
    else:
        caption = ""
        if rest and rest[0] not in SPACES and not below_caption and not is_deleted(rest):
            return None
    return ArticleHeading(
        label=remove_spaces(match["label"]),
        number=numbers_in(match["label"]),
        caption=_tidy(caption),
        rest=rest.strip(SPACES),
    )


def caption_line(text: str) -> str:
    """The caption of a line that is nothing but one in brackets: （試用期間）; empty where it is not."""
    match = _CAPTION_LINE.match(text)
    return _tidy(match["caption"]) if match else ""


def chapter_heading(text: str) -> ChapterHeading | None:
    """The chapter of a line that names one: 第１章　総則, 第2節 休日."""
    match = _CHAPTER.match(text)
    if match is None or "。" in text or _LEADERS.search(text):
        return None
    if match["title"][:1] not in ("", " ", "\u3000") and not _CLOSE_TITLE.match(match["title"]):
        return None
    title, beside = _split_off_head(match["title"].strip(SPACES))
    label = remove_spaces(text[: match.start("title")])
    numbers = numbers_in(label)
    level = LEVELS.index(match["level"])
    return ChapterHeading(level, numbers[0], label, close_spaced(title), beside) if numbers else None


def _split_off_head(title: str) -> tuple[str, str]:
    """A chapter's title, and the document's title and date where they stand right of it on the same line."""
    name, beside = split_history(title)
    parted = re.match(r"(.*?)[ \u3000]{2,}([^ \u3000].*)$", name) if beside else None
    if parted and rules_title(close_spaced(parted[2])):
        return parted[1], f"{parted[2]}\u3000{beside}"
    return name, beside


def supplement_heading(text: str) -> str | None:
    """What a line 附則 says in brackets behind it, empty where nothing; None where it is no such line."""
    match = _SUPPLEMENT.match(text)
    return match["of"] or "" if match else None


def alternative_heading(text: str) -> bool:
    """Whether a passage heads one of several alternatives: ［例１］　完全週休２日制を採用する場合; no sentence does."""
    match = _ALTERNATIVE.match(text)
    return match is not None and "。" not in text and not _INLINE.match(match["title"].strip(SPACES))


@dataclass(frozen=True, slots=True)
class CommentaryHeading:
    """A line that heads commentary: the articles it names, as printed, none for a bare 【解説】, and its caption."""

    labels: tuple[str, ...]
    caption: str


def commentary_heading(text: str) -> CommentaryHeading | None:
    """The heading of a line like 【第６条　試用期間】, ＜第６条の解説＞ or 【解説】; None where it is no such line."""
    match = _COMMENTARY_OF.match(text)
    if match is not None:
        labels = tuple(remove_spaces(label) for label in re.findall(ARTICLE, match["labels"]) if numbers_in(label))
        caption = _tidy(re.sub(r"^(?:の|[ \u3000]*関係)?[ \u3000]*|[ \u3000]*関係$", "", match["caption"]))
        return CommentaryHeading(labels, "" if _COMMENTARY.match(caption) else caption)
    return CommentaryHeading((), "") if _COMMENTARY.match(text) else None


def contents_heading(text: str) -> bool:
    """Whether a line heads the table of contents."""
    return bool(_CONTENTS.match(text))


def contents_key(text: str) -> tuple[str, tuple[int, ...]] | None:
    """What a line of the table of contents points to: ("章", (1,)); None where that is neither chapter nor article."""
    match = re.match(rf"^第{GAP}{NUMBER}{GAP}([編章節款条])(?:{GAP}の{GAP}{NUMBER})*", text)
    numbers = numbers_in(match.group()) if match else ()
    return (match[1], numbers) if match and numbers else None


def rules_title(text: str) -> bool:
    """Whether a line can be the title of a set of rules: 賃金規程."""
    return bool(re.match(r"^[^。、，（()）第【［「]{2,30}(?:規程|規則|細則|内規|規定)$", text))


def has_leaders(text: str) -> bool:
    """Whether a line leads the eye to a page number: 第１章　総則………１０."""
    return bool(_LEADERS.search(text)) and bool(re.search(r"[0-9０-９]+[ \u3000）)]*$", text))


def is_deleted(rest: str) -> bool:
    """Whether all that stands behind a number is that it is deleted: 削除, （削　除）, 令和３年４月１日削除, 欠番."""
    return bool(_DELETED.match(rest))


def deleted_range(text: str) -> tuple[str, str] | None:
    """First and last label of a line that deletes several articles: 第８条から第10条まで　削除."""
    match = _RANGE.match(text)
    if match is None or not is_deleted(match["rest"]):
        return None
    return remove_spaces(match["first"]), remove_spaces(match["last"])


def is_heading(text: str) -> bool:
    """Whether a line stands by itself, whatever comes before and after it."""
    return (
        chapter_heading(text) is not None
        or supplement_heading(text) is not None
        or commentary_heading(text) is not None
        or bool(caption_line(text))
        or contents_heading(text)
        or has_leaders(text)
        or deleted_range(text) is not None
        or is_history(text)
    )


def opens_item(text: str) -> bool:
    """Whether a line begins a passage of its own: an article, a numbered paragraph, a list item, an alternative."""
    return bool(_ITEM.match(text) or _ALTERNATIVE.match(text) or article_heading(text) or text[:1] == "【")


def item_mark(text: str) -> bool:
    """Whether a passage is a list item or numbered paragraph, its mark set apart from its words or not: ２．休みは."""
    return bool(_ITEM.match(text)) or paragraph_number(text) > 0


def paragraph_number(text: str) -> int:
    """The number of a numbered paragraph (２　…), 0 where it has none."""
    match = re.match(r"^([0-9０-９]{1,2})(?:[.．]?[ \u3000]|[.．](?![0-9０-９]))", text)
    return int(match[1]) if match else 0


def numbers_in(label: str) -> tuple[int, ...]:
    """The numbers of a label, in digits of any width or in kanji: 第十条の二 is (10, 2).

    Empty where what stands for a number is none: 第〇〇条.
    """
    plain = remove_spaces(unicodedata.normalize("NFKC", label))
    digits = re.findall(rf"[0-9]+|[{KANJI_NUMERALS}]+", plain)
    numbers = [int(part) if part.isascii() else kanji_to_int(part) for part in digits]
    known = tuple(number for number in numbers if number is not None)
    return known if len(known) == len(numbers) else ()


def _tidy(caption: str) -> str:
    return re.sub(r"[ \u3000]{2,}", "\u3000", caption.strip(SPACES))
