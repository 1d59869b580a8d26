"""The source of Q&A booklets: how a booklet is named and configured. How its PDF is read is in `reader.py`."""

from collections.abc import Callable, Iterator

from pydantic import Field

from rag_assets.sources.base import SAMPLE_DOCUMENTS, DocumentSource, PdfDocument, Reading


class InvoiceQaDocument(PdfDocument):
    """One Q&A as a person configures it; the defaults suit the tax agency's book and 財務省's Q&A alike.

    Full and half width count as the same, and so do blanks inside a mark.
    """

    question_marks: tuple[str, ...] = Field(
        default=("問", "質問", "Ｑ"), min_length=1, description="what stands before a question's number"
    )
    answer_marks: tuple[str, ...] = Field(
        default=(
            "【答】",
            "（答）",
            "［答］",
            "〔答〕",
            "＜答＞",
            "【回答】",
            "（回答）",
            "［回答］",
            "〔回答〕",
            "＜回答＞",
            "【答え】",
            "（答え）",
            "〈答〉",
            "〈回答〉",
            "〈答え〉",
            "＜答え＞",
            "《答》",
            "《回答》",
            "【Ａ】",
            "（Ａ）",
            "［Ａ］",
            "〔Ａ〕",
            "＜Ａ＞",
            "〈Ａ〉",
            "回答",
            "答え",
            "答",
            "Ａ",
        ),
        min_length=1,
        description="what an answer begins with; a single letter (Ａ) is meant with a number, stop or blank behind it",
    )
    chapter_marks: tuple[tuple[str, ...], ...] = Field(
        default=(
            ("第１編", "第一編", "第１部", "第一部"),
            ("第１章", "第一章", "Ⅰ", "○", "◯", "〇", "●", "■", "◆"),
            ("第１節", "第一節", "１"),
        ),
        description="what chapter lines begin with, outermost level first; the number in a mark stands for any number "
        "of its kind, so Ⅰ is also Ⅳ. A line counts where the 目次 lists it or where it is set in another style than "
        "the text (第１章 and Ⅰ need neither)",
    )
    revision_words: tuple[str, ...] = Field(
        default=("改訂", "追加", "改正", "更新", "修正", "新設"),
        description="a note 【…】 behind a question with one of these words dates its answer",
    )
    restarts_by_chapter: bool = Field(
        default=False,
        description="whether numbers begin anew in every outermost chapter; then the chapter's count stands before "
        "them in IDs: `2.1`",
    )


def _load_reader() -> Callable[..., Iterator[Reading]]:
    from rag_assets.sources.invoice_qa.reader import read_document

    return read_document


SOURCE = DocumentSource(
    name="invoice_qa",
    kind="pdf",
    title="Q&A",
    names_in_words="a Q&A booklet (PDF)",
    record_in_words="a 問: 見出し, question, chapter, answer with its tables and 【参考】 boxes; 【…改訂】 is its date",
    example_numbers=("57", "24-2"),
    settings=InvoiceQaDocument,
    sample=InvoiceQaDocument(key="sample", location=str(SAMPLE_DOCUMENTS / "invoice_qa.pdf")),
    load_reader=_load_reader,
    packages=("pdfplumber",),
)
