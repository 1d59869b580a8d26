"""Guides as tests write them, and what was read of them as lines that are easy to compare."""

import io

from rag_assets.model import Record, TextBlock
from rag_assets.sources.base import Finding
from rag_assets.sources.guides.document import BodyBlock, GuideDocument, Heading
from rag_assets.sources.guides.markdown import read_markdown
from rag_assets.sources.guides.reader import read_document
from rag_assets.sources.guides.settings import GuideSettings
from rag_assets.sources.guides.web_page import read_web_page


def markdown(text: str | bytes) -> GuideDocument:
    return read_markdown(io.BytesIO(text.encode() if isinstance(text, str) else text))


def web_page(text: str) -> GuideDocument:
    return read_web_page(io.BytesIO(text.encode()))


def lines(document: GuideDocument) -> list[str]:
    return [_line(part) for part in document.parts]


def topics(document: GuideDocument) -> list[str]:
    return [finding.topic for finding in document.findings]


def read(text: str, name: str = "tebiki.md", **settings: object) -> tuple[list[Record], list[Finding]]:
    told = GuideSettings.model_validate({"key": "tebiki", "location": name, **settings})
    readings = list(read_document(io.BytesIO(text.encode()), told, sha256="0" * 64))
    return (
        [reading for reading in readings if isinstance(reading, Record)],
        [reading for reading in readings if isinstance(reading, Finding)],
    )


def _line(part: Heading | BodyBlock) -> str:
    if isinstance(part, Heading):
        return f"{'#' * part.level} {part.text}{f' #{part.anchor}' if part.anchor else ''}"
    block = part.block
    if isinstance(block, TextBlock):
        sign = {"paragraph": "", "item": "- ", "note": "! "}[block.kind]
        return "  " * block.depth + sign + block.text
    return "|".join(cell.text for cell in block.cells)
