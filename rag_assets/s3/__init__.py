"""From a variant's files to objects in S3."""
