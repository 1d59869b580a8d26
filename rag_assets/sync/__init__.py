"""Files to S3 to Knowledge Base: nothing lost, nothing left over."""
