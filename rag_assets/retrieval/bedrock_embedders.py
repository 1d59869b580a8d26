"""Embedders that run on Bedrock: Titan Text Embeddings V2 and Cohere Embed Multilingual V3.

With them the embedded index compares embedding settings before a Knowledge Base is built. Source of request formats and
limits: the pages of the two models in the Bedrock user guide.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from rag_assets.retrieval.bedrock_calls import BedrockError, Patience, Purpose, region_of, tried
from rag_assets.retrieval.embedder_choice import COHERE, TITAN_DIMENSIONS, USE, embedder_choice
from rag_assets.retrieval.embedders import Embedder, EmbeddingError, UseEmbedder, Vectors, unit

TITAN_MODEL = "amazon.titan-embed-text-v2:0"
TITAN_CHARACTERS = 50_000
TITAN_TOKENS = 8192
COHERE_MODEL = "cohere.embed-multilingual-v3"
COHERE_TEXTS = 96
COHERE_CHARACTERS = 2048
COHERE_TOKENS = 512

WORKERS = 8
"""Requests under way at once; boto3 keeps ten connections."""

_SHOWN = 30

Tell = Callable[[str], None]


def embedder_of(setting: str, client: Callable[[], Any], *, patience: Patience | None = None) -> Embedder:
    """The embedder that a setting names (`embedder_choice`).

    Args:
        setting: Such as `use` or `titan-v2:512`.
        client: Makes a boto3 client of bedrock-runtime; called only for an embedder that runs on Bedrock.
        patience: With a model that does not answer.

    Raises:
        ValueError: It names none.
    """
    choice = embedder_choice(setting)
    if choice.model == USE:
        return UseEmbedder()
    if choice.model == COHERE:
        return CohereEmbedder(client(), patience=patience)
    return TitanEmbedder(client(), choice.dimensions, normalize=choice.normalize, patience=patience)


class TitanEmbedder:
    """Titan Text Embeddings V2: one text a request, several requests at once.

    A text is at most 50,000 characters and 8,192 tokens (about 7,000 characters of Japanese); a longer one is refused,
    never cut.
    """

    def __init__(
        self,
        client: Any,
        dimension: int = 1024,
        *,
        normalize: bool = True,
        workers: int = WORKERS,
        patience: Patience | None = None,
    ) -> None:
        """Nothing is asked yet.

        Args:
            client: A boto3 client of bedrock-runtime.
            dimension: 256, 512 or 1024.
            normalize: See `EmbedderChoice`.
            workers: Requests at once.
            patience: With a model that does not answer.

        Raises:
            ValueError: The model has no such dimension.
        """
        if dimension not in TITAN_DIMENSIONS:
            raise ValueError(f"{TITAN_MODEL} has vectors of {TITAN_DIMENSIONS}, not of {dimension}")
        self.dimension = dimension
        self.name = f"{TITAN_MODEL} dimensions={dimension} normalize={str(normalize).lower()}"
        self._normalize = normalize
        self._workers = workers
        self._model = _Model(client, TITAN_MODEL, patience or Patience())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, shape (len(texts), dimension), float32, each of length 1.

        Raises:
            EmbeddingError: A text could not be embedded; it holds the vectors of those that were.
        """
        return _embedded([[text] for text in texts], self._vectors, self.dimension, self._workers)

    def embed_question(self, question: str) -> Vectors:
        """The vector of a question, shape (dimension,); Titan embeds it as any text."""
        return np.asarray(self.embed([question])[0])

    def _vectors(self, texts: Sequence[str]) -> Vectors:
        (text,) = texts
        if not text.strip():
            raise BedrockError(f"{self._model.what}: a text without any word cannot be embedded")
        body = {"inputText": text, "dimensions": self.dimension, "normalize": self._normalize}
        try:
            if len(text) > TITAN_CHARACTERS:
                raise BedrockError(f"{self._model.what}: at most {TITAN_CHARACTERS:,} characters are taken.")
            return self._model.vectors(body, lambda answer: [answer["embedding"]])
        except BedrockError as error:
            if len(text) > TITAN_CHARACTERS or "too many input tokens" in str(error).lower():
                raise BedrockError(
                    f"{error} The text has {len(text):,} characters and begins with {text[:_SHOWN]!r}: cut it smaller "
                    f"(a variant with a limit), up to {TITAN_TOKENS:,} tokens."
                ) from error
            raise


class CohereEmbedder:
    """Cohere Embed Multilingual V3: up to 96 texts a request; questions are embedded in another way than documents.

    A text counts up to its 2,048th character, and the number of texts cut so is told. Of what is left the model reads
    512 tokens, and the service does not tell where more was dropped: chunks of 400 characters fit, long ones may not.
    """

    dimension = 1024
    name = f"{COHERE_MODEL} input_type=search_document truncate=END"

    def __init__(
        self,
        client: Any,
        *,
        workers: int = WORKERS,
        patience: Patience | None = None,
        tell: Tell | None = None,
    ) -> None:
        """Nothing is asked yet.

        Args:
            client: A boto3 client of bedrock-runtime.
            workers: Requests at once.
            patience: With a model that does not answer.
            tell: Told how many texts were cut; a warning in the log where it is left out.
        """
        self._workers = workers
        self._tell = tell or logging.getLogger(__name__).warning
        self._model = _Model(client, COHERE_MODEL, patience or Patience())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of documents, shape (len(texts), 1024), float32, each of length 1.

        Raises:
            EmbeddingError: A text could not be embedded; it holds the vectors of those that were.
        """
        long = sum(len(text) > COHERE_CHARACTERS for text in texts)
        if long:
            self._tell(
                f"{COHERE_MODEL} takes {COHERE_CHARACTERS:,} characters a text: {long} of {len(texts)} texts are "
                "longer, and what goes beyond is not in their vectors. Cut them smaller (a variant with a limit)"
            )
        batches = [texts[start : start + COHERE_TEXTS] for start in range(0, len(texts), COHERE_TEXTS)]
        return _embedded(batches, lambda batch: self._vectors(batch, "search_document"), self.dimension, self._workers)

    def embed_question(self, question: str) -> Vectors:
        """The vector of a question, shape (1024,).

        Raises:
            EmbeddingError: It could not be embedded.
        """
        vectors = _embedded([[question]], lambda batch: self._vectors(batch, "search_query"), self.dimension, 1)
        return np.asarray(vectors[0])

    def _vectors(self, texts: Sequence[str], input_type: str) -> Vectors:
        if not all(map(str.strip, texts)):
            raise BedrockError(f"{self._model.what}: a text without any word cannot be embedded")
        body = {
            "texts": [text[:COHERE_CHARACTERS] for text in texts],
            "input_type": input_type,
            # Named, since the documentation and the service disagree about what it is otherwise.
            "truncate": "END",
        }
        return self._model.vectors(body, lambda answer: answer["embeddings"])


class _Model:
    """One model, to be invoked."""

    def __init__(self, client: Any, model_id: str, patience: Patience) -> None:
        self._client = client
        self._model_id = model_id
        self._patience = patience

    @property
    def what(self) -> str:
        return f"Model {self._model_id} ({region_of(self._client)})"

    def vectors(self, body: Mapping[str, Any], read: Callable[[Mapping[str, Any]], Any]) -> Vectors:
        """Vectors that an answer tells, as they are.

        Raises:
            BedrockError: There is no answer.
        """
        answer = tried(lambda: self._answer(json.dumps(body)), self._patience, self._purpose())
        return np.asarray(read(answer), dtype=np.float32)

    def _answer(self, body: str) -> Mapping[str, Any]:
        told = self._client.invoke_model(
            modelId=self._model_id, body=body, contentType="application/json", accept="application/json"
        )
        answer: Mapping[str, Any] = json.loads(told["body"].read())
        return answer

    def _purpose(self) -> Purpose:
        region = region_of(self._client)
        return Purpose(
            what=self.what,
            action="bedrock:InvokeModel",
            resource=f"arn:aws:bedrock:{region}::foundation-model/{self._model_id}",
            when_denied=f"If that is so already, the account has no access to the model: open it in the model catalog "
            f"of the Bedrock console in {region}, with the rights aws-marketplace:Subscribe and "
            "aws-marketplace:ViewSubscriptions for a model that is not Amazon's.",
            when_missing="The model is not offered in this region: choose another region or embedder.",
        )


def _embedded(
    batches: Sequence[Sequence[str]], vectors_of: Callable[[Sequence[str]], Vectors], dimension: int, workers: int
) -> Vectors:
    """Vectors of all texts in order, several batches at once; after a failure no further one is begun.

    Raises:
        EmbeddingError: A batch failed; it holds what the others made.
    """
    if not batches:
        return np.empty((0, dimension), dtype=np.float32)
    pool = ThreadPoolExecutor(workers)
    try:
        futures = [pool.submit(_checked, batch, vectors_of, dimension) for batch in batches]
        wait(futures, return_when=FIRST_EXCEPTION)
    finally:
        pool.shutdown(cancel_futures=True)
    failures = [error for future in futures if (error := _failure(future)) is not None]
    if not failures:
        return np.concatenate([future.result() for future in futures])
    if not isinstance(failures[0], BedrockError):
        raise failures[0]
    raise EmbeddingError(str(failures[0]), _made(batches, futures)) from failures[0]


def _checked(batch: Sequence[str], vectors_of: Callable[[Sequence[str]], Vectors], dimension: int) -> Vectors:
    vectors = vectors_of(batch)
    if vectors.shape != (len(batch), dimension):
        raise BedrockError(
            f"the model answered vectors of shape {vectors.shape} for {len(batch)} text(s), expected were {dimension} "
            "numbers each: its answer has changed, this version of the project cannot read it"
        )
    return unit(vectors)


def _failure(future: "Future[Vectors]") -> BaseException | None:
    return None if future.cancelled() else future.exception()


def _made(batches: Sequence[Sequence[str]], futures: Sequence["Future[Vectors]"]) -> dict[int, Vectors]:
    """Vectors that were made, by position of the text."""
    made: dict[int, Vectors] = {}
    start = 0
    for batch, future in zip(batches, futures, strict=True):
        if not future.cancelled() and future.exception() is None:
            made |= {start + place: vector for place, vector in enumerate(future.result())}
        start += len(batch)
    return made
