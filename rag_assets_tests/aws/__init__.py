"""Tests of rag_assets.aws."""
