"""The blanks of a printed line: which gaps between its characters, and which spaces that the PDF sets, a reader sees.

Where characters stand is told by `text`, which of them make a line by `lines`; what a blank means is told by
the source that reads the line.
"""

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from rag_assets.sources.pdf.text import BLANKS, Char

_WIDE_GAP = 0.6
"""A gap that is a blank wherever it stands, in em; justified lines are spread by less."""
_WORD_GAP = 0.2
"""A gap between two Latin words, in em, and the narrowest space of a Japanese font."""
_LETTER_GAP = 0.4
"""A gap that is more than the spread of its line by this much parts Japanese: half an em, a little less when set tight.
Programs put a quarter of an em between Japanese and Latin characters (JIS X 4051), stretched to a third and more."""
_FIGURE_GAP = 0.24
"""Parts two figures of full width, and an article's number from its words: neither is set apart by programs."""
_LATIN_FIGURE_GAP = 0.45
"""Parts a number of half width from Japanese words."""
_SET_GAP = 0.05
"""What a space that the PDF sets has to take between two figures or behind an item's mark."""
_DOUBLED = 0.2
"""The same character again within so many em is drawn twice to look bold."""
_BLANK = "\u3000"

_LONGEST_MARK = 30
_FIGURES = "0-9０-９"
_KANJI = "〇一二三四五六七八九十百千"
_FIGURE = re.compile(rf"[{_FIGURES}{_KANJI}万億○◯●△]")
"""A figure, or what stands for one in a form."""
_BRACKETED = r"[（(【［\[〔＜《][^（()）。、【】「」]{1,28}[）)】］\]〕＞》]"
_PROVISION = rf"第(?:[{_FIGURES}]+|[{_KANJI}]+)"
_BRANCH = rf"(?:の(?:[{_FIGURES}]+|[{_KANJI}]+))*"
_TITLE = re.compile(
    rf"(?:{_BRACKETED})?(?:{_PROVISION}(?:条{_BRANCH}|[編部章節款目項号])|問[{_FIGURES}]+(?:[-－‐–の][{_FIGURES}]+)?[．.]?)"
)
"""What numbers an article, a chapter or a question, at the beginning of a line."""
_BARE_NUMBER = re.compile(rf"[{_FIGURES}]{{1,3}}|[{_KANJI}]{{1,4}}|[○◯●△]")
"""A number at the beginning of a line may be an item's or a quantity that the line before does not tell."""
_MARK = re.compile(
    r"(?:[・･•‣○◯●◇◆□■△▲▽▼☆★※▪▶▷➢✓✔⇒→➡◎]"
    rf"|[①-⑳㉑-㉟㊱-㊿⑴-⒇⒈-⒛ⅰ-ⅿⅠ-Ⅿ㋐-㋾]|[ァ-ヺ]|[a-zａ-ｚ]|{_BRACKETED}"
    rf"|(?:[{_FIGURES}]{{1,3}}|[{_KANJI}]{{1,4}}|[ァ-ヺa-zａ-ｚ])[．.、)）:：]?"
    rf"|(?:[QＱAＡ]|問|質問|回答|答え?)[．.－-]?(?:[{_FIGURES}]{{1,3}}(?:[－-][{_FIGURES}]{{1,3}})?)?[．.：:）)]?"
    rf"|(?:注|※|例|別表|附表|様式)[第{_FIGURES}{_KANJI}]{{0,4}}[：:]?|附則|付則){{1,2}}"
)
"""What marks an item, a note or a caption at the beginning of a line."""
_OF_NUMBER = re.compile(
    r"年(?!次|度|末|始|少|齢|金|俸|間[休総所])|[かヶカヵケ箇][月所年国]|月(?![額給例末])|日(?![曜給額常勤数々])|週(?![休払])"
    r"|時間(?![外帯給単])|時(?![間差期季給])|分(?![割限担])|秒|[千万億]|円|[人](?![事員])|名(?![称前義簿])|回(?![数答])"
    r"|[歳才倍番階台枚冊級種つ%％]|割(?![増引])|件(?![数名])|点(?!検)|条(?![件文例])|項(?!目)|号(?!外)|個(?![人別])"
    r"|章|節|款|代(?![表理休わ])|部(?![門署下長])|以[上下内降外]|未満|を|超え|又は|及び|若しくは|から|まで|ページ|頁"
    r"|は(?!じ)|が(?!ん)|に|の|で|と(?!き)|も(?!っ)|へ"
)
"""What goes on behind a quantity, not behind the number of an item: units, counters, particles."""
_GOES_ON = frozenset("はがをにのでともや、。")
"""Behind 第10条 at a line's beginning: a reference that the line before leads to, no article."""
_OPENING, _CLOSING = frozenset("（(「『【［[〔〈《＜“‘"), frozenset("）)」』】］]〕〉》＞”’、。，．,.；;：:！？!?")
_BLANK_MAY_FOLLOW = frozenset("（(「『【［[〔〈《＜：:／/～〜~、，")
"""Marks behind which a blank to fill in may stand; behind others a space is only typed for the looks."""
_DATE = frozenset("年月日時分秒円か歳回人名")
"""Units before and behind which forms leave blanks: spaces beside them do not tell that a line is spread by spaces."""
_FEW_SPACES = 3


def spaced(chars: Sequence[Char], size: float) -> str:
    """The characters of a line with the blanks that a reader sees between them.

    A gap of 0.6 em and more is that many U+3000. A narrower one, as a space of half width makes it, is one U+3000
    where it parts something: behind the mark or number of an item, article, chapter or question at the line's
    beginning, between two figures, between Japanese characters where it is more than the line is spread by or the PDF
    sets a space there. Latin words and figures have one space between them. Lines that are spread by a space between
    nearly all characters are read without these spaces.

    Args:
        chars: From left to right, blanks among them.
        size: Size of most of them in points; gaps are measured in it.
    """
    parts: list[str] = []
    line = _GapLine(chars, size)
    before: Char | None = None
    blank = ""
    end = 0.0
    for index, char in enumerate(chars):
        text = char.text
        if text in BLANKS:
            blank = max(blank, text)
            continue
        if before is not None:
            if text == before.text and char.x0 - before.x0 < _DOUBLED * size:
                continue
            gap = (char.x0 - end) / size
            if gap >= _WIDE_GAP:
                parts.append(_BLANK * round(gap))
            elif gap >= _WORD_GAP or (blank and gap > _SET_GAP):
                parts.append(line.blank(parts, before, index, gap, blank))
        parts.append(text)
        before, blank, end = char, "", max(end, char.x1)
    return "".join(parts)


class _GapLine:
    """Judges gaps of less than 0.6 em by the line that they stand in; what it takes to is looked at only if asked."""

    def __init__(self, chars: Sequence[Char], size: float) -> None:
        self._chars = chars
        self._size = size

    def blank(self, parts: Sequence[str], before: Char, index: int, gap: float, blank: str) -> str:
        """What stands between a character and the one at `index`: nothing, a space or U+3000.

        Args:
            parts: The line up to the gap.
            before: The last character before it.
            index: Of the next one.
            gap: Its width in em.
            blank: The blank that the PDF sets in it, if any.
        """
        char = self._chars[index]
        if _is_latin(before.text) and _is_latin(char.text):
            return " "
        if blank == _BLANK and gap >= _WORD_GAP:
            return blank
        more = 0.0 if before.run.tight or char.run.tight else gap - self._spread
        if (
            self._is_behind_mark("".join(parts), index, more, blank)
            or _parts_figures(before.text, char.text, more, blank)
            or self._parts_words(before.text, char.text, gap, more, blank)
        ):
            return _BLANK
        return ""

    def _is_behind_mark(self, start: str, index: int, more: float, blank: str) -> bool:
        """Whether what the line begins with is a mark or number, and the gap behind it no part of a sentence."""
        if len(start) > _LONGEST_MARK or self._chars[index].text in _CLOSING:
            return False
        start = start.replace(_BLANK, "").replace(" ", "")
        least = _LATIN_FIGURE_GAP if start[-1] in "0123456789" else _LETTER_GAP
        if _TITLE.fullmatch(start):
            goes_on = self._chars[index].text in _GOES_ON
            return bool(blank) or more >= (least if goes_on or least > _LETTER_GAP else _FIGURE_GAP)
        if not (blank or more >= least) or not _MARK.fullmatch(start):
            return False
        if _BARE_NUMBER.fullmatch(start) and _OF_NUMBER.match(self._following(index)):
            return False
        return not self._is_spread_by_spaces

    def _following(self, index: int) -> str:
        return "".join(char.text for char in self._chars[index : index + 8] if char.text not in BLANKS)

    def _parts_words(self, before: str, after: str, gap: float, more: float, blank: str) -> bool:
        """Whether the gap parts what is no figure: a blank to fill in, or words side by side."""
        if before in _OPENING and after in _CLOSING:
            return bool(blank) and gap >= _WORD_GAP
        if after in _OPENING or after in _CLOSING or _is_latin(after):
            return False
        if bool(_FIGURE.match(before)) != bool(_FIGURE.match(after)):
            return False
        if blank and gap >= _WORD_GAP:
            follows = before in _BLANK_MAY_FOLLOW or not (before in _CLOSING or _is_latin(before))
            return follows and not self._is_spread_by_spaces
        return more >= _LETTER_GAP and not (before in _OPENING or before in _CLOSING or _is_latin(before))

    @cached_property
    def _spread(self) -> float:
        """How far the line's Japanese characters stand apart, in em: the median, the lower one of two."""
        gaps = sorted(
            (after.x0 - before.x1) / self._size
            for before, after in pairwise(self._chars)
            if not _is_latin(before.text) and not _is_latin(after.text) and not {before.text, after.text} & BLANKS
        )
        return max(gaps[(len(gaps) - 1) // 2], 0.0) if len(gaps) > 1 else 0.0

    @cached_property
    def _is_spread_by_spaces(self) -> bool:
        """Whether the PDF sets spaces between most characters, as text recognition and spaced headings have them."""
        seen = [index for index, char in enumerate(self._chars) if char.text not in BLANKS]
        apart = sum(
            after - before > 1 and not {self._chars[before].text, self._chars[after].text} & _DATE
            for before, after in pairwise(seen)
        )
        return apart >= _FEW_SPACES and 2 * apart >= len(seen) - 1


def _parts_figures(before: str, after: str, more: float, blank: str) -> bool:
    """Whether the gap parts two figures, one of them at least of full width or kanji."""
    if not (_FIGURE.match(before) and _FIGURE.match(after)):
        return False
    least = _LATIN_FIGURE_GAP if _is_latin(before) or _is_latin(after) else _FIGURE_GAP
    return bool(blank) or more >= least


def _is_latin(text: str) -> bool:
    return text < "\u0250"
