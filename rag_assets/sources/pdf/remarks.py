"""What a person should know of a PDF beside its text: what was left out of its pages, what was typed into them.

Gathered page by page while the document is read; told when all of it is known.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from rag_assets.japanese.characters import clip
from rag_assets.sources.base import Finding
from rag_assets.sources.pdf.annotations import Annotations
from rag_assets.sources.pdf.filling import Filling
from rag_assets.sources.pdf.hidden import HiddenText, Seen

_LONGEST_QUOTE = 200


class Remarks:
    """The remarks on one document."""

    def __init__(self) -> None:
        self._findings: list[Finding] = []
        self._recognised: list[int] = []

    def add_seen(self, page: int, seen: Seen) -> None:
        """What readers do not see of a page."""
        if seen.recognised:
            self._recognised.append(page)
        self._add_hidden(page, seen.hidden)

    def add_filling(self, page: int, annotations: Annotations, filling: Filling) -> None:
        """What is typed into a page and struck out of it."""
        self._add_hidden(page, [HiddenText("it is in a hidden form field", words) for words in annotations.unseen])
        if annotations.secret:
            self._add(page, "form field", "a password typed into a form field is left out")
        if filling.values:
            self._add(page, "form field", "typed into form fields, read as text", filling.values)
        if filling.empty:
            fields = "1 form field is" if filling.empty == 1 else f"{filling.empty} form fields are"
            self._add(page, "empty form field", f"{fields} not filled in")
        if filling.typed:
            self._add(page, "typed annotation", "typed over the page, read as text", filling.typed)
        for words in filling.comments:
            self._add(page, "typed annotation", "a typed comment beside the text is left out", [words])
        for words in filling.struck:
            self.add_struck(page, words)

    def add_struck(self, page: int, words: str) -> None:
        """Words that a reader sees struck through."""
        self._add(page, "struck text", "left out of the text: it is struck out", [words])

    def findings(self, watermarks: Mapping[str, Sequence[int]]) -> list[Finding]:
        """All remarks, what concerns several pages first.

        Args:
            watermarks: Words of watermarks, and the pages that they lie over.
        """
        told = [
            Finding(
                kind="note",
                topic="watermark",
                place=pages_in_words(pages),
                message="left out of the text: words laid over the page",
                quote=words,
            )
            for words, pages in watermarks.items()
        ]
        if self._recognised:
            told.append(
                Finding(
                    kind="note",
                    topic="OCR text layer",
                    place=pages_in_words(self._recognised),
                    message=(
                        "a scanned picture with recognised text laid over it invisibly: read as it is, with the errors "
                        "that recognition makes"
                    ),
                )
            )
        return [*told, *self._findings]

    def _add_hidden(self, page: int, hidden: Iterable[HiddenText]) -> None:
        by_reason: defaultdict[str, list[str]] = defaultdict(list)
        for each in hidden:
            by_reason[each.reason].append(each.words)
        for reason, words in by_reason.items():
            self._add(page, "hidden text", f"left out of the text, as no reader sees it: {reason}", words)

    def _add(self, page: int, topic: str, message: str, quotes: Sequence[str] = ()) -> None:
        quote = " / ".join(" ".join(words.splitlines()) for words in quotes)
        clipped = clip(quote, _LONGEST_QUOTE)
        self._findings.append(Finding(kind="note", topic=topic, place=f"page {page}", message=message, quote=clipped))


def pages_in_words(numbers: Iterable[int]) -> str:
    """`page 3`, `pages 3-5, 9`."""
    ordered = sorted(set(numbers))
    starts = [ordered[0], *(below for above, below in pairwise(ordered) if below != above + 1)]
    ends = [*(above for above, below in pairwise(ordered) if below != above + 1), ordered[-1]]
    told = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True))
    return f"page{'s' if len(ordered) > 1 else ''} {told}"
