"""The real handbook, held against a plain reading of its Markdown that shares no code with the reader."""

import csv
import hashlib
import re
import time
import unicodedata
from pathlib import Path

import pytest

from rag_assets.corpus.variants import VARIANTS, prepare
from rag_assets.model import Record, Table, TextBlock
from rag_assets.sources.guides.gold import HeadingIndex
from rag_assets.sources.guides.reader import read_document
from rag_assets.sources.guides.settings import GuideSettings
from rag_assets.sources.guides.source import SOURCE

pytestmark = pytest.mark.realdata

_SIGNS = re.compile(r"[\W_]+")
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


def test_every_visible_character_stands_in_one_record_in_order(read: dict[str, list[Record]]) -> None:
    for location, records in read.items():
        wanted = _bare(_plain_reading(Path(location).read_text(encoding="utf-8")))
        given = _bare("\n".join(_texts(records)))
        # What either reading makes of a few signs and numbers differs; what a reader would miss does not.
        assert _missing(wanted, given) <= 0.01 * len(wanted), location
        assert _missing(given, wanted) <= 0.01 * len(given), location


def test_every_heading_stands_in_one_record_in_order(read: dict[str, list[Record]]) -> None:
    for location, records in read.items():
        wanted = [_bare(heading) for heading in _headings(Path(location).read_text(encoding="utf-8"))]
        text = [_bare(heading) for heading in _opened(records)]
        assert text == wanted, location


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


def _texts(records: list[Record]) -> list[str]:
    texts: list[str] = []
    shown: tuple[str, ...] = ()
    for record in records:
        for section in record.sections:
            path = (*record.chapter[1:], *_own(record), *section.headings)
            texts += _new(shown, path)
            shown = path
            for block in section.blocks:
                texts += [block.text] if isinstance(block, TextBlock) else _cells(block)
    return texts


def _cells(table: Table) -> list[str]:
    return [table.caption, *(cell.text for cell in table.cells)]


def _own(record: Record) -> tuple[str, ...]:
    """The record's own heading, where its sections do not tell it themselves."""
    joined = any(section.headings and section.headings[-1] in record.title for section in record.sections)
    is_document = record.title == record.chapter[0]
    return () if joined or is_document else (record.title,)


def _new(shown: tuple[str, ...], path: tuple[str, ...]) -> list[str]:
    common = 0
    while common < min(len(shown), len(path)) and shown[common] == path[common]:
        common += 1
    return list(path[common:])


def _opened(records: list[Record]) -> list[str]:
    opened: list[str] = []
    shown: tuple[str, ...] = ()
    for record in records:
        for section in record.sections:
            path = (*record.chapter[1:], *_own(record), *section.headings)
            opened += _new(shown, path)
            shown = path
    return opened


def _headings(text: str) -> list[str]:
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"^(\s*)(```|~~~).*?^\s*\2\s*$", "", text, flags=re.S | re.M)
    return [_plain_line(found) for found in re.findall(r"^ {0,3}#{1,6}[ \t]+(.+)$", text, re.M)]


def _plain_reading(text: str) -> str:
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"\{\{[<%]\s*[\w/-]+[^}]*?\b(?:header|title|summary|name)=\"([^\"]*)\"[^}]*\}\}", r"\n\1\n", text)
    text = re.sub(r"\{\{[<%].*?[%>]\}\}", "", text, flags=re.S)
    text = re.sub(r"^\s*(?:```|~~~).*$", "", text, flags=re.M)
    text = re.sub(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*:?-*:?\s*$", "", text, flags=re.M)
    text = re.sub(r"^(\s*)(?:\d+[.)])\s", r"\1", text, flags=re.M)
    return "\n".join(map(_plain_line, text.split("\n")))


def _plain_line(line: str) -> str:
    line = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", line)
    line = re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?:[^()\s]|\([^()]*\))*(?:\s+\"[^\"]*\")?\)", r"\1", line)
    line = re.sub(r"<(https?://[^>\s]+|[^>\s@]+@[^>\s]+)>", r"\1", line)
    line = re.sub(r"</?[a-zA-Z][^<>]*>", "", line)
    line = re.sub(r"\{[.#:][^{}]*\}", "", line)
    return re.sub(r"&[a-z]+;|~~[^~]+~~", "", line)


def _bare(text: str) -> str:
    text = re.sub(r"図：|画像：元のページを参照", "", text)
    return _SIGNS.sub("", unicodedata.normalize("NFKC", text))


def _missing(wanted: str, given: str) -> int:
    """Characters of the one text that do not stand in the other, in order."""
    missing = at = 0
    for start in range(0, len(wanted), 12):
        piece = wanted[start : start + 12]
        found = given.find(piece, at, at + 4000)
        if found < 0:
            missing += len(piece)
        else:
            at = found + len(piece)
    return missing
