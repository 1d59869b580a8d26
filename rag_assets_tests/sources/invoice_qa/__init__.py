"""Tests of rag_assets.sources.invoice_qa."""
