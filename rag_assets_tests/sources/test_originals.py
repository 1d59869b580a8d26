"""Documents as they were fetched, and the plainest reading of them."""

import hashlib
from io import BytesIO
from pathlib import Path

import pytest

from rag_assets.model import Original, Record
from rag_assets.settings.places import SAMPLE
from rag_assets.sources.fetching.objects import FetchedObjects
from rag_assets.sources.file_kinds import file_kind
from rag_assets.sources.originals import read_original_bytes, read_originals, read_text
from rag_assets.store.home import Home
from rag_assets.store.lines import StorageError
from rag_assets_tests.strategies import record, section


def text_of(data: bytes) -> str:
    return read_text(data, file_kind(BytesIO(data)))


def record_of(data: bytes, record_id: str, path: str = "") -> Record:
    source = record_id.partition("/")[0]
    return record([section("概要", "文")], title="題").model_copy(
        update={
            "record_id": record_id,
            "source": source,
            "origin_sha256": hashlib.sha256(data).hexdigest(),
            "attributes": {"path": path} if path else {},
        }
    )


@pytest.mark.parametrize("path", sorted(path for path in (SAMPLE / "documents").rglob("*") if path.is_file()), ids=str)
def test_each_sample_document_is_read_as_lines_of_text(path: Path) -> None:
    text = text_of(path.read_bytes())
    assert len(text) > 200
    assert "\r" not in text
    assert not any(not line.strip() for line in text.split("\n"))
    assert "�" not in text


def test_a_page_is_read_with_menu_and_footer_but_without_what_no_reader_sees() -> None:
    unseen = "<script>x()</script><style>p{}</style>"
    page = f"<title>題</title>{unseen}<nav>ホーム</nav><p>本文<br>続き</p><footer>奥付</footer>"
    assert text_of(f"<!DOCTYPE html><html><body>{page}".encode("cp932")) == "題\nホーム\n本文\n続き\n奥付"


def test_tables_and_other_text_are_read_as_they_are() -> None:
    assert text_of("品目,区分\r\n鏡台,粗大\r\n".encode("cp932")) == "品目,区分\n鏡台,粗大"
    assert text_of("\ufeff# 題\n\n\n本文".encode()).splitlines() == ["# 題", "本文"]


def test_documents_are_handed_over_in_the_order_of_their_records(tmp_path: Path) -> None:
    home = Home(tmp_path)
    page, booklet, law = b"<!DOCTYPE html><html><body>A", (SAMPLE / "documents/invoice_qa.pdf").read_bytes(), b""
    law = (SAMPLE / "documents/law.xml").read_bytes()
    records = [
        record_of(page, "tax_answer/2"),
        record_of(booklet, "invoice_qa/book/1"),
        record_of(booklet, "invoice_qa/book/2"),
        record_of(law, "law/act/1"),
        record_of(b"# A", "guides/hand--a/top", path="a.markdown.MD"),
    ]
    for one, data in zip(records, (page, booklet, booklet, law, b"# A"), strict=True):
        FetchedObjects(home.fetched(one.source)).put(data)
    found = list(read_originals(home, records))
    assert [(one.document_id, one.original.suffix, len(one.records)) for one in found] == [
        ("tax_answer/2", ".html", 1),
        ("invoice_qa/book", ".pdf", 2),
        ("law/act", ".txt", 1),
        ("guides/hand--a", ".md", 1),
    ]
    assert found[1].original == Original(sha256=hashlib.sha256(booklet).hexdigest(), suffix=".pdf")
    assert read_original_bytes(home, "invoice_qa", found[1].original.sha256) == booklet
    # The service does not read XML: its text stands in.
    assert found[2].original.sha256 == ""
    assert "<" not in found[2].text


def test_bytes_that_are_gone_are_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"law/act was read from are not there any more: fetch its source again"):
        list(read_originals(Home(tmp_path), [record_of(b"x", "law/act/1")]))
