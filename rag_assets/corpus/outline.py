"""Which line governs which: 「イ」 under 「（1）」 under 「1」, 「ロ」 under 「四」.

Read from the marks that lines begin with.
"""

import re
from collections.abc import Sequence

_MARKS = (
    ("number", re.compile(r"^[0-9０-９]{1,2}(?:[\s\u3000]|[.．、](?![0-9０-９])|$)")),
    ("kanji number", re.compile(r"^[一二三四五六七八九十百]{1,4}(?:の[一二三四五六七八九十]{1,3})*[\s\u3000]")),
    ("bracketed number", re.compile(r"^[（(][0-9０-９]{1,2}[）)]|^[⑴-⒇]")),
    ("kana", re.compile(r"^[イロハニホヘトチリヌ](?:[\s\u3000.．、]|$)")),
    ("bracketed kana", re.compile(r"^[（(][イロハニホヘトチリヌ][）)]")),
    ("circled number", re.compile(r"^[①-⑳]")),
    ("letter", re.compile(r"^[（(]?[a-zａ-ｚA-HＡ-Ｈ][）)]")),
    ("note", re.compile(r"^[（(]注|^※")),
)


def governing_lines(lines: Sequence[str]) -> list[str]:
    """For every line of one section, the line it stands under; empty where it stands under none.

    A mark of a kind that is in use ends what stood below that kind; a new kind goes one level deeper. A line without a
    mark closes nothing and stands under none: whether it still belongs to the item above cannot be told.
    """
    open_items: list[tuple[str, str]] = []
    governing: list[str] = []
    for line in lines:
        kind = _mark(line)
        if not kind:
            governing.append("")
            continue
        kinds = [open_kind for open_kind, _ in open_items]
        if kind == "note":
            open_items = []
        elif kind in kinds:
            open_items = open_items[: kinds.index(kind)]
        governing.append(open_items[-1][1] if open_items else "")
        open_items.append((kind, line.strip(" \u3000")))
    return governing


def is_item(line: str) -> bool:
    """Whether a line begins with the mark of an item: 「２　…」, 「（1）…」, 「イ　…」."""
    return _mark(line) not in ("", "note")


def _mark(line: str) -> str:
    text = line.strip(" \u3000")
    return next((name for name, pattern in _MARKS if pattern.match(text)), "")
