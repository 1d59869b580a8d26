"""Tests of rag_assets.retrieval."""
