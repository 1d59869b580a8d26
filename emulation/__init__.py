"""A strict Knowledge Base: an emulation over HTTP that real boto3 clients talk to.

It refuses what the service refuses and skips what the service skips, and holds requests and answers to botocore's own
service models. `python -m emulation` (`make kb-local`) starts it to try the project without an account;
`local_aws.local_aws` starts it in a test or benchmark. It is no copy of the service: how well it finds says nothing
about how well Bedrock finds.

It judges what `rag_assets` writes and sends. So it takes nothing from there but what counts as a word, and the names
of the variants.
"""
