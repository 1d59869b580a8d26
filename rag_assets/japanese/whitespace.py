"""White space in Japanese text: what a line break or a run of blanks between two characters means."""

import re

_BLANKS = re.compile(r"[ \t\r\n\f\v\u001c-\u001f\u0085\u00a0\u2000-\u200a\u2028\u2029\u202f\u205f]+")
_INVISIBLE = re.compile(r"[\u200b-\u200d\u2060\ufeff\u00ad]")
_WIDE = r"\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef"
_BREAK_BETWEEN_WIDE = re.compile(rf"(?<=[{_WIDE}])[ \t]*[\r\n]+[ \t\r\n]*(?=[{_WIDE}])")
_AROUND_WIDE_SPACE = re.compile(r"[ \u3000]*\u3000[ \u3000]*")


def one_line(text: str) -> str:
    """A text on one line.

    A line break inside Japanese is layout and vanishes; any other run of blanks becomes one space; a run with a
    full-width space becomes one full-width space; invisible characters vanish.
    """
    text = _INVISIBLE.sub("", text)
    text = _BREAK_BETWEEN_WIDE.sub("", text)
    text = _AROUND_WIDE_SPACE.sub("\u3000", _BLANKS.sub(" ", text))
    return text.strip(" \u3000")


_SPACED_LETTERS = re.compile(r"(?<!\S)[ぁ-んァ-ヶー一-龠々](?:[ \u3000]+[ぁ-んァ-ヶー一-龠々](?!\S))+")


def close_spaced(text: str) -> str:
    """A title with words closed up that are set with blanks between their letters: 就　業　規　則, 総　則."""
    return _SPACED_LETTERS.sub(lambda found: re.sub(r"[ \u3000]", "", found[0]), text)
