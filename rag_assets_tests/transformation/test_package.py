import json
import os
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pydantic
import pytest

from rag_assets.transformation.package import HANDLER, PackagingError, download_wheels, main, modules, write_zip
from rag_assets_tests.transformation.conftest import ROWS, Bench, row

HEAVY = ("dagster", "numpy", "pandas", "pdfplumber", "pypdfium2", "lxml", "requests", "pydantic_settings", "botocore")

LOADED = f"""
import json, sys
import {HANDLER}
print(json.dumps(sorted(sys.modules)))
"""

RUN = f"""
import json, sys
from {HANDLER} import handler
class Context:
    def get_remaining_time_in_millis(self): return 300000
print(json.dumps(handler(json.loads(sys.argv[1]), Context())))
import rag_assets
print(rag_assets.__file__)
"""


def in_fresh_python(code: str, *arguments: str, path: list[Path], environment: dict[str, str] | None = None) -> str:
    """Run code with nothing on the path but what is given, away from the checkout."""
    done = subprocess.run(
        [sys.executable, "-S", "-P", "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=path[0].parent,
        env={"PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONDONTWRITEBYTECODE": "1", **(environment or {})},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def linked(folder: Path, *names: str) -> Path:
    """A folder with some of the packages installed here, and no others."""
    folder.mkdir()
    installed = Path(pydantic.__file__).parents[1]
    for name in names:
        (folder / name).symlink_to(installed / name)
    return folder


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The zip without packages."""
    out = tmp_path_factory.mktemp("package") / "transformation.zip"
    assert main(["--out", str(out), "--no-packages"]) == 0
    return out


@pytest.fixture(scope="module")
def pydantic_only(tmp_path_factory: pytest.TempPathFactory) -> Path:
    names = ("pydantic", "pydantic_core", "annotated_types", "typing_extensions.py", "typing_inspection")
    return linked(tmp_path_factory.mktemp("path") / "pydantic", *names)


def test_the_packaged_handler_imports_with_nothing_but_pydantic(archive: Path, pydantic_only: Path) -> None:
    loaded = set(json.loads(in_fresh_python(LOADED, path=[archive, pydantic_only])))
    assert HANDLER in loaded
    assert not loaded.intersection(HEAVY)


def test_the_handler_imports_nothing_heavy_where_everything_is_installed() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert not set(json.loads(done.stdout)).intersection(HEAVY)


def test_the_packaged_handler_runs_an_event(archive: Path, pydantic_only: Path, bench: Bench, tmp_path: Path) -> None:
    sdk = linked(tmp_path / "sdk", "boto3", "botocore", "s3transfer", "jmespath", "dateutil", "six.py", "urllib3")
    uri = bench.put("documents/helpdesk.csv", ROWS + row("HD-1") + row("HD-2"))
    environment = {
        **bench.environment,
        "AWS_ENDPOINT_URL_S3": bench.aws.s3_url,
        "AWS_DEFAULT_REGION": "ap-northeast-1",
        "AWS_ACCESS_KEY_ID": "EMULATED",
        "AWS_SECRET_ACCESS_KEY": "emulated",
    }
    event = json.dumps(bench.event(bench.file(uri)))
    answered, place = in_fresh_python(
        RUN, event, path=[archive, pydantic_only, sdk], environment=environment
    ).splitlines()
    assert place.startswith(str(archive))
    assert len(bench.contents(json.loads(answered))) == 2


def test_the_zip_holds_no_module_that_is_not_reached(archive: Path) -> None:
    names = zipfile.ZipFile(archive).namelist()
    assert set(names) == {str(path.relative_to(Path(__file__).parents[2])) for path in modules().values()}
    for unwanted in (
        "orchestration/",
        "cli/",
        "definitions",
        "settings",
        "s3/",
        "ingestion/",
        "retrieval/",
        "evaluation/",
        "sample/",
        "package.py",
    ):
        assert not [name for name in names if name.startswith(f"rag_assets/{unwanted}")], unwanted
    for needed in ("csv_rows", "law", "invoice_qa", "work_rules"):
        assert f"rag_assets/sources/{needed}/reader.py" in names


def test_the_same_content_gives_the_same_bytes(archive: Path, tmp_path: Path) -> None:
    write_zip(tmp_path / "again.zip", [])
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


def test_wheels_are_unpacked_without_their_tests(tmp_path: Path) -> None:
    wheel = tmp_path / "thing-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        for name in ("thing/__init__.py", "thing/tests/test_a.py", "thing/a.pyi", "thing-1.dist-info/RECORD"):
            made.writestr(name, "")
    write_zip(tmp_path / "out.zip", [wheel])
    names = zipfile.ZipFile(tmp_path / "out.zip").namelist()
    assert [name for name in names if name.startswith("thing")] == ["thing/__init__.py"]


def test_a_zip_that_is_too_large_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "thing-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as made:
        made.writestr("thing.bin", os.urandom(1024 * 1024))
    write_zip(tmp_path / "out.zip", [wheel])
    before = (tmp_path / "out.zip").read_bytes()
    for name in ("out.zip", "other.zip"):
        with pytest.raises(PackagingError, match="package fewer sources"):
            write_zip(tmp_path / name, [wheel], most_bytes=1024 * 1024)
    # Nothing is left lying that could be uploaded.
    assert {path.name for path in tmp_path.iterdir()} == {"out.zip", wheel.name}
    assert (tmp_path / "out.zip").read_bytes() == before


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    for out, told in (
        (tmp_path, f"is a folder: name a file, such as --out {tmp_path}"),
        (tmp_path / "file/a", "--out"),
    ):
        assert main(["--out", str(out), "--no-packages"]) == 1
        error = capsys.readouterr().err
        assert error.startswith(str(out))
        assert told in error


def test_a_python_that_the_template_does_not_offer_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--python", "3.11"])
    assert "3.12" in capsys.readouterr().err


def test_an_environment_without_pip_is_told_how_to_get_it(pydantic_only: Path, tmp_path: Path) -> None:
    out = tmp_path / "transformation.zip"
    done = subprocess.run(
        [sys.executable, "-S", "-m", "rag_assets.transformation.package", "--out", str(out)],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env={"PYTHONPATH": str(pydantic_only), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 1
    assert done.stderr.startswith("pip, which gets the packages of the Lambda, is not installed")
    assert "python -m ensurepip" in done.stderr
    assert not out.exists()


@pytest.mark.skipif(find_spec("pip") is None, reason="there is no pip in this environment")
def test_packages_that_pip_cannot_get_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(PackagingError, match="pip could not get the packages"):
        download_wheels(["csv_rows"], "arm64", "3.12", tmp_path)
