"""Prepare documents for Amazon Bedrock Knowledge Bases, and measure what the preparation is worth."""

__version__ = "0.1.0"
