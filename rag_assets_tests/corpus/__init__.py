"""Tests of rag_assets.corpus."""
