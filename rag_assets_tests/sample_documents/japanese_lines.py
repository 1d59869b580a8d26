"""Words into lines as a Japanese booklet breaks them; what a line looks like on paper is in `booklet`.

No word is known: a line may end after any character, but for the rules of line ends (行頭禁則, 行末禁則) and inside
figures and Latin words.
"""

import itertools
import re
from collections.abc import Iterator

_NOT_FIRST = frozenset("、。，．・：；？！）」』】〕〉》］ゝ々ーぁぃぅぇぉっゃゅょァィゥェォッャュョ％…")
_NOT_LAST = frozenset("（「『【〔〈《［")
_UNBREAKABLE = re.compile(r"[!-~]+|\u3000+.?|.", re.DOTALL)
"""A figure, a Latin word, a blank with the character behind it, or one character."""


def width(words: str) -> float:
    """Width in em: half for ASCII, one for everything else."""
    return sum(0.5 if character < "\x7f" else 1.0 for character in words)


def broken(words: str, first: float, rest: float) -> Iterator[tuple[str, bool]]:
    """The lines of a paragraph, each with whether it is the last before a break that the words have themselves.

    Args:
        words: Paragraph; `\\n` breaks a line in any case.
        first: Width of the first line in em.
        rest: Width of the other lines.
    """
    room = first
    for part in words.split("\n"):
        lines = list(_filled(part, room, rest))
        for position, line in enumerate(lines):
            yield line, position == len(lines) - 1
        room = rest


def _filled(words: str, first: float, rest: float) -> Iterator[str]:
    tokens = _UNBREAKABLE.findall(words)
    room = first
    while tokens:
        widths = itertools.accumulate(width(token) for token in tokens)
        most = sum(reached <= room for reached in widths) or 1
        count = _allowed(tokens, most)
        yield "".join(tokens[:count])
        tokens = tokens[count:]
        room = rest


def _allowed(tokens: list[str], most: int) -> int:
    """The largest number of tokens, at most so many, after which a line may end."""
    if most >= len(tokens):
        return len(tokens)
    for count in range(most, 0, -1):
        if tokens[count][0] not in _NOT_FIRST and tokens[count - 1][-1] not in _NOT_LAST:
            return count
    return most
