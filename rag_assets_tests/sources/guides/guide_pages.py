"""Makes guides as PDF for tests: an outline with its text, set as a program for letters would set it."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

from rag_assets.sources.guides.document import BodyBlock, GuideDocument, Heading
from rag_assets_tests.sample_documents.booklet import Block, Text, drawn, paged

SENTENCE = "この節では、みほん商会の倉庫で荷物を受け取り、棚に並べ、記録をつけるまでの手順を順に説明します。"


@dataclass(frozen=True)
class OutlineEntry:
    """A heading and the paragraphs below it."""

    level: int
    words: str
    paragraphs: tuple[str, ...] = ()


@dataclass(frozen=True)
class LevelLook:
    """How the headings of one level are set; `above` is the space above them in points."""

    size: float = 10.5
    gothic: bool = False
    above: float = 12.0
    first: float = 0.0


def guide_file(blocks: Sequence[Block]) -> io.BytesIO:
    """A PDF of blocks, page numbers at the foot of its pages where there are several."""
    pages = paged(blocks)
    footers = [f"- {number} -" if len(pages) > 1 else "" for number in range(1, len(pages) + 1)]
    file = io.BytesIO(drawn(list(zip(pages, footers, strict=True)), title="", author=""))
    file.name = "guide.pdf"
    return file


def outline_blocks(entries: Sequence[OutlineEntry], looks: Sequence[LevelLook]) -> list[Block]:
    """The blocks of an outline."""
    blocks: list[Block] = []
    for entry in entries:
        look = looks[entry.level - 1]
        blocks.append(
            Text(entry.words, size=look.size, gothic=look.gothic, above=look.above, first=look.first, keep=True)
        )
        blocks += [Text(words, first=1) for words in entry.paragraphs]
    return blocks


def heading_tree(guide: GuideDocument) -> list[tuple[int, str]]:
    """Levels and words of the headings."""
    return [(part.level, part.text) for part in guide.parts if isinstance(part, Heading)]


def block_texts(guide: GuideDocument) -> list[str]:
    """The words of the text blocks."""
    return [part.block.text for part in guide.parts if isinstance(part, BodyBlock) and part.block.kind != "table"]
