"""Tests of rag_assets.store."""
