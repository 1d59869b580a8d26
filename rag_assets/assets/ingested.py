"""What this home knows of what a Knowledge Base holds of a variant, before it is searched.

A Knowledge Base answers what was ingested last, wherever that was prepared. Syncing and ingesting are in `sync`.
"""

import hashlib
from collections.abc import Iterable

from rag_assets.assets.sync import Synced
from rag_assets.corpus.writing import corpus_files
from rag_assets.evaluation.model import Held
from rag_assets.layout import Home
from rag_assets.model import Chunk
from rag_assets.storage import read_lines
from rag_assets.sync.manifest import contents_fingerprint
from rag_assets.sync.places import Place, Target
from rag_assets.sync.service import IngestionError
from rag_assets.sync.state import opened_ledger


def held_in_knowledge_base(home: Home, variant: str, target: Target, chunks: Iterable[Chunk]) -> Held:
    """What is known of what the Knowledge Base holds; nothing is asked of AWS.

    Args:
        home: Whose syncs and ingestions are looked at.
        variant: Name of the variant.
        target: Its place, with a Knowledge Base.
        chunks: The variant's chunks as they are prepared here.

    Returns:
        `corpus` where the last ingestion of this home ended well and covered just these chunks, `earlier` where it
        covered others, `unknown` where this home has never synced the variant there.

    Raises:
        IngestionError: A sync or an ingestion of this home is not done.
        StorageError: A file of theirs cannot be read.
    """
    path, ledger = home.synced(variant), home.ingestion(variant)
    if not path.is_file():
        if ledger.is_file():
            raise IngestionError(_not_done(home, variant, target, "a sync from here has begun and not come to its end"))
        return "unknown"
    (synced,) = read_lines(path, Synced, "s3_objects")
    if synced.target != target:
        return "unknown"
    with opened_ledger(ledger, target) as known:
        if known.state.needs_ingestion(synced.expected.fingerprint):
            raise IngestionError(
                _not_done(home, variant, target, "what was last synced from here has not been ingested well")
            )
    return "corpus" if synced.expected.fingerprint == _fingerprint(chunks, target) else "earlier"


def _fingerprint(chunks: Iterable[Chunk], place: Place) -> str:
    """What a sync of these chunks' files leaves there."""
    files = corpus_files(chunks)
    return contents_fingerprint((place.prefix + key, hashlib.sha256(files[key]).digest()) for key in sorted(files))


def _not_done(home: Home, variant: str, target: Target, why: str) -> str:
    return (
        f"{variant}: Knowledge Base {target.knowledge_base_id} was not searched, since it may hold anything: {why} "
        f"({target.uri}). Materialize s3_objects and knowledge_base_ingestion for {variant} first (setting sync: on). "
        f"Where somebody else syncs it by now, delete {home.synced(variant).with_name(f'{variant}.*')}, and it is "
        "searched as it is"
    )
