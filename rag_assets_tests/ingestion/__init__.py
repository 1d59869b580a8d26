"""Tests of rag_assets.ingestion."""
