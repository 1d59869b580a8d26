"""From S3 into a Knowledge Base: jobs, documents by name, and what is known of both."""
