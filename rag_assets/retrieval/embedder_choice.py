"""Which embedder makes the vectors of the embedded index, as a setting names it; apart from those that need numpy."""

from typing import Literal

from rag_assets.model import Model

USE = "use"
TITAN = "titan-v2"
COHERE = "cohere-multilingual-v3"
TITAN_DIMENSIONS = (256, 512, 1024)
"""Of Titan Text Embeddings V2 (its page in the Bedrock user guide)."""
UNNORMALIZED = "unnormalized"

TAKES = f"{USE}, {TITAN}[:{'|'.join(map(str, TITAN_DIMENSIONS))}][:{UNNORMALIZED}] or {COHERE}"
"""What the setting takes, for messages."""


class EmbedderChoice(Model):
    """An embedder and its settings.

    Attributes:
        model: `use` comes with the project; the others run on Bedrock.
        dimensions: Length of a vector.
        normalize: Whether Titan is asked for vectors of length 1. The embedded index compares by cosine and scales
            vectors itself, so that it ranks alike either way; a vector store that compares by Euclidean distance
            does not.
    """

    model: Literal["use", "titan-v2", "cohere-multilingual-v3"] = "use"
    dimensions: int = 512
    normalize: bool = True


def embedder_choice(setting: str) -> EmbedderChoice:
    """The embedder that a setting names: `use`, `titan-v2`, `titan-v2:512`, `cohere-multilingual-v3`.

    Raises:
        ValueError: It names none; the message says what it takes.
    """
    model, *options = setting.strip().split(":")
    fault = f"embedder {setting!r} is unknown; it takes {TAKES}"
    if model == TITAN:
        normalize = UNNORMALIZED not in options[-1:]
        sizes = options if normalize else options[:-1]
        if len(sizes) > 1 or not set(sizes) <= set(map(str, TITAN_DIMENSIONS)):
            raise ValueError(fault)
        return EmbedderChoice(model="titan-v2", dimensions=int((*sizes, "1024")[0]), normalize=normalize)
    if options or model not in (USE, COHERE):
        raise ValueError(fault)
    if model == USE:
        return EmbedderChoice()
    return EmbedderChoice(model="cohere-multilingual-v3", dimensions=1024)
