"""Tests of rag_assets.japanese."""
