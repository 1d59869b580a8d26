"""Tests of rag_assets.sources.tax_answer."""
