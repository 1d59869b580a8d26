"""Guides, manuals and rules (手引き・マニュアル・規程): documents with headings, in Markdown, HTML, Word or PDF."""
