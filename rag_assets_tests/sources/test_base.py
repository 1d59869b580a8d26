"""What all sources of documents share."""

import io
from collections.abc import Iterator
from dataclasses import replace

import pytest

from rag_assets.model import Record
from rag_assets.sources.base import DocumentError, DocumentSettings, DocumentSource, Finding
from rag_assets.sources.registry import BY_NAME
from rag_assets_tests.sources.pdf.pdf_maker import HEIGHT, WIDTH, PdfMaker

TEXT = {
    "invoice_qa": ("問１　登録は必要ですか。", "【答】", "いいえ、必要ではありません。", "登録しないこともできます。"),
    "work_rules": ("（休日）", "第１条　休日は、日曜日とする。", "（手当）", "第２条　手当は、毎月払う。"),
}


def _with_pictures(source: str, pictures: int) -> io.BytesIO:
    """Pages that are pictures, then one of text."""
    maker = PdfMaker()
    for _ in range(pictures):
        maker.picture(0, 0, WIDTH, HEIGHT)
        maker.page_break()
    maker.lines(*TEXT[source], top=100)
    return maker.file()


@pytest.mark.parametrize("source", TEXT)
def test_a_page_that_is_a_picture_is_missed_unless_the_settings_name_it(source: str) -> None:
    settings = BY_NAME[source].settings(key="d", location="d.pdf", document="文書")
    readings = list(BY_NAME[source].reader(_with_pictures(source, 1), settings, sha256="0" * 64))
    [missed] = [reading for reading in readings if isinstance(reading, Finding)]
    assert (missed.kind, missed.topic, missed.place) == ("fault", "picture page", "page 1")
    told = settings.model_copy(update={"picture_pages": (1,)})
    readings = list(BY_NAME[source].reader(_with_pictures(source, 1), told, sha256="0" * 64))
    assert readings
    assert all(isinstance(reading, Record) for reading in readings)


@pytest.mark.parametrize("source", TEXT)
def test_a_document_of_pictures_is_refused(source: str) -> None:
    settings = BY_NAME[source].settings(key="d", location="d.pdf", document="文書")
    with pytest.raises(DocumentError, match="pages 1-3: only pictures"):
        list(BY_NAME[source].reader(_with_pictures(source, 3), settings, sha256="0" * 64))


@pytest.mark.parametrize(
    ("told", "day"),
    [
        ("令和8年4月1日施行", "2026-04-01"),
        ("R8.4.1", "2026-04-01"),
        ("2026-04-01", "2026-04-01"),
        ("令和8年5月改訂", "2026-05-01"),
        ("2026/13/45", None),
        ("令和8年度", None),
    ],
)
def test_the_as_of_date_of_the_settings(told: str, day: str | None) -> None:
    settings = BY_NAME["law"].settings(key="d", location="d.xml", as_of=told)
    as_of = settings.told_as_of()
    assert as_of is not None
    assert as_of.label == told
    assert (as_of.date.isoformat() if as_of.date else None) == day
    assert BY_NAME["law"].settings(key="d", location="d.xml").told_as_of() is None


def _split_location(document: DocumentSettings) -> Iterator[DocumentSettings]:
    for name in document.location.split("+"):
        if name != "nothing":
            yield document.model_copy(update={"key": name, "location": f"{document.location}/{name}"})


@pytest.fixture
def shelf() -> DocumentSource:
    """A source of which a location stands for the documents that it names: a+b."""
    return replace(BY_NAME["law"], expand=_split_location)


def test_a_source_says_for_which_documents_a_configured_one_stands(shelf: DocumentSource) -> None:
    configured = [shelf.settings(key="x", location="a+b", as_of="R8.4.1"), shelf.settings(key="y", location="c")]
    found = shelf.find_documents(configured)
    assert [(document.key, document.location, document.as_of) for document in found] == [
        *(("a", "a+b/a", "R8.4.1"), ("b", "a+b/b", "R8.4.1"), ("c", "c/c", "")),
    ]
    assert BY_NAME["law"].find_documents(configured) == configured


@pytest.mark.parametrize(
    ("locations", "told"),
    [
        (("a", "nothing"), "nothing: there is no document in it"),
        (("a+b", "b"), "a[+]b/b and b/b have the same key 'b'"),
    ],
)
def test_a_location_that_stands_for_nothing_and_a_key_that_stands_twice_are_told(
    shelf: DocumentSource, locations: tuple[str, ...], told: str
) -> None:
    with pytest.raises(DocumentError, match=told):
        shelf.find_documents(shelf.settings(key=f"k{at}", location=place) for at, place in enumerate(locations))
