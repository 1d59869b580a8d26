"""A strict Knowledge Base for the tests: an emulation over HTTP that real boto3 clients talk to.

It refuses what the service refuses and skips what the service skips (DESIGN.md, section 6); requests and answers are
held to botocore's own service models. Start it with `local_aws.local_aws` in a test, or with
`python -m rag_assets_tests.knowledge_base` to try the chain without an account. It is no copy of the service: how
well it finds says nothing about how well Bedrock finds.

Nothing here is taken from `rag_assets` but what counts as a word: it is the judge of what that writes and sends.
"""
