"""Values as lines of JSON, written whole or not at all, and only when they differ from what is there."""

import filecmp
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from rag_assets.model import Model

Value = TypeVar("Value", bound=Model)


class StorageError(ValueError):
    """A file of ours does not hold what it should, or cannot be written; the message names file, place and remedy."""


@contextmanager
def raise_storage_errors(path: Path) -> Iterator[None]:
    """Turn what the system says while `path` is written into words with a remedy (a full disk names no file at all).

    Raises:
        StorageError: It could not be written.
    """
    try:
        yield
    except OSError as error:
        at = f" (at {error.filename})" if error.filename and str(error.filename) != str(path) else ""
        raise StorageError(
            f"{path} could not be written: {error.strerror or error}{at}. Make room or make it writable, then run "
            "again: what is there is whole, and the next run does what is left"
        ) from error


def write_if_changed(path: Path, content: bytes) -> bool:
    """Make a file hold this content; True if that changed it. A crash leaves the old file or the new one.

    Raises:
        StorageError: It could not be written; the old file is as it was.
    """
    with raise_storage_errors(path):
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            return False
    with _draft_of(path) as draft:
        draft.write_bytes(content)
        draft.replace(path)
    return True


@contextmanager
def _draft_of(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to and then put in its place; gone where that did not come about.

    Raises:
        StorageError: The system did not let it be written.
    """
    with raise_storage_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.writing")
    try:
        with raise_storage_errors(path):
            yield draft
    finally:
        draft.unlink(missing_ok=True)


def write_lines(path: Path, values: Iterable[Model]) -> bool:
    """Write values, one JSON object a line; True if that changed the file."""
    return write_json_lines(path, (value.model_dump(mode="json") for value in values))


def write_json_lines(path: Path, values: Iterable[dict[str, Any]]) -> bool:
    """Write plain values likewise, one after the other: they are never all in memory. Japanese stays readable."""
    lines = (json.dumps(value, ensure_ascii=False, separators=(",", ":")) for value in values)
    with _draft_of(path) as draft:
        with draft.open("wb") as file:
            file.writelines(f"{line}\n".encode() for line in lines)
        if path.is_file() and filecmp.cmp(draft, path, shallow=False):
            return False
        draft.replace(path)
    return True


def read_lines(path: Path, model: type[Value], made_by: str) -> list[Value]:
    """The values of a file written by `write_lines`.

    Args:
        path: The file.
        model: What every line holds.
        made_by: The asset that makes the file, for the message where it is missing or old.

    Raises:
        StorageError: The file is missing, or a line does not hold such a value.
    """
    return list(iterate_lines(path, model, made_by))


def iterate_lines(path: Path, model: type[Value], made_by: str) -> Iterator[Value]:
    """Likewise, one after the other: they are never all in memory."""
    if not path.is_file():
        raise StorageError(f"{path} does not exist yet: materialize {made_by} first")
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                yield model.model_validate_json(line)
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                raise StorageError(
                    f"{path}:{number}: {f'{place}: ' if place else ''}{first['msg']}; "
                    f"the file was not written by this version: materialize {made_by} again"
                ) from error


def read_folder(folder: Path, model: type[Value], made_by: str) -> list[Value]:
    """The values of all `*.jsonl` files of a folder, in order of file name."""
    return [value for path in sorted(folder.glob("*.jsonl")) for value in read_lines(path, model, made_by)]
