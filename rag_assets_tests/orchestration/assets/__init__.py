"""Tests of rag_assets.orchestration.assets."""
