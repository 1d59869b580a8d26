"""Tests of rag_assets.cli."""
