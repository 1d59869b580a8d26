"""The source of Q&A booklets: how a booklet is named and configured. How its PDF is read is in `reader.py`."""

from pydantic import Field

from rag_assets.sources.base import SAMPLE_DOCUMENTS, DocumentSource, PdfDocument

_BRACKETS = ("【】", "（）", "［］", "〔〕", "＜＞", "〈〉", "《》")
_ANSWER_WORDS = ("回答", "答え", "答", "Ａ")
_ANSWER_MARKS = (*(pair[0] + word + pair[1] for word in _ANSWER_WORDS for pair in _BRACKETS), *_ANSWER_WORDS)


class InvoiceQaDocument(PdfDocument):
    """One Q&A as a person configures it; the defaults suit the tax agency's book and 財務省's Q&A alike.

    Full and half width count as the same, and so do blanks inside a mark.
    """

    question_marks: tuple[str, ...] = Field(default=("問", "質問", "Ｑ"), min_length=1)
    """What stands before a question's number."""
    answer_marks: tuple[str, ...] = Field(default=_ANSWER_MARKS, min_length=1)
    """What an answer begins with; a single letter (Ａ) is meant with a number, stop or blank behind it."""
    chapter_marks: tuple[tuple[str, ...], ...] = (
        ("第１編", "第一編", "第１部", "第一部"),
        ("第１章", "第一章", "Ⅰ", "○", "◯", "〇", "●", "■", "◆"),
        ("第１節", "第一節", "１"),
    )
    """What chapter lines begin with, outermost level first; the number in a mark stands for any number of its kind, so
    Ⅰ is also Ⅳ. A line counts where the 目次 lists it or where it is set in another style than the text (第１章 and Ⅰ
    need neither)."""
    revision_words: tuple[str, ...] = ("改訂", "追加", "改正", "更新", "修正", "新設")
    """A note 【…】 behind a question with one of these words dates its answer."""
    restarts_by_chapter: bool = False
    """Whether numbers begin anew in every outermost chapter; then the chapter's count stands before them in IDs:
    `2.1`."""


SOURCE = DocumentSource(
    name="invoice_qa",
    kind="pdf",
    title="Q&A",
    names_in_words="a Q&A booklet (PDF)",
    record_in_words="a 問: 見出し, question, chapter, answer with its tables and 【参考】 boxes; 【…改訂】 is its date",
    example_numbers=("57", "24-2"),
    settings=InvoiceQaDocument,
    sample=InvoiceQaDocument(key="sample", location=str(SAMPLE_DOCUMENTS / "invoice_qa.pdf")),
    packages=("pdfplumber",),
)
