"""Prepare documents for Amazon Bedrock Knowledge Bases, and measure what the preparation is worth."""
