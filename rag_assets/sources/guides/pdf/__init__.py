"""Guides as PDF: headings by numbers, letters, bookmarks and the table of contents."""

from rag_assets.sources.guides.pdf.reader import read_pdf

__all__ = ["read_pdf"]
