"""Tests of rag_assets.sources.html."""
