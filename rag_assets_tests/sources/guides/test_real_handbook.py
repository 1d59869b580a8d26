"""The real handbook, held against a plain reading of its Markdown that shares no code with the reader."""

import csv
import hashlib
import re
import time
import unicodedata
from pathlib import Path

import pytest

from rag_assets.corpus.variants import VARIANTS, prepare
from rag_assets.evaluation.heading_index import HeadingIndex
from rag_assets.model import Record, TextBlock
from rag_assets.sources.guides.document import GuideDocument, Heading
from rag_assets.sources.guides.markdown import read_markdown
from rag_assets.sources.guides.reader import read_document
from rag_assets.sources.guides.sections import group_sections, read_sections
from rag_assets.sources.guides.settings import GuideSettings
from rag_assets.sources.guides.source import SOURCE

pytestmark = pytest.mark.realdata

_SIGNS = re.compile(r"[\W_]+")
_TAGS = "details|summary|ins|br|strong|i|a|td|tr|th|li|p|iframe|ul|ol|table|span|small|figure|figcaption|div|img"
_LEFT = re.compile(r"upstream_(?:path|sha)|translated_at|lastmod|\{\{[<%]|[%>]\}\}|header-bg|markdown=\"1\"")


@pytest.fixture(scope="module")
def read(realdata: Path) -> dict[str, list[Record]]:
    handbook = realdata / "handbook"
    if not handbook.is_dir():
        pytest.skip(f"{handbook} is absent")
    found: dict[str, list[Record]] = {}
    for document in SOURCE.find_documents([GuideSettings(key="handbook", location=str(handbook))]):
        assert isinstance(document, GuideSettings)
        with Path(document.location).open("rb") as file:
            sha256 = hashlib.sha256(file.read()).hexdigest()
            file.seek(0)
            readings = read_document(file, document, sha256=sha256)
            found[document.location] = [reading for reading in readings if isinstance(reading, Record)]
    return found


@pytest.fixture(scope="module")
def pages(read: dict[str, list[Record]]) -> dict[str, GuideDocument]:
    found: dict[str, GuideDocument] = {}
    for location in read:
        with Path(location).open("rb") as file:
            found[location] = read_markdown(file)
    return found


def test_pages_are_read_quickly(realdata: Path) -> None:
    handbook = realdata / "handbook"
    if not handbook.is_dir():
        pytest.skip(f"{handbook} is absent")
    begun = time.process_time()
    documents = SOURCE.find_documents([GuideSettings(key="handbook", location=str(handbook))])
    for document in documents:
        assert isinstance(document, GuideSettings)
        with Path(document.location).open("rb") as file:
            list(read_document(file, document, sha256="0" * 64))
    assert len(documents) == 108
    assert time.process_time() - begun < 10


def test_every_heading_and_visible_character_is_read_in_order(pages: dict[str, GuideDocument]) -> None:
    for location, page in pages.items():
        text = _without_comments(Path(location).read_text(encoding="utf-8"))
        headings = [part.text for part in page.parts if isinstance(part, Heading)]
        assert list(map(_bare, headings)) == list(map(_bare, _headings(text))), location
        assert not _missing(_bare(_plain_reading(text)), _bare("\n".join(_texts(page)))), location


def test_every_section_stands_in_one_record_in_order(pages: dict[str, GuideDocument]) -> None:
    for page in pages.values():
        sections = read_sections(page.parts)
        groups = group_sections(sections)
        assert [section for group in groups for section in group.all_sections] == sections
        # What a record says: its own headings in its title, all below them in its sections.
        for group in groups:
            blocks = [block for section in group.body() for block in section.blocks]
            assert blocks == [block for section in group.all_sections for block in section.blocks]


def test_nothing_around_the_text_stands_in_a_chunk(read: dict[str, list[Record]]) -> None:
    records = [record for below in read.values() for record in below]
    assert len({record.record_id for record in records}) == len(records)
    for variant in VARIANTS:
        if not variant.dictionary:
            chunks = prepare(records, variant, lambda _: pytest.fail("no dictionary is asked for"))
            assert not [chunk.chunk_id for chunk in chunks if _LEFT.search(chunk.text)]


def test_every_gold_names_records(read: dict[str, list[Record]], realdata: Path) -> None:
    index = HeadingIndex(record for records in read.values() for record in records)
    with (realdata / "questions" / "handbook.csv").open(encoding="utf-8", newline="") as file:
        golds = [row["gold"] for row in csv.DictReader(file) if row["gold"]]
    assert len(golds) == 30
    for gold in golds:
        assert index.resolve("guides", gold).startswith("guides/")


def _texts(page: GuideDocument) -> list[str]:
    texts: list[str] = []
    for part in page.parts:
        if isinstance(part, Heading):
            texts.append(part.text)
        elif isinstance(part.block, TextBlock):
            texts.append(part.block.text)
        else:
            texts += [part.block.caption, *(cell.text for cell in part.block.cells)]
    return texts


def _without_comments(text: str) -> str:
    return re.sub(r"<!--.*?-->", "", text, flags=re.S)


def _headings(text: str) -> list[str]:
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^(\s*)(```|~~~).*?^\s*\2\s*$", "", text, flags=re.S | re.M)
    return [_plain_line(found) for found in re.findall(r"^ {0,3}#{1,6}[ \t]+(.+)$", text, re.M)]


def _plain_reading(text: str) -> str:
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"\{\{[<%]\s*[\w/-]+[^}]*?\b(?:header|title|summary|name)=\"([^\"]*)\"[^}]*\}\}", r"\n\1\n", text)
    text = re.sub(r"\{\{[<%].*?[%>]\}\}", "", text, flags=re.S)
    text = re.sub(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*$", "", text, flags=re.M)
    text = re.sub(r"^(\s*)(?:\d+[.)])\s", r"\1", text, flags=re.M)
    # Every other part is a code block, which is left as it is.
    text = re.sub(r"^[ \t]+(?:```|~~~).*$", "", text, flags=re.M)
    parts = re.split(r"^(?:```|~~~).*$", text, flags=re.M)
    return "\n".join(part if at % 2 else "\n".join(map(_plain_line, part.split("\n"))) for at, part in enumerate(parts))


def _plain_line(line: str) -> str:
    line = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", line)
    code = r"(`\[[^`]*\]\([^`]*\)`)"
    link = r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)"
    line = re.sub(f"{code}|{link}", lambda match: match[1] or match[2], line)
    line = re.sub(r"<(https?://[^>\s]+|[^>\s@]+@[^>\s]+)>", r"\1", line)
    line = re.sub(r'<img[^<>]*\balt="([^"]*)"[^<>]*>', r"\1", line)
    line = re.sub(rf"</?(?:{_TAGS})\b[^<>]*>", "", line)
    line = re.sub(r"\{[.#:][^{}]*\}", "", line)
    return re.sub(r"&[a-z]+;|~~[^~]+~~", "", line)


def _bare(text: str) -> str:
    text = re.sub(r"図：|画像：元のページを参照", "", text)
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text))


def _missing(wanted: str, given: str) -> list[str]:
    """Pieces of the one text that do not stand in the other, in order; numbers of list items are not looked at."""
    wanted, given = (re.sub(r"\d", "", text) for text in (wanted, given))
    missing: list[str] = []
    at = 0
    for start in range(0, len(wanted), 12):
        piece = wanted[start : start + 12]
        found = given.find(piece, at, at + 4000)
        if found < 0:
            missing.append(piece)
        else:
            at = found + len(piece)
    return missing
