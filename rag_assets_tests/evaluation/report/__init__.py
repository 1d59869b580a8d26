"""Tests of rag_assets.evaluation.report."""
