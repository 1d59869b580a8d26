"""`python -m rag_assets.transformation.package --out transformation.zip`: what the Lambda needs, and nothing else.

The zip holds the modules of rag_assets that the handler reaches by import, and pydantic for the Lambda's processor and
Python, in the versions installed here. boto3 comes with the Lambda's Python. The same content gives the same bytes.
"""

import argparse
import ast
import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import distributions
from importlib.util import find_spec
from pathlib import Path

from rag_assets.sources.registry import BY_NAME

HANDLER = "rag_assets.transformation.handler"
ARCHITECTURES = {"arm64": "aarch64", "x86_64": "x86_64"}
"""Names of the Lambda's processors, and the same in names of wheels."""
DEFAULT_ARCHITECTURE = "arm64"
DEFAULT_OUT = "transformation.zip"
PYTHONS = ("3.12", "3.13", "3.14")
"""Of the Lambda: those on Amazon Linux 2023 (Lambda developer guide, runtimes); earlier ones have an older glibc."""
DEFAULT_PYTHON = PYTHONS[0]

MOST_ZIP_BYTES = 50 * 1024 * 1024
MOST_BYTES = 250 * 1024 * 1024
"""Of a zip that is uploaded as it is, and of what is in it (Lambda quotas)."""

_GLIBC = ("manylinux2014", "manylinux_2_17", "manylinux_2_28", "manylinux_2_34")
"""Wheels that run on Amazon Linux 2023 (glibc 2.34)."""
_LEFT_OUT = ("/tests/", "/test/", ".dist-info/RECORD", ".pyi", ".pyc")
_EPOCH = (1980, 1, 1, 0, 0, 0)
_REPOSITORY = Path(__file__).parents[2]


class PackagingError(Exception):
    """The zip cannot be made; the message says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Make the zip as the command line says.

    Returns:
        The exit status.
    """
    given = _make_parser().parse_args(arguments)
    try:
        if given.out.is_dir():
            raise PackagingError(f"{given.out} is a folder: name a file, such as --out {given.out / DEFAULT_OUT}")
        wheels: list[Path] = []
        with tempfile.TemporaryDirectory() as folder:
            if not given.no_packages:
                wheels = download_wheels(given.source, given.architecture, given.python, Path(folder))
            told = write_zip(given.out, wheels)
    except PackagingError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{told}\n")
    return 0


def modules() -> dict[str, Path]:
    """The modules of rag_assets that the handler reaches, and their files."""
    found: dict[str, Path] = {}
    # The readers of the sources are imported by name, see `DocumentSource.reader`.
    waiting = [HANDLER, *(f"rag_assets.sources.{source}.reader" for source in BY_NAME)]
    while waiting:
        name = waiting.pop()
        path = _find_file(name)
        if name in found or path is None:
            continue
        found[name] = path
        waiting.extend(_list_parents(name))
        waiting.extend(_list_imports(path))
    return dict(sorted(found.items()))


def _find_file(name: str) -> Path | None:
    place = _REPOSITORY.joinpath(*name.split("."))
    for path in (place / "__init__.py", place.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _list_parents(name: str) -> Iterator[str]:
    while "." in name:
        name = name.rpartition(".")[0]
        yield name


def _list_imports(path: Path) -> Iterator[str]:
    """What a module imports of rag_assets, at its head or inside functions."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Import(names=names):
                named = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), names=names, level=0):
                # What is imported from a package may be a module of it.
                named = [module, *(f"{module}.{alias.name}" for alias in names)]
            case _:
                continue
        yield from (name for name in named if name.split(".")[0] == "rag_assets")


def download_wheels(sources: Iterable[str], architecture: str, python: str, folder: Path) -> list[Path]:
    """The wheels that the Lambda needs, from the package index that pip is configured for.

    Raises:
        PackagingError: There is no pip, or it could not get one of them.
    """
    if find_spec("pip") is None:
        raise PackagingError(
            f"pip, which gets the packages of the Lambda, is not installed beside {sys.executable}: install it "
            "(python -m ensurepip, or uv pip install pip), or give --no-packages where a layer holds pydantic"
        )
    constraints = folder / "constraints.txt"
    constraints.write_text("".join(f"{installed.name}=={installed.version}\n" for installed in distributions()))
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--only-binary=:all:"),
        *("--implementation=cp", f"--python-version={python}", f"--constraint={constraints}", f"--dest={folder}"),
        *(f"--platform={glibc}_{ARCHITECTURES[architecture]}" for glibc in _GLIBC),
        *("pydantic", *(name for source in sources for name in BY_NAME[source].packages)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PackagingError(f"pip could not get the packages of the Lambda:\n{done.stderr.strip()}")
    return sorted(folder.glob("*.whl"))


def write_zip(out: Path, wheels: Iterable[Path], most_bytes: int = MOST_ZIP_BYTES) -> str:
    """Write the zip; a sentence about it.

    Raises:
        PackagingError: It is larger than a Lambda may be, or cannot be written; what was there before is kept then.
    """
    files = {str(path.relative_to(_REPOSITORY)): path.read_bytes() for path in modules().values()}
    ours = len(files)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            files |= {name: archive.read(name) for name in archive.namelist() if _is_needed(name)}
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    size, inside = zipped.tell(), sum(map(len, files.values()))
    if size > most_bytes or inside > MOST_BYTES:
        raise PackagingError(
            f"{out} would have {size:,} bytes and {inside:,} unpacked, a Lambda may have {most_bytes:,} and "
            f"{MOST_BYTES:,}: package fewer sources"
        )
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(zipped.getbuffer())
    except OSError as error:
        raise PackagingError(f"{out} cannot be written ({error.strerror}): name another file with --out") from error
    return f"{out}: {size:,} bytes, {ours} modules of rag_assets, {len(files) - ours} files of packages"


def _is_needed(name: str) -> bool:
    return not name.endswith("/") and not any(part in f"/{name}" for part in _LEFT_OUT)


def _make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"python -m {__spec__.name}", description="Package the transformation Lambda."
    )
    parser.add_argument("--out", type=Path, default=Path(DEFAULT_OUT), help=f"the zip ({DEFAULT_OUT})")
    parser.add_argument(
        "--source",
        nargs="+",
        choices=list(BY_NAME),
        default=["csv_rows"],
        help="what the Lambda is to read; laws need lxml, booklets and work rules a PDF reader (csv_rows)",
    )
    parser.add_argument(
        "--architecture", choices=list(ARCHITECTURES), default=DEFAULT_ARCHITECTURE, help=f"({DEFAULT_ARCHITECTURE})"
    )
    parser.add_argument(
        "--python",
        choices=PYTHONS,
        default=DEFAULT_PYTHON,
        help=f"of the Lambda, the template's parameter TransformationPython ({DEFAULT_PYTHON})",
    )
    parser.add_argument("--no-packages", action="store_true", help="rag_assets only, where a layer holds pydantic")
    return parser


if __name__ == "__main__":
    sys.exit(main())
