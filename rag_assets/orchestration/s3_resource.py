"""S3 as dagster-aws has it: imported only where something goes there, since that takes most of a second."""

from typing import Any

from dagster_aws.s3 import S3Resource

from rag_assets.orchestration.aws_clients import make_client


class CorpusStore(S3Resource):
    """S3, with the time-outs and retries that a sync wants.

    Region, endpoint and profile are looked at, credentials are found as boto3 finds them; what else an S3Resource can
    be told plays no part.
    """

    def get_client(self) -> Any:
        """A client of S3."""
        from rag_assets.s3.errors import s3_client_config

        return make_client("s3", self.profile_name, self.region_name, self.endpoint_url, s3_client_config())

    def get_object_to_set_on_execution_context(self) -> Any:
        """Itself: a client, as dagster-aws has it, would be made in every run, also in those that sync nothing."""
        return self
