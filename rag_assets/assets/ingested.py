"""What this home knows of what a Knowledge Base holds of a variant, before it is searched.

A Knowledge Base answers what was ingested last, wherever that was prepared. Syncing and ingesting are in `sync`.
"""

import hashlib
from collections.abc import Iterable
from contextlib import nullcontext

from rag_assets.assets.sync import Synced
from rag_assets.corpus.writing import corpus_files
from rag_assets.evaluation.model import Held
from rag_assets.layout import Home
from rag_assets.locks import held
from rag_assets.model import Chunk
from rag_assets.storage import read_lines, told_of
from rag_assets.sync.manifest import contents_fingerprint
from rag_assets.sync.places import Place, Target
from rag_assets.sync.service import IngestionError
from rag_assets.sync.state import last_good


def held_in_knowledge_base(home: Home, variant: str, target: Target, chunks: Iterable[Chunk]) -> Held:
    """What is known of what the Knowledge Base holds; nothing is asked of AWS, and no file is made or changed.

    Args:
        home: Whose syncs and ingestions are looked at.
        variant: Name of the variant.
        target: Its place, with a Knowledge Base.
        chunks: The variant's chunks as they are prepared here.

    Returns:
        `corpus` where the last ingestion of this home ended well and covered just these chunks, `earlier` where it
        covered others, `unknown` where this home has never synced the variant there.

    Raises:
        IngestionError: A sync or an ingestion of this home is under way, or not done.
        StorageError: A file of theirs cannot be read.
    """
    ingested = _last_ingested(home, variant, target)
    if ingested is None:
        return "unknown"
    return "corpus" if ingested == _fingerprint(chunks, target) else "earlier"


def _last_ingested(home: Home, variant: str, target: Target) -> str | None:
    """Fingerprint of what the last ingestion of this home covered; None where it has never synced the variant there.

    Raises:
        IngestionError: What was synced from here is not ingested, or just being so.
        StorageError: A file cannot be read.
    """
    path, ledger, lock = home.synced(variant), home.ingestion(variant), home.sync_lock(variant)
    under_way = IngestionError(
        f"{_not_searched(target)}: an upload or an ingestion is under way in another run ({lock}). Wait until it has "
        "ended, then run again"
    )
    # Where there is no lock, nothing has ever been synced from here.
    with told_of(lock), held(lock, under_way) if lock.is_file() else nullcontext():
        if not path.is_file():
            if ledger.is_file():
                raise _not_done(home, variant, target, "a sync from here has begun and not come to its end")
            return None
        lines = read_lines(path, Synced, "s3_objects")
        if len(lines) != 1:
            raise _not_done(home, variant, target, f"{path} should tell of one sync, and tells of {len(lines)}")
        (synced,) = lines
        if synced.target != target:
            return None
        if last_good(ledger, target) != synced.expected.fingerprint:
            raise _not_done(home, variant, target, "what was last synced from here has not been ingested well")
        return synced.expected.fingerprint


def _fingerprint(chunks: Iterable[Chunk], place: Place) -> str:
    """What a sync of these chunks' files leaves there."""
    files = corpus_files(chunks)
    return contents_fingerprint((place.prefix + key, hashlib.sha256(files[key]).digest()) for key in sorted(files))


def _not_done(home: Home, variant: str, target: Target, why: str) -> IngestionError:
    return IngestionError(
        f"{_not_searched(target)}, since it may hold anything: {why} ({target.uri}). Materialize s3_objects and "
        f"knowledge_base_ingestion for {variant} first (setting sync: on). Where somebody else syncs it by now, delete "
        f"{home.synced(variant).with_name(f'{variant}.*')}, and it is searched as it is"
    )


def _not_searched(target: Target) -> str:
    return f"Knowledge Base {target.knowledge_base_id} was not searched"
