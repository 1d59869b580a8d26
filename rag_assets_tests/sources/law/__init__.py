"""Tests of rag_assets.sources.law."""
