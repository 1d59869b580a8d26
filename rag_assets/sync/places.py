"""Where a variant lies in S3: a bucket, and the prefix that its data source reads.

Names only; what is done there belongs in `objects.py`.
"""

from typing import Self

from pydantic import Field, field_validator, model_validator

from rag_assets.corpus.writing import key_faults
from rag_assets.model import Model

MOST_PREFIX_CHARACTERS = 300
"""Of a data source's inclusion prefix (service model of bedrock-agent, shape S3Prefix)."""


class Place(Model):
    """The objects of one variant, and of nothing else.

    Attributes:
        bucket: A general purpose bucket (S3 user guide, bucket naming rules).
        prefix: Ends with a slash, so that `raw/` is no beginning of `raw2/`; empty for the whole bucket.
    """

    bucket: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    prefix: str = Field(default="", max_length=MOST_PREFIX_CHARACTERS)

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

    def overlaps(self, other: "Place") -> bool:
        """Whether an object could lie in both: each would then delete what the other put there."""
        return self.bucket == other.bucket and (
            self.prefix.startswith(other.prefix) or other.prefix.startswith(self.prefix)
        )


class Target(Place):
    """Where a variant goes in AWS, as settings say it.

    Attributes:
        knowledge_base_id: The Knowledge Base that takes it in, ten letters and digits; empty leaves it in S3.
        data_source_id: The data source of the Knowledge Base that reads the place; needed with a Knowledge Base.
    """

    knowledge_base_id: str = Field(default="", pattern=r"^(?:[0-9a-zA-Z]{10})?$")
    data_source_id: str = Field(default="", pattern=r"^(?:[0-9a-zA-Z]{10})?$")

    @model_validator(mode="after")
    def _names_both_or_none(self) -> Self:
        if bool(self.knowledge_base_id) != bool(self.data_source_id):
            raise ValueError("knowledge_base_id and data_source_id belong together: set both, or neither")
        return self
