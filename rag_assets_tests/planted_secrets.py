"""Looking for a planted secret everywhere a run may have left it, packed or not.

How it is planted is each test's own business.
"""

import gzip
import sqlite3
import zlib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote


def places_of(secret: str, folder: Path, *texts: str) -> list[str]:
    """Where a secret stands: file names below a folder, table and column of databases, and `output` for the texts."""
    forms = [
        *(secret.encode(encoding) for encoding in ("utf-8", "utf-16-le")),
        quote(secret, safe="").encode(),
        # Base64 of something before it and it: without the parts that depend on what surrounds it.
        *(b64encode(b"x" * shift + secret.encode())[4:-4] for shift in range(3)),
    ]
    found = ["output" for text in texts if secret in text]
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = str(path.relative_to(folder))
            found += [where for where, data in _contents(path, name) if any(form in data for form in forms)]
            found += [f"name of {name}"] * (secret in name)
    return found


def _contents(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    data = path.read_bytes()
    yield name, data
    if data.startswith(b"\x1f\x8b"):
        yield f"{name} (gzip)", gzip.decompress(data)
    if data.startswith(b"SQLite format 3"):
        yield from _cells(path, name)


def _cells(path: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """Every cell of a database, unpacked where Dagster has packed it."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        tables = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            try:
                rows = database.execute(f'SELECT * FROM "{table}"')
            except sqlite3.Error:
                continue  # a table that only its extension can read; its shadow tables are read as any other
            for row in rows:
                for cell in row:
                    data = cell.encode() if isinstance(cell, str) else cell if isinstance(cell, bytes) else b""
                    yield f"{name}: {table}", data
                    try:
                        yield f"{name}: {table} (packed)", zlib.decompress(data)
                    except zlib.error:
                        continue
