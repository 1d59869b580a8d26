"""What the transformation raises: the service keeps the message as the reason why files were not ingested."""


class TransformationError(Exception):
    """The files of a call cannot be transformed; the message names file and place, and what to do."""
