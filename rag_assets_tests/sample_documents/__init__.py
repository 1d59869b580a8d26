"""The sample's PDF and Word documents: their words, and what draws them.

`python -m rag_assets_tests.sample_documents` writes them anew into `rag_assets/sample/documents/`.
"""

from rag_assets_tests.sample_documents.invoice_qa import invoice_qa_pdf
from rag_assets_tests.sample_documents.travel_expenses import travel_expenses_docx
from rag_assets_tests.sample_documents.work_rules import work_rules_pdf

SAMPLE_PDFS = {"invoice_qa.pdf": invoice_qa_pdf, "work_rules.pdf": work_rules_pdf}
"""File name to what makes its bytes: the same at every call."""
SAMPLE_WORD_FILES = {"guides/travel_expenses.docx": travel_expenses_docx}
"""Likewise for Word."""
