"""Tests of rag_assets.sources.guides.word."""
