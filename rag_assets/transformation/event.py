"""What the service sends to the Lambda and expects back: the shapes only.

Source: Bedrock user guide, "Use a custom transformation Lambda function to define how your data is ingested"
(kb-custom-transformation), read in 2026. Fields that the guide does not name are let through.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from rag_assets.store.validation import field_of, said
from rag_assets.transformation.errors import TransformationError

LogText = Annotated[str, BeforeValidator(lambda given: "" if given is None else given)]
"""For the log only: a call that leaves it out, or null, is a call all the same."""
FileAttributes = Annotated[dict[str, Any], BeforeValidator(lambda given: {} if given is None else given)]
"""Of a file, null where it has no sidecar."""


class EventModel(BaseModel):
    """Base: camelCase outside, and what the service adds one day is no error."""

    model_config = ConfigDict(frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True)


class EventS3Location(EventModel):
    """Where an object is: `s3://bucket/key`."""

    uri: str


class FileLocation(EventModel):
    """Where the file came from; a custom transformation is asked for files of other connectors too."""

    type: str
    s3_location: EventS3Location | None = Field(default=None, alias="s3_location")


class ContentBatch(EventModel):
    """Key of an object with the service's own chunks of a file, in the intermediate bucket."""

    key: str = Field(min_length=1)


class TransformedFile(EventModel):
    """A file, as it comes and as it goes back.

    Attributes:
        original_file_location: Of the file in the data source.
        file_metadata: Attributes of its own sidecar, if it has one; those of a chunk go before them.
        content_batches: Where its chunks are, in order.
    """

    original_file_location: FileLocation
    file_metadata: FileAttributes = Field(default_factory=dict)
    content_batches: tuple[ContentBatch, ...]

    @property
    def name(self) -> str:
        """The file as messages call it."""
        location = self.original_file_location
        return location.s3_location.uri if location.s3_location else f"a file of a {location.type} data source"


class TransformationEvent(EventModel):
    """One call of the Lambda."""

    bucket_name: str
    knowledge_base_id: LogText = ""
    data_source_id: LogText = ""
    ingestion_job_id: LogText = ""
    input_files: tuple[TransformedFile, ...]


def read_event(event: Any) -> TransformationEvent:
    """The event of a call.

    Raises:
        TransformationError: It is none of a custom transformation, or does not say where the chunks are to lie.
    """
    try:
        read = TransformationEvent.model_validate(event)
    except ValidationError as error:
        first = error.errors()[0]
        raise TransformationError(
            f"this is no event of a custom transformation ({field_of(first) or 'event'}: {said(first)}): the "
            "function is to be called by the data source of a Knowledge Base, with POST_CHUNKING as step"
        ) from error
    if not read.bucket_name:
        raise TransformationError(
            "bucketName of the event is empty, so that there is nowhere to write: set the intermediate storage of the "
            "data source's custom transformation to a bucket"
        )
    for file in read.input_files:
        if not file.content_batches:
            raise TransformationError(
                f"{file.name}: contentBatches of the event is empty, so that there is nowhere to write: the service "
                "found nothing in the file; is it empty, or of a format that Bedrock does not read?"
            )
    return read


def build_answer(files: list[TransformedFile]) -> dict[str, Any]:
    """What the Lambda returns."""
    return {"outputFiles": [file.model_dump(mode="json", by_alias=True, exclude_none=True) for file in files]}
