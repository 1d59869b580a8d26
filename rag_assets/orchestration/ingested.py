"""What is known of what a Knowledge Base holds of a variant, before it is searched.

A Knowledge Base answers what was ingested last, wherever that was prepared. Syncing and ingesting are in `sync`.
"""

import hashlib
from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

from rag_assets.corpus.writing import corpus_files
from rag_assets.evaluation.model import Held
from rag_assets.ingestion.data_source import IngestionTarget
from rag_assets.ingestion.jobs import find_foreign_job
from rag_assets.ingestion.ledger import read_last_good
from rag_assets.ingestion.service import IngestionError, IngestionService, OnProgress
from rag_assets.ingestion.state import IngestionState
from rag_assets.ingestion.sync_receipt import read_receipt
from rag_assets.model import Chunk
from rag_assets.s3.locations import S3Location, Target
from rag_assets.s3.manifest import hash_contents
from rag_assets.store.home import Home
from rag_assets.store.lines import told_of
from rag_assets.store.locks import held


def held_in_knowledge_base(
    home: Home,
    variant: str,
    target: IngestionTarget,
    chunks: Iterable[Chunk],
    agent: Any,
    on_progress: OnProgress | None = None,
) -> Held:
    """What is known of what the Knowledge Base holds; no file is made or changed.

    Args:
        home: Whose syncs and ingestions are looked at.
        variant: Name of the variant.
        target: Its place and data source.
        chunks: The variant's chunks as they are prepared here.
        agent: A boto3 client of bedrock-agent; asked for the data source's jobs where this home has ingested there.
        on_progress: Takes the lines for the log.

    Returns:
        `corpus` where the last ingestion of this home ended well and covered just these chunks, `earlier` where it
        covered others, `others` where a job of others has done something since, `unknown` where this home has never
        synced the variant there.

    Raises:
        IngestionError: A sync or an ingestion of this home is under way, or not done, or the jobs cannot be asked for.
        StorageError: A file of theirs cannot be read.
    """
    ingested = _last_ingested(home, variant, target)
    if ingested is None:
        return "unknown"
    service = IngestionService(agent, str(target), on_progress=on_progress)
    if find_foreign_job(service, target, ingested.newest_job):
        return "others"
    return "corpus" if ingested.good == _fingerprint(chunks, target) else "earlier"


def foreign_documents(home: Home, variant: str, target: Target) -> int:
    """How many documents of others the last sync from here saw in the place; 0 where there was none.

    Raises:
        StorageError: What it left cannot be read.
    """
    synced = read_receipt(home.synced(variant, target.key))
    return 0 if synced is None else synced.expected.foreign


def _last_ingested(home: Home, variant: str, target: IngestionTarget) -> IngestionState | None:
    """The state after the last ingestion of this home; None where it has never synced the variant there.

    Raises:
        IngestionError: What was synced from here is not ingested, or just being so.
        StorageError: A file cannot be read.
    """
    ledger, lock = home.ingestion(variant, target.key), home.sync_lock(variant)
    under_way = IngestionError(
        f"{_not_searched(target)}: an upload or an ingestion is under way in another run ({lock}). Wait until it has "
        "ended, then run again"
    )
    # Where there is no lock, nothing has ever been synced from here.
    with told_of(lock), held(lock, under_way) if lock.is_file() else nullcontext():
        synced = read_receipt(home.synced(variant, target.key))
        if synced is None:
            if ledger.is_file():
                raise _not_done(home, variant, target, "a sync from here has begun and not come to its end")
            return None
        state = read_last_good(ledger, target)
        if state is None or state.good != synced.expected.fingerprint:
            raise _not_done(home, variant, target, "what was last synced from here has not been ingested well")
        return state


def _fingerprint(chunks: Iterable[Chunk], place: S3Location) -> str:
    """What a sync of these chunks' files leaves there."""
    files = corpus_files(chunks)
    return hash_contents((place.prefix + key, hashlib.sha256(files[key]).digest()) for key in sorted(files))


def _not_done(home: Home, variant: str, target: IngestionTarget, why: str) -> IngestionError:
    return IngestionError(
        f"{_not_searched(target)}, since it may hold anything: {why} ({target.uri}). Materialize s3_objects and "
        f"knowledge_base_ingestion for {variant} first (setting sync: on). Where somebody else syncs it by now, delete "
        f"{home.synced(variant, target.key).with_name(f'{variant}.{target.key}.*')}, and it is searched as it is"
    )


def _not_searched(target: IngestionTarget) -> str:
    return f"Knowledge Base {target.knowledge_base_id} was not searched"
