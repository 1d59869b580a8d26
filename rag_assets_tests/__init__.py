"""Tests of rag_assets."""
