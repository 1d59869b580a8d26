"""What a booklet of questions says of single pages that cannot be read: the same as rules do."""

from rag_assets.model import Record
from rag_assets.sources.base import Finding
from rag_assets.sources.invoice_qa.reader import read_document
from rag_assets.sources.invoice_qa.source import InvoiceQaDocument
from rag_assets_tests.sources.pdf.pdf_maker import PdfMaker


def test_single_pages_of_a_booklet_that_cannot_be_read_are_told() -> None:
    maker = PdfMaker()
    maker.lines("問１　届けはいつまでに出しますか。", "【答】", "休む日の前の日までに出してください。")
    maker.page_break()
    maker.vertical(500, 100, "別記様式　休みの届けを次のとおり出します")
    maker.page_break()
    maker.picture(30, 30, 565, 780)
    maker.page_break()
    maker.lines("問２　届けは誰に出しますか。", "【答】", "所属の長に出してください。")
    settings = InvoiceQaDocument(key="qa", location="qa.pdf")
    readings = list(read_document(maker.file(), settings, sha256="0" * 64))
    assert [reading.number for reading in readings if isinstance(reading, Record)] == ["1", "2"]
    assert [(each.kind, each.topic, each.place) for each in readings if isinstance(each, Finding)] == [
        ("fault", "picture page", "page 3"),
        ("note", "vertical page", "page 2"),
    ]
