"""Embedders that run on Bedrock: Titan Text Embeddings V2 and Cohere Embed Multilingual V3.

With them the embedded index compares embedding settings before a Knowledge Base is built. Source of request formats and
limits: the pages of the two models in the Bedrock user guide.
"""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from rag_assets import parallel
from rag_assets.aws.calls import CallContext
from rag_assets.aws.errors import AwsFailure, UnreadableAnswerError
from rag_assets.retrieval.bedrock_calls import BedrockError, BedrockPatience, call_bedrock, region_of
from rag_assets.retrieval.embedder_choice import COHERE, TITAN_DIMENSIONS, USE, embedder_choice
from rag_assets.retrieval.embedders import Embedder, EmbeddingError, UseEmbedder, Vectors, is_direction, unit

TITAN_MODEL = "amazon.titan-embed-text-v2:0"
COHERE_MODEL = "cohere.embed-multilingual-v3"
COHERE_TEXTS = 96
COHERE_CHARACTERS = 2048
COHERE_TOKENS = 512
CHARACTERS_A_TOKEN = 1.3
"""Of Japanese; Cohere counted it over Wikipedia, for the tokens of its multilingual embeddings before these (model card
of the tokenizer Cohere/multilingual-22-12). The service tells neither tokens nor what it left out."""

WORKERS = 8
"""Requests under way at once; boto3 keeps ten connections."""

_SHOWN = 30
_CHANGED = "its answer has changed, this version of the project cannot read it"
_PLACE = re.compile(r"#/texts/(\d+)|\bindex (\d+)")
"""How a refusal says which text of a request it is about, counted from 0."""
_DRIPPING = 240.0
"""Seconds on top of the patience with an answer, which is over long before: only an answer that drips in lasts so."""

Body = Callable[[Sequence[str]], Mapping[str, Any]]
Read = Callable[[Mapping[str, Any]], Any]


def embedder_of(setting: str, client: Callable[[], Any], *, patience: BedrockPatience | None = None) -> Embedder:
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

    reads = math.inf

    def __init__(
        self,
        client: Any,
        dimension: int = 1024,
        *,
        normalize: bool = True,
        workers: int = WORKERS,
        patience: BedrockPatience | None = None,
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
        takes = "50,000 characters and 8,192 tokens"
        self._model = _EmbeddingModel(client, TITAN_MODEL, dimension, 1, takes, workers, patience or BedrockPatience())

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, shape (len(texts), dimension), float32, each of length 1.

        Raises:
            EmbeddingError: A text could not be embedded; it holds the vectors of those that were.
        """
        return self._model.embedded(texts, self._body, lambda answer: [answer["embedding"]])

    def embed_question(self, question: str) -> Vectors:
        """The vector of a question, shape (dimension,); Titan embeds it as any text."""
        return np.asarray(self.embed([question])[0])

    def _body(self, texts: Sequence[str]) -> Mapping[str, Any]:
        return {"inputText": texts[0], "dimensions": self.dimension, "normalize": self._normalize}


class CohereEmbedder:
    """Cohere Embed Multilingual V3: up to 96 texts a request; questions are embedded in another way than documents.

    The model reads 512 tokens of a text and the service takes 2,048 characters; what goes beyond is left out. Chunks of
    400 characters fit; how many of longer ones do not is told by `embedders.read_in_part`.
    """

    dimension = 1024
    name = f"{COHERE_MODEL} input_type=search_document truncate=END"
    reads = COHERE_TOKENS * CHARACTERS_A_TOKEN

    def __init__(self, client: Any, *, workers: int = WORKERS, patience: BedrockPatience | None = None) -> None:
        """Nothing is asked yet.

        Args:
            client: A boto3 client of bedrock-runtime.
            workers: Requests at once.
            patience: With a model that does not answer.
        """
        takes = f"{COHERE_CHARACTERS:,} characters"
        self._model = _EmbeddingModel(
            client, COHERE_MODEL, self.dimension, COHERE_TEXTS, takes, workers, patience or BedrockPatience()
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Vectors of documents, shape (len(texts), 1024), float32, each of length 1.

        Raises:
            EmbeddingError: A text could not be embedded; it holds the vectors of those that were.
        """
        return self._embedded(texts, "search_document")

    def embed_question(self, question: str) -> Vectors:
        """The vector of a question, shape (1024,).

        Raises:
            EmbeddingError: It could not be embedded.
        """
        return np.asarray(self._embedded([question], "search_query")[0])

    def _embedded(self, texts: Sequence[str], input_type: str) -> Vectors:
        def body(batch: Sequence[str]) -> Mapping[str, Any]:
            return {
                "texts": [text[:COHERE_CHARACTERS] for text in batch],
                "input_type": input_type,
                # Named, since the documentation and the service disagree about what it is otherwise.
                "truncate": "END",
            }

        return self._model.embedded(texts, body, lambda answer: answer["embeddings"])


class _EmbeddingModel:
    """One model, to be invoked."""

    def __init__(
        self,
        client: Any,
        model_id: str,
        dimension: int,
        at_once: int,
        takes: str,
        workers: int,
        patience: BedrockPatience,
    ) -> None:
        self._client = client
        self._model_id = model_id
        self._dimension = dimension
        self._at_once = at_once
        self._takes = takes
        self._workers = workers
        self._patience = patience
        self._what = f"Model {model_id} ({region_of(client)})"

    def embedded(self, texts: Sequence[str], body: Body, read: Read) -> Vectors:
        """Vectors of all texts in order, each of length 1; several requests are under way at once.

        Nothing more is asked once a request has failed for good, or the caller is interrupted; what is still under way
        then is not waited for.

        Args:
            texts: Each with at least a word.
            body: Of the request about some texts.
            read: The vectors in an answer.

        Raises:
            EmbeddingError: A request failed; it holds what was made before.
        """
        self._require_words(texts)
        made: dict[int, Vectors] = {}

        def work(start: int) -> tuple[int, Vectors]:
            batch = texts[start : start + self._at_once]
            return start, self._vectors(batch, body(batch), read)

        starts = range(0, len(texts), self._at_once)
        try:
            with parallel.map_parallel(work, starts, self._workers, self._guard()) as batches:
                for start, vectors in batches:
                    made |= dict(enumerate(vectors, start))
        except BedrockError as error:
            raise EmbeddingError(str(error), made) from error
        return np.array([made[place] for place in range(len(texts))], dtype=np.float32).reshape(-1, self._dimension)

    def _guard(self) -> parallel.IdleLimit:
        most = self._patience.answer.seconds + _DRIPPING
        return parallel.IdleLimit(
            seconds=most,
            warn=lambda seconds: self._patience.tell(f"{self._what}: no text was embedded for {seconds:,.0f} s"),
            error=BedrockError(
                f"{self._what}: given up, since no answer came to its end in {most:,.0f} s. Look at the network, and "
                "at what lies between: a proxy (HTTPS_PROXY). Run again."
            ),
        )

    def _require_words(self, texts: Sequence[str]) -> None:
        for place, text in enumerate(texts):
            if not text.strip():
                before = f"; the one before it begins with {texts[place - 1][:_SHOWN]!r}" if place else ""
                raise EmbeddingError(
                    f"{self._what}: a text without any word cannot be embedded, and was not sent: {text[:_SHOWN]!r}, "
                    f"number {place + 1} of {len(texts)}{before}. Take it out, or write something there.",
                    {},
                )

    def _vectors(self, texts: Sequence[str], body: Mapping[str, Any], read: Read) -> Vectors:
        """Vectors of one request.

        Raises:
            BedrockError: There is no answer, or none with such vectors as are wanted.
        """
        answer = call_bedrock(
            self._client, lambda: self._answer(json.dumps(body)), self._patience, self._purpose(texts)
        )
        try:
            # A number beyond float32 becomes infinite, and is refused as that.
            with np.errstate(over="ignore"):
                vectors = np.asarray(read(answer), dtype=np.float32)
        except (TypeError, ValueError) as error:
            raise BedrockError(f"{self._what}: {_CHANGED} ({error})") from error
        if vectors.shape != (len(texts), self._dimension):
            raise BedrockError(
                f"{self._what}: it answered vectors of shape {vectors.shape} for {len(texts)} text(s), expected were "
                f"{self._dimension} numbers each: {_CHANGED}"
            )
        for text, vector in zip(texts, vectors, strict=True):
            if not is_direction(vector):
                raise BedrockError(
                    f"{self._what}: its vector of the text that begins with {text[:_SHOWN]!r} cannot be compared with "
                    "any: it has the length 0, or a number in it is none (NaN) or infinite. Nothing of it was kept. "
                    "Run again; where it comes again, change that text."
                )
        return unit(vectors)

    def _answer(self, body: str) -> Mapping[str, Any]:
        told = self._client.invoke_model(
            modelId=self._model_id, body=body, contentType="application/json", accept="application/json"
        )
        try:
            answer: Mapping[str, Any] = json.loads(told["body"].read())
        except ValueError as error:
            raise UnreadableAnswerError(f"no JSON: {error}") from error
        return answer

    def _purpose(self, texts: Sequence[str]) -> CallContext:
        region = region_of(self._client)
        return CallContext(
            what=self._what,
            operation="InvokeModel",
            resource=f"arn:aws:bedrock:{region}::foundation-model/{self._model_id}",
            when_denied=f"If that is so already, the account has no access to the model: open it in the model catalog "
            f"of the Bedrock console in {region}, with the rights aws-marketplace:Subscribe and "
            "aws-marketplace:ViewSubscriptions for a model that is not Amazon's (docs/aws.md, "
            "step 1: Model).",
            when_missing="The model is not offered in this region: choose another region or embedder.",
            when_refused=lambda failure: self._advice(failure, texts),
        )

    def _advice(self, failure: AwsFailure, texts: Sequence[str]) -> str:
        if "on-demand throughput" in failure.message:
            return (
                f"In {region_of(self._client)} the model answers through an inference profile or provisioned "
                "throughput alone, which the project does not use: set aws_region to a region that has it on demand "
                '("Supported foundation models" in the Bedrock user guide), or choose another embedder.'
            )
        found = _PLACE.search(failure.message)
        place = int(found[1] or found[2]) if found else 0
        text = texts[place] if place < len(texts) else texts[0]
        which = "The text" if found or len(texts) == 1 else f"It is about one of {len(texts)} texts; the first"
        return (
            f"{which} has {len(text):,} characters and begins with {text[:_SHOWN]!r}. Up to {self._takes} are taken: "
            "where it is longer, cut it smaller (a variant with a limit)."
        )
