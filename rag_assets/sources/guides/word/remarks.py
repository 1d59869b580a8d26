"""What a Word document holds that its text does not: counted while reading, told once each with the first place."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rag_assets.sources.base import Finding

RemarkTopic = Literal[
    "hidden text",
    "struck text",
    "table of contents",
    "prompt",
    "comment",
    "picture without description",
    "unknown sign",
    "unread field",
    "headings by looks",
    "inserted file",
]

_MESSAGES: dict[RemarkTopic, str] = {
    "hidden text": "{count} passages of hidden text are left out",
    "struck text": "{count} passages that are struck through are left out",
    "table of contents": "a table of contents or index is left out ({count} paragraphs)",
    "prompt": "{count} fields that nobody has filled in are left out, with the prompts they show",
    "comment": "{count} comments are left out",
    "picture without description": (
        "{count} pictures tell nothing: what they show is not in the text. Describe them in Word (代替テキスト) "
        "where it matters"
    ),
    "unknown sign": "{count} signs of a font of signs have no character of their own, and are left out",
    "unread field": "{count} fields show nothing that is kept in the file: open it in Word, press Ctrl+A, F9, and save",
    "inserted file": (
        "{count} files inserted into the document (altChunk) are not read: open it in Word, save it, and give that file"
    ),
    "headings by looks": (
        "no paragraph has a heading style: {count} headings are told by their numbers, weight and size. Give them "
        "the styles 見出し 1, 見出し 2 … in Word where they are wrong"
    ),
}
_QUOTED = 40


@dataclass(slots=True)
class _Remark:
    place: str
    quote: str
    count: int = 0


class WordRemarks:
    """Collects the remarks on one document.

    Attributes:
        place: The last heading; the reader sets it.
    """

    def __init__(self) -> None:
        self.place = ""
        self._remarks: dict[RemarkTopic, _Remark] = {}

    def add(self, topic: RemarkTopic, quote: str = "", count: int = 1) -> None:
        """Count one more; the first one's place and words are kept."""
        if count:
            remark = self._remarks.setdefault(topic, _Remark(self.place or "before the first heading", quote[:_QUOTED]))
            remark.count += count

    def findings(self) -> Iterator[Finding]:
        """One note a topic."""
        for topic, remark in self._remarks.items():
            yield Finding(
                kind="note",
                topic=topic,
                place=remark.place,
                message=_MESSAGES[topic].format(count=remark.count),
                quote=remark.quote,
            )
