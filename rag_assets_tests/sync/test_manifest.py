"""What the manifest keeps, and what it does not."""

from pathlib import Path

from rag_assets.sync.manifest import Sent, Wanted, opened
from rag_assets.sync.places import Place

PLACE = Place(bucket="a-bucket", prefix="kb/raw/")


def test_what_a_dry_run_proves_is_not_put_down(tmp_path: Path) -> None:
    path = tmp_path / "sent.sqlite"
    with opened(path, PLACE):
        pass
    before = path.read_bytes()

    with opened(path, PLACE, only_read=True) as tables:
        for number in range(1200):
            tables.remember(Sent(Wanted(f"kb/raw/{number}.txt", 1, b"hash"), "etag"))

    assert path.read_bytes() == before


def test_what_was_sent_is_kept_though_the_run_ends_in_an_error(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "sent.sqlite"
    try:
        with opened(path, PLACE) as tables:
            tables.remember(Sent(Wanted("kb/raw/1.txt", 1, b"hash"), "etag"))
            raise RuntimeError
    except RuntimeError:
        pass

    assert b"kb/raw/1.txt" in path.read_bytes()
