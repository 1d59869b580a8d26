"""Tests of rag_assets.transformation."""
