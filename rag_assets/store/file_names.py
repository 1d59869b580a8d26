"""Files by the names that people give: a name in NFC finds the file that macOS named in NFD, and the reverse."""

from pathlib import Path

from rag_assets.japanese.composed import compose


def existing_path(path: Path) -> Path:
    """The path as the file system spells it; the path as it is where nothing of that name is there."""
    if path.exists():
        return path
    found = Path(path.anchor)
    for part in path.relative_to(path.anchor).parts:
        below = found / part
        if not below.exists():
            below = next((child for child in _children(found) if compose(child.name) == compose(part)), below)
        found = below
    return found if found.exists() else path


def _children(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []
