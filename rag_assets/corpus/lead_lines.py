"""Lines that only lead in what follows: 「次のとおりです。」, an item's own heading. Cut off, they say nothing."""

import re

_ENUMERATED = re.compile(
    r"^[\s\u3000]*(?:[（(][0-9０-９イロハニホヘトチリa-z]{1,2}[）)]|[0-9０-９]{1,2}(?:[\s\u3000]|[.．](?![0-9０-９]))"
    r"|[一二三四五六七八九十百]{1,4}(?:の[一二三四五六七八九十]{1,3})*[\s\u3000]"
    r"|[イロハニホヘトチリ][\s\u3000]|[①-⑳]|・|＜|〔|[（(]例)"
)
_NOTE = re.compile(r"^[\s\u3000]*(?:[（(]注|※)")
_ANNOUNCING = re.compile(r"(?:次の|下記の|以下の).{0,30}(?:です|ます|ません|ました)。$|次のとおり.{0,12}$|[：:]$")
_ANNOUNCING_ITEMS = re.compile(r"(?:次に掲げる|次の各号|次のいずれか|以下のいずれか|左の各号).{0,60}。$")
_LONGEST_ITEM_HEADING = 60


def leads_in(line: str, following: str) -> bool:
    """Whether a line is there for the sake of the line below it.

    It is where it announces (ends in 「次の…です。」, 「次のとおり」 or a colon; in 「次に掲げるものをいう。」 or the
    like where an item follows), or where it is an item's own heading: short, enumerated, no sentence, with no further
    item directly below. A note below is not led in.
    """
    if not following or _NOTE.match(following):
        return False
    if _ANNOUNCING.search(line[-50:]):
        return True
    if _ANNOUNCING_ITEMS.search(line[-80:]) and _ENUMERATED.match(following):
        return True
    is_item = len(line) <= _LONGEST_ITEM_HEADING and _ENUMERATED.match(line) and not _NOTE.match(line)
    return bool(is_item) and not line.endswith("。") and not _ENUMERATED.match(following)
