"""Clients of AWS from the settings; boto3 is imported where one is made, since that takes long."""

from functools import cache
from typing import Any

from rag_assets.settings import SettingsError


def make_client(service: str, profile: str | None, region: str | None, endpoint: str | None, config: Any) -> Any:
    """A boto3 client; credentials are found as boto3 finds them.

    Raises:
        SettingsError: The settings do not lead to one.
    """
    import boto3
    import botocore.session
    from botocore.exceptions import BotoCoreError

    try:
        core = botocore.session.Session(profile=profile)
        core.register_component("data_loader", _share_loader(core.get_config_variable("data_path") or ""))
        session: Any = boto3.session.Session(botocore_session=core, region_name=region)
        return session.client(service, endpoint_url=endpoint, config=config)
    except (BotoCoreError, ValueError) as error:
        raise SettingsError(
            f"No client of {service} could be made ({str(error).rstrip('.')}). Look at the settings aws_region, "
            "aws_profile, s3_endpoint and bedrock_endpoint, and at the configuration of the AWS CLI "
            "(`aws configure list`)"
        ) from error


@cache
def _share_loader(data_path: str) -> Any:
    """Loads the descriptions of the services once a process: for every client anew, that takes 0.2 s each."""
    import botocore.loaders

    return botocore.loaders.create_loader(data_path)
