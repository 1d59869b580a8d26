"""The S3 location of a variant: a bucket, and the prefix that its data source reads.

Names only; what is done there belongs to `objects`.
"""

import hashlib
import re
from collections.abc import Mapping
from typing import Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from rag_assets.corpus.writing import key_faults
from rag_assets.model import Model

MOST_PREFIX_CHARACTERS = 300
"""Of a data source's inclusion prefix (service model of bedrock-agent, shape S3Prefix)."""

_BUCKET_FAULTS: Mapping[str, str] = {
    r"^.{0,2}$|.{64}": "has 3 to 63 characters",
    r"[^a-z0-9.-]": "is made of a to z, 0 to 9, hyphens and dots",
    r"^[.-]|[.-]$": "begins and ends with a letter or digit",
    r"\.\.|\.-|-\.": "has no dot beside another dot or a hyphen",
    r"^[0-9]+(\.[0-9]+){3}$": "does not look like an IP address",
    r"^(xn--|sthree-|amzn-s3-demo-)": "does not begin with xn--, sthree- or amzn-s3-demo-, which S3 reserves",
    r"(-s3alias|--ol-s3|\.mrap|--x-s3|--table-s3)$": (
        "does not end with -s3alias, --ol-s3, .mrap, --x-s3 or --table-s3, which name other things than a general "
        "purpose bucket"
    ),
}
"""What breaks a rule, and the rule (https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html; the
rule of hyphens beside dots is in earlier editions and in the CDK)."""


class S3Location(Model):
    """Where the objects of one variant are in S3, and nothing else."""

    # The text below each setting is its description in the tables of docs/settings.md.
    model_config = ConfigDict(use_attribute_docstrings=True)

    bucket: str
    """A general purpose bucket."""
    prefix: str = Field(default="", max_length=MOST_PREFIX_CHARACTERS)
    """Ends with a slash, so that `raw/` is no beginning of `raw2/`; without it, the whole bucket."""

    @field_validator("bucket")
    @classmethod
    def _is_bucket_name(cls, bucket: str) -> str:
        if broken := [rule for fault, rule in _BUCKET_FAULTS.items() if re.search(fault, bucket)]:
            raise ValueError(f"{bucket!r} cannot be the name of a bucket: such a name {', and '.join(broken)}")
        return bucket

    @field_validator("prefix")
    @classmethod
    def _is_folder(cls, prefix: str) -> str:
        if prefix and (not prefix.endswith("/") or key_faults(prefix.removesuffix("/"))):
            raise ValueError(
                f"{prefix!r} is no prefix: it is empty (the whole bucket) or folder names in ASCII with a slash behind "
                "each, such as 'kb/raw/'"
            )
        return prefix

    @property
    def uri(self) -> str:
        """As people write it."""
        return f"s3://{self.bucket}/{self.prefix}"

    def overlaps(self, other: "S3Location") -> bool:
        """Whether an object could be in both: each would then delete what the other put there."""
        return self.bucket == other.bucket and (
            self.prefix.startswith(other.prefix) or other.prefix.startswith(self.prefix)
        )


class Target(S3Location):
    """Where a variant goes in AWS, according to the settings."""

    knowledge_base_id: str = Field(default="", pattern=r"^(?:[0-9a-zA-Z]{10})?$")
    """The Knowledge Base that takes it in, ten letters and digits; without it, it stays in S3."""
    data_source_id: str = Field(default="", pattern=r"^(?:[0-9a-zA-Z]{10})?$")
    """The data source of the Knowledge Base that reads the place; needed with a Knowledge Base."""

    @property
    def key(self) -> str:
        """Eight hexadecimal digits that no other target has; they name the files about this one."""
        parts = (self.knowledge_base_id, self.data_source_id, self.uri)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:8]

    @model_validator(mode="after")
    def _names_both_or_none(self) -> Self:
        if bool(self.knowledge_base_id) != bool(self.data_source_id):
            raise ValueError("knowledge_base_id and data_source_id belong together: set both, or neither")
        return self


class IngestionTarget(Target):
    """The data source of one variant, and the location that it reads.

    Attributes:
        knowledge_base_id: Ten letters and digits.
        data_source_id: Likewise.
        chunking: What its chunking has to be.
    """

    knowledge_base_id: str = Field(pattern=r"^[0-9a-zA-Z]{10}$")
    data_source_id: str = Field(pattern=r"^[0-9a-zA-Z]{10}$")
    chunking: Literal["NONE", "FIXED_SIZE"]

    @property
    def ids(self) -> dict[str, str]:
        """The parameters that name the data source in a call."""
        return {"knowledgeBaseId": self.knowledge_base_id, "dataSourceId": self.data_source_id}

    def object_uri(self, key: str) -> str:
        """Of an object, by its whole key."""
        return f"s3://{self.bucket}/{key}"

    @classmethod
    def of(cls, target: Target, chunking: Literal["NONE", "FIXED_SIZE"]) -> Self:
        """A target of the settings that has a Knowledge Base, with the chunking of its variant."""
        return cls(**target.model_dump(), chunking=chunking)

    def __str__(self) -> str:
        return f"data source {self.data_source_id} of Knowledge Base {self.knowledge_base_id} ({self.uri})"
