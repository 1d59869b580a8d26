"""Raised and lowered characters of a printed line (10³, m², CO₂) written so that they cannot run into what is before.

They are known by place alone: smaller than the line and off its baseline, or moved as they are, and close behind a
character of the line. Ruby and the marks of notes (※1, 注1) are not of this kind and stay as they are.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from rag_assets.japanese.raised import fraction, mixed_number, write_lowered, write_raised
from rag_assets.sources.pdf.text import BLANKS, Char

_SMALL = 0.82
"""Size against the line's; word processors set exponents at 0.58 to 0.7."""
_RAISED_SMALL, _RAISED_ALIKE = 0.18, 0.24
_LOWERED_SMALL, _LOWERED_ALIKE = 0.06, 0.16
"""How far small characters, and those of the line's own size, are off its baseline, in em."""
_FURTHEST = 0.75
_CLOSE = 0.28
"""Em between a character and what is raised behind it."""
_DOUBLED = 0.2
"""The same character again within so many em is drawn twice to look bold."""
_OVERLAP = -0.3
"""Em by which a substituted font's letter may reach into what is raised behind it."""
_LONGEST = 12
_SLASHES = frozenset("/／⁄∕")
_ON_LINE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")

_NOTATION = re.compile(r"[0-9０-９A-Za-zＡ-Ｚａ-ｚα-ωΑ-Ω+\-−–‐＋－±=＝()（）,，./／′'*＊]+")
_BRACKETED = re.compile(r"\(([0-9A-Za-z+\-−＋－]*[A-Za-z][0-9A-Za-z+\-−＋－]*)\)")
"""An exponent such as (n+1), which is no mark of a note; its brackets are written anyway."""
_ORDINAL = re.compile(r"(?i)st|nd|rd|th|tm|sm|r|c")
"""1st and the like, and marks of trade: raised for looks."""
_BEFORE_RAISED = re.compile(r"[^\W_]|[)）\]］」』〕}｝%％‰′″℃ℓ㎏㎡㎥Ωμ°]")
_NOTE_SIGNS = frozenset("注※＊*†‡")
"""A figure behind these is the number of a note, which cannot be misread."""
_BEFORE_LOWERED = re.compile(r"[A-Za-zＡ-Ｚａ-ｚα-ωΑ-Ω0-9０-９)）\]］]")


def written_on_line(chars: Sequence[Char], base: float, size: float) -> list[Char]:
    """The characters of a line with every raised or lowered group as one, in the line's own place and size.

    Args:
        chars: From left to right, blanks among them.
        base: The line's baseline.
        size: Size of most of them.
    """
    written: list[Char] = []
    at = 0
    while at < len(chars):
        shift = _shift(chars[at], base, size)
        if not shift:
            written.append(chars[at])
            at += 1
            continue
        group = [chars[at]]
        for char in chars[at + 1 :]:
            if _shift(char, base, size) != shift or char.x0 - group[-1].x1 > _CLOSE * size:
                break
            group.append(char)
        at += len(group)
        if (term := _slashed(written, group)) is not None:
            del written[-2:]
            whole = written[-1].text if written and term.x0 - written[-1].x1 <= _CLOSE * size else ""
            written.append(replace(term, text=mixed_number(whole, term.text)[len(whole) :]))
            continue
        before = next((char for char in reversed(written) if char.text not in BLANKS), None)
        one = _written(group, shift, before, size)
        written.extend(group if one is None else [replace(one, base=base, size=size)])
    return written


def adheres(chars: Sequence[Char], base: float, to: Sequence[Char], to_base: float, size: float) -> bool:
    """Whether characters of another baseline are nothing but raised or lowered ones behind characters of a line."""
    if not 0 < abs(to_base - base) < _FURTHEST * size or any(char.size > 1.02 * size for char in chars):
        return False
    if not is_notation(chars):
        return False
    ends = [char.x1 for char in to] + [char.x1 for char in chars]
    return all(any(_OVERLAP * size <= char.x0 - end <= _CLOSE * size for end in ends) for char in chars) and any(
        _OVERLAP * size <= char.x0 - other.x1 <= _CLOSE * size for char in chars[:1] for other in to
    )


def is_notation(chars: Sequence[Char]) -> bool:
    """Whether characters can be raised or lowered ones of a line, by what they are."""
    return len(chars) <= _LONGEST and all(_NOTATION.fullmatch(char.text) for char in chars)


def _slashed(written: Sequence[Char], group: Sequence[Char]) -> Char | None:
    """A raised number, a slash and the lowered number of a group as one fraction; None where they are none."""
    if len(written) < 2 or written[-1].text not in _SLASHES or group[0].base <= written[-1].base:
        return None
    above, below = written[-2].text.translate(_ON_LINE), "".join(char.text for char in group)
    if above == written[-2].text or not (above.isdecimal() and below.isdecimal()):
        return None
    slash = written[-1]
    if max(slash.x0 - written[-2].x1, group[0].x0 - slash.x1) > _CLOSE * slash.size:
        return None
    return replace(written[-2], text=fraction(above, below), x1=group[-1].x1)


def _shift(char: Char, base: float, size: float) -> int:
    """1 for a raised character, -1 for a lowered one, 0 for one of the line."""
    if char.text in BLANKS:
        return 0
    up = (base - char.base) / size
    small = char.size <= _SMALL * size
    if up >= (_RAISED_SMALL if small else _RAISED_ALIKE):
        return 1
    return -1 if up <= -(_LOWERED_SMALL if small else _LOWERED_ALIKE) else 0


def _written(group: Sequence[Char], shift: int, before: Char | None, size: float) -> Char | None:
    """A group as one character, None where it is no notation."""
    kept = [group[0]]
    for char in group[1:]:
        if char.text != kept[-1].text or char.x0 - kept[-1].x0 >= _DOUBLED * char.size:
            kept.append(char)
    text = "".join(char.text for char in kept)
    if before is None or before.text[-1] in _NOTE_SIGNS or len(text) > _LONGEST or not _NOTATION.fullmatch(text):
        return None
    if not -0.6 * size <= group[0].x0 - before.x1 <= _CLOSE * size:
        return None
    if shift > 0:
        if _ORDINAL.fullmatch(text) or not _BEFORE_RAISED.fullmatch(before.text[-1]):
            return None
        words = write_raised(bracketed[1] if (bracketed := _BRACKETED.fullmatch(text)) else text)
    else:
        digits_behind_words = text.isdecimal() and before.text[-1].isalpha()
        if not (_BEFORE_LOWERED.fullmatch(before.text[-1]) or digits_behind_words):
            return None
        words = write_lowered(text)
    return replace(group[0], text=words, x1=max(char.x1 for char in group), run=before.run)
