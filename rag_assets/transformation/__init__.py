"""Custom transformation: a Lambda that makes prepared chunks of one file while a Knowledge Base ingests it.

For users who keep a CSV file (or another document) in S3 and run no Dagster. Same settings and same code as the
sources; nothing here may import more than the standard library, pydantic and, inside functions, boto3.
"""
