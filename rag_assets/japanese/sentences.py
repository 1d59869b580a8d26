"""Where Japanese text may be cut: sentences, clauses, and tokens that must stay whole.

Every function here is lossless: the pieces joined are the text.
"""

import re
import unicodedata
from itertools import accumulate

_OPENING = "（「『［【〔〈《([{｢"
_CLOSING = "）」』］】〕〉》)]}｣"
_SENTENCE_END = "。！？!?．"
_CLAUSE_END = re.compile(
    r"(?:(?<=[、。；｜）」』］】〕〉》])|(?<=[，：])(?![0-9０-９]))(?![、，。；：｜）」』］】〕〉》！？!?ー々 \u3000])"
)
_NEVER_FIRST = frozenset(
    _CLOSING + "”’〟｠»"
    "。．、，,.｡､・･：；:;！？!?‼⁇⁈⁉/／"
    "‐゠–〜～ー－−ｰ"
    "々〻ヽヾゝゞ〃"
    "ぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶㇰㇱㇲㇳㇴㇵㇶㇷㇸㇹㇺㇻㇼㇽㇾㇿｧｨｩｪｫｬｭｮｯﾞﾟ"
    "%％‰℃°′″"
)
"""Characters that do not begin a line in Japanese (行頭禁則, JIS X 4051 and JLReq 3.1.7)."""
_NEVER_LAST = frozenset(_OPENING + "“‘〝｟«¥￥$＄£€№#＃")
"""Characters that do not end a line (行末禁則)."""
_CLOSES_A_SENTENCE = frozenset(_CLOSING + " \u3000")
_COMBINING = r"[\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef]*"
_TOKEN = re.compile(rf"[0-9０-９A-Za-zＡ-Ｚａ-ｚ.,，．%％/:+_-]+|.{_COMBINING}", re.DOTALL)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with its closing mark and the closing brackets and blanks behind it.

    A full stop inside brackets does not end a sentence: 「（税額を除きます。）」 belongs to the sentence around it.
    Brackets that never close, or close without having been opened, do not count as brackets.
    """
    pieces: list[str] = []
    start = 0
    inside = _find_bracketed(text)
    for position, character in enumerate(text):
        if character in _SENTENCE_END and not inside[position] and _ends_here(text, position):
            end = position + 1
            while end < len(text) and text[end] in _CLOSES_A_SENTENCE:
                end += 1
            pieces.append(text[start:end])
            start = end
    if start < len(text):
        pieces.append(text[start:])
    return pieces


def clauses(text: str) -> list[str]:
    """The clauses of a sentence: cut behind commas, colons, cell bars, closing brackets, and full stops inside them.

    A comma or colon inside a number (１，２００, 10：30) is no cut.
    """
    return [piece for piece in _CLAUSE_END.split(text) if piece]


def tokens(text: str) -> list[str]:
    """The smallest pieces: numbers and Latin words whole, every other character by itself with its combining marks."""
    return _TOKEN.findall(text)


def may_part(before: str, after: str) -> bool:
    """Whether a text that has to be cut inside a word may be cut between two pieces of it (禁則処理).

    No piece begins with what closes, repeats or lengthens what stands before (。」々ー, small kana), and none ends with
    an opening bracket.
    """
    return after[:1] not in _NEVER_FIRST and before[-1:] not in _NEVER_LAST


def is_sentence_end(text: str) -> bool:
    """Whether a text ends where a sentence may end: at a full stop, behind closing brackets or quotes too."""
    return text.rstrip(" \u3000\n" + _CLOSING).endswith(tuple(_SENTENCE_END)) or text.rstrip().endswith(
        tuple(_SENTENCE_END)
    )


def _find_bracketed(text: str) -> list[bool]:
    """For every position, whether a pair of brackets encloses it."""
    opened: list[int] = []
    depth_change = [0] * (len(text) + 1)
    for position, character in enumerate(text):
        if character in _OPENING:
            opened.append(position)
        elif character in _CLOSING and opened:
            depth_change[opened.pop()] += 1
            depth_change[position] -= 1
    return [depth > 0 for depth in accumulate(depth_change[:-1])]


def _ends_here(text: str, position: int) -> bool:
    """Whether a sentence mark really ends a sentence: not before a second mark, nor inside a number or name."""
    following = text[position + 1 : position + 2]
    if following and following in _SENTENCE_END:
        return False
    if text[position] == "．" and _is_latin_or_digit(text[position - 1 : position]):
        return not following
    if text[position] in "!?":
        return not following.isalnum()
    return True


def _is_latin_or_digit(character: str) -> bool:
    return character.isalnum() and unicodedata.normalize("NFKC", character).isascii()
