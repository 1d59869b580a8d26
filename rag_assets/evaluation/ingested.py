"""Finds out which corpus a Knowledge Base holds, before it is searched.

A Knowledge Base answers from what was ingested last, wherever that was prepared. Ingesting belongs to `ingestion`.
"""

import hashlib
from collections.abc import Iterable
from contextlib import nullcontext
from functools import partial
from typing import Any

from rag_assets.corpus.writing import ReadOriginal, corpus_files
from rag_assets.evaluation.model import HeldCorpus
from rag_assets.ingestion.jobs import find_foreign_job
from rag_assets.ingestion.ledger import read_last_good
from rag_assets.ingestion.service import IngestionError, IngestionService, OnProgress
from rag_assets.ingestion.state import IngestionState
from rag_assets.ingestion.sync_receipt import read_receipt
from rag_assets.model import Chunk
from rag_assets.s3.locations import IngestionTarget, S3Location, Target
from rag_assets.s3.manifest import hash_contents
from rag_assets.sources.originals import read_original_bytes
from rag_assets.store.home import Home
from rag_assets.store.lines import raise_storage_errors
from rag_assets.store.locks import held


def find_held_corpus(
    home: Home,
    variant: str,
    target: IngestionTarget,
    chunks: Iterable[Chunk],
    agent: Any,
    on_progress: OnProgress | None = None,
) -> HeldCorpus:
    """Which corpus the Knowledge Base holds of a variant. No file is made or changed.

    Args:
        home: Whose syncs and ingestions are looked at.
        variant: Name of the variant.
        target: Its place and data source.
        chunks: The variant's chunks as they are prepared here.
        agent: A boto3 client of bedrock-agent; asked for the data source's jobs where this home has ingested there.
        on_progress: Takes the lines for the log.

    Returns:
        `corpus` if the last ingestion of this home ended well and covered exactly these chunks, `earlier` if it covered
        other chunks, `others` if somebody else's job has changed something since, `unknown` if this home has never
        synced the variant there.

    Raises:
        IngestionError: A sync or an ingestion of this home is under way, or not done, or the jobs cannot be asked for.
        StorageError: A file of theirs cannot be read.
    """
    ingested = _read_last_ingestion(home, variant, target)
    if ingested is None:
        return "unknown"
    service = IngestionService(agent, str(target), on_progress=on_progress)
    if find_foreign_job(service, target, ingested.newest_job):
        return "others"
    prepared = _compute_fingerprint(chunks, target, partial(read_original_bytes, home))
    return "corpus" if ingested.good == prepared else "earlier"


def count_foreign_documents(home: Home, variant: str, target: Target) -> int:
    """How many documents of others the last sync from here counted in the place; 0 if there was no sync.

    Raises:
        StorageError: What it left cannot be read.
    """
    synced = read_receipt(home.synced(variant, target.key))
    return 0 if synced is None else synced.expected.foreign


def _read_last_ingestion(home: Home, variant: str, target: IngestionTarget) -> IngestionState | None:
    """The state after the last ingestion of this home; None where it has never synced the variant there.

    Raises:
        IngestionError: What was synced from here is not ingested, or just being so.
        StorageError: A file cannot be read.
    """
    ledger, lock = home.ingestion(variant, target.key), home.sync_lock(variant)
    under_way = IngestionError(
        f"{_describe_refusal(target)}: an upload or an ingestion is under way in another run ({lock}). Wait until "
        "it has ended, then run again"
    )
    # Where there is no lock, nothing has ever been synced from here.
    with raise_storage_errors(lock), held(lock, under_way) if lock.is_file() else nullcontext():
        synced = read_receipt(home.synced(variant, target.key))
        if synced is None:
            if ledger.is_file():
                raise _make_error(home, variant, target, "a sync from here has begun and not come to its end")
            return None
        state = read_last_good(ledger, target)
        if state is None or state.good != synced.expected.fingerprint:
            raise _make_error(home, variant, target, "what was last synced from here has not been ingested well")
        return state


def _compute_fingerprint(chunks: Iterable[Chunk], place: S3Location, read_original: ReadOriginal) -> str:
    """Fingerprint of what a sync of these chunks' files leaves there."""
    files = corpus_files(chunks, read_original)
    return hash_contents((place.prefix + key, hashlib.sha256(files[key]).digest()) for key in sorted(files))


def _make_error(home: Home, variant: str, target: IngestionTarget, why: str) -> IngestionError:
    return IngestionError(
        f"{_describe_refusal(target)}, since it may hold anything: {why} ({target.uri}). Materialize s3_objects and "
        f"knowledge_base_ingestion for {variant} first (setting sync: on). Where somebody else syncs it by now, delete "
        f"{home.synced(variant, target.key).with_name(f'{variant}.{target.key}.*')}, and it is searched as it is"
    )


def _describe_refusal(target: IngestionTarget) -> str:
    return f"Knowledge Base {target.knowledge_base_id} was not searched"
