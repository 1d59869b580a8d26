"""A folder of guides: which of its files are documents, and what each is called.

The folder is looked at anew in every run: new files are read, vanished ones forgotten.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path, PurePosixPath

from rag_assets.japanese.composed import compose
from rag_assets.sources.base import Finding
from rag_assets.sources.document_keys import make_slug
from rag_assets.sources.fetching.addresses import is_url
from rag_assets.sources.file_kinds import Family, FileKind, as_guide
from rag_assets.sources.guides.settings import GuideSettings
from rag_assets.store.file_names import existing_path

_LONGEST_KEY = 100
_EXACT = re.compile(r"[a-z0-9_]+(?:-[a-z0-9_]+)*")
"""A name that can stand in a key as it is: `--` in keys parts folders."""
_SKIPPED_FOLDERS = frozenset({"node_modules", "__pycache__", "__macosx"})
_SKIPPED_FILES = frozenset({"thumbs.db", "desktop.ini"})
_OF_SITES = frozenset(
    {
        *("css", "scss", "less", "js", "mjs", "ts", "jsx", "tsx", "map", "json", "yml", "yaml", "toml", "xml", "ini"),
        *("ico", "woff", "woff2", "ttf", "otf", "eot", "py", "rb", "sh", "lock", "cfg", "conf", "log", "bak", "tmp"),
    }
)
"""Endings of what makes a site and is no document of its own."""
_FAMILIES: dict[str, tuple[Family, str]] = {
    **dict.fromkeys(("doc", "dot", "dotx", "odt", "rtf", "jtd", "pages"), ("office", "a document")),
    **dict.fromkeys(("ppt", "pptm", "odp", "key"), ("office", "a presentation")),
    **dict.fromkeys(("xls", "xlsx", "xlsm", "ods", "csv", "tsv"), ("sheet", "a table")),
    **dict.fromkeys(
        ("png", "jpg", "jpeg", "gif", "webp", "svg", "bmp", "tif", "tiff", "heic"), ("picture", "a picture")
    ),
    **dict.fromkeys(("zip", "7z", "rar", "gz", "tar", "lzh"), ("archive", "an archive")),
    **dict.fromkeys(("eml", "msg"), ("mail", "an e-mail")),
    **dict.fromkeys(("txt", "rst", "adoc", "org", "textile", "mdx"), ("text", "a text")),
}


def find_guides(settings: GuideSettings) -> list[GuideSettings]:
    """The documents that a location stands for: itself, or all that can be read below a folder, in order of path.

    The first of a folder's documents carries the names of the files that are not read.
    """
    if is_url(settings.location):
        return [settings]
    folder = existing_path(Path(settings.location).expanduser())
    if not folder.is_dir():
        return [settings]
    documents: list[GuideSettings] = []
    unread: list[str] = []
    for path in sorted(_files_below(folder), key=_order):
        if any(_matches(pattern, path) for pattern in settings.exclude):
            continue
        if any(_matches(pattern, path) for pattern in settings.include):
            update = {"key": _make_key(settings.key, path), "location": str(folder / path), "path": compose(path)}
            documents.append(settings.model_copy(update=update))
        elif PurePosixPath(path).suffix[1:].lower() not in _OF_SITES:
            unread.append(compose(path))
    if documents and unread:
        documents[0] = documents[0].model_copy(update={"unread": tuple(unread)})
    return documents


def tell_unread(path: str) -> Finding:
    """A note that a file of the folder is not read, and what to do if it should be."""
    family, name = _FAMILIES.get(PurePosixPath(path).suffix[1:].lower(), ("other", "no document of a known kind"))
    return Finding(
        kind="note",
        topic="file not read",
        place=path,
        message=f"it is {name} and not read; if it should be: {as_guide(FileKind(name, family))}. Else exclude it",
    )


def _files_below(folder: Path) -> Iterator[str]:
    """Paths of visible files, from the folder."""
    for around, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name.lower() not in _SKIPPED_FOLDERS]
        for name in files:
            if not name.startswith((".", "~$")) and name.lower() not in _SKIPPED_FILES:
                yield (Path(around) / name).relative_to(folder).as_posix()


def _order(path: str) -> tuple[tuple[int, str], ...]:
    """Files of a folder before its subfolders, its index first."""
    *folders, name = path.split("/")
    is_index = PurePosixPath(name).stem.lower() in ("_index", "index", "readme")
    return (*((2, each) for each in folders), (0 if is_index else 1, name))


def _matches(pattern: str, path: str) -> bool:
    return _pattern(pattern).fullmatch(compose(path if "/" in pattern else path.rpartition("/")[2])) is not None


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    signs = {"**/": "(?:.*/)?", "/**": "/.*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    written = re.sub(
        r"\*\*/|/\*\*|\*\*|\*|\?|[^*?/]+|/",
        lambda found: signs.get(found[0]) or re.escape(found[0]),
        pattern.lstrip("/"),
    )
    return re.compile(written, re.I)


def _make_key(folder_key: str, path: str) -> str:
    """The key of a document: its folder's and its path, with a hash wherever two paths could look alike in it."""
    composed = compose(path)
    stem = composed[: -len(".md")] if composed.endswith(".md") else ""
    names = (stem or composed).split("/")
    is_exact = bool(stem) and all(_EXACT.fullmatch(name) for name in names)
    key = "--".join((folder_key, *filter(None, map(make_slug, names))))
    if is_exact and len(key) <= _LONGEST_KEY:
        return key
    digest = hashlib.sha256(composed.encode()).hexdigest()[:8]
    return f"{key[: _LONGEST_KEY - 1 - len(digest)].rstrip('-_')}-{digest}"
