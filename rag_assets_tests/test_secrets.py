"""Addresses with secrets in them: a whole run keeps and shows nothing of these, and user info starts nothing."""

import json
import socket
import subprocess
import traceback
from pathlib import Path

import pytest

from rag_assets.cli.main import main
from rag_assets.settings import SettingsError, load_settings
from rag_assets.settings.places import PACKAGE
from rag_assets_tests.command_line import rag_assets
from rag_assets_tests.http_server import Answer, ScriptedServer, page, redirect, serving
from rag_assets_tests.planted_secrets import places_of
from rag_assets_tests.small_site import SmallSite, path_of

SAMPLES = PACKAGE / "sample" / "documents"
PLANTED = ("SIGSECRET123", "TOKSECRET456", "FRAGSECRET789", "PIN4711SECRET", "HOPSECRET321")
QUERIES = {
    "aws": "?X-Amz-Credential=AKIAEXAMPLE&X-Amz-Signature=SIGSECRET123",
    "azure": "?sv=2024-05-04&se=2026-01-01&sig=SIGSECRET123#part",
    "token": "?token=TOKSECRET456",
    "implicit": "?id=3#access_token=FRAGSECRET789",
    "unknown": "?id=3&k=PIN4711SECRET",
    "bare": "?TOKSECRET456",
    "matrix": ";jsessionid=TOKSECRET456",
}
ROWS = 'id = "番号"\ntitle = "件名"\ntext = ["質問"]\n'


def _serve(server: ScriptedServer) -> dict[str, str]:
    """The sample documents at all kinds of addresses, and addresses that fail in all kinds of ways; by location."""
    files = {
        "csv_rows": "helpdesk.csv",
        "work_rules": "work_rules.pdf",
        "law": "law.xml",
        "invoice_qa": "invoice_qa.pdf",
    }
    locations: dict[str, str] = {}
    for (source, file), (kind, query) in zip(
        [*files.items(), *[("csv_rows", "helpdesk.csv")] * 3], QUERIES.items(), strict=True
    ):
        path = f"/{kind}/{file}{query}"
        server.on(path.partition("#")[0], Answer(body=(SAMPLES / file).read_bytes()))
        locations[f"{source}-{kind}"] = f"{server.url}{path}"
    return locations


def _serve_failures(server: ScriptedServer) -> dict[str, str]:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{nobody.getsockname()[1]}"
    server.on("/forbidden.csv?token=TOKSECRET456", Answer(status=403))
    server.on("/loop.csv?token=TOKSECRET456", redirect("/loop.csv?token=TOKSECRET456"))
    server.on("/hop.csv", redirect("/there.csv?token=HOPSECRET321"))
    server.on("/there.csv?token=HOPSECRET321", Answer(status=403))
    server.on("/away.csv", redirect("https://files.example.jp/d.csv?X-Amz-Signature=HOPSECRET321"))
    server.on("/named.csv", redirect(f"{server.url.replace('//', '//bob:HOPSECRET321@')}/there.csv"))
    server.on("/lost.csv", redirect(f"{closed}/d.csv?token=HOPSECRET321"))
    server.on("/wrong.csv?token=TOKSECRET456", page("<html>log in</html>"))
    paths = ("forbidden.csv?token=TOKSECRET456", "loop.csv?token=TOKSECRET456", "hop.csv", "away.csv", "named.csv")
    return {
        **{f"failing-{at}": f"{server.url}/{path}" for at, path in enumerate((*paths, "lost.csv"))},
        "failing-page": f"{server.url}/wrong.csv?token=TOKSECRET456",
        "failing-closed": f"{closed}/d.csv?sig=SIGSECRET123",
        "failing-secure": f"{server.url.replace('http:', 'https:')}/d.csv?SIGSECRET123",
    }


def _table(key: str, location: str) -> str:
    source = key.partition("-")[0]
    is_rows = source not in ("work_rules", "law", "invoice_qa")
    return f'[document.{key}]\nsource = "{"csv_rows" if is_rows else source}"\nlocation = "{location}"\n' + (
        ROWS if is_rows else ""
    )


def test_nothing_of_a_secret_in_an_address_is_left_after_runs_that_succeed_and_fail(tmp_path: Path) -> None:
    with serving() as server, serving() as site_server:
        site = SmallSite(site_server)
        site.publish("2502")
        site.publish("2503")
        site.server.on(path_of("2503"), redirect(f"{path_of('2503')}?token=HOPSECRET321"))
        site.server.on(f"{path_of('2503')}?token=HOPSECRET321", Answer(status=501))
        good, bad = _serve(server), _serve_failures(server)
        settings_file = tmp_path / "rag_assets.toml"
        settings_file.write_text("\n".join(_table(key, location) for key, location in good.items()))
        first = _run(settings_file, *_options(good))
        assert first.returncode == 0, first.stderr
        assert f"{server.url}/aws/helpdesk.csv" in (tmp_path / "home/records/csv_rows/csv_rows-aws.jsonl").read_text()
        tables = [_table(key, location) for key, location in {**good, **bad}.items()]
        settings_file.write_text("\n".join([f'tax_answer = "{site.server.url}"', *tables]))
        second = _run(settings_file)
    assert second.returncode == 1
    for key in bad:
        assert key in second.stderr
    output = [text for ran in (first, second) for text in (ran.stdout, ran.stderr)]
    home = tmp_path / "home"
    assert len(places_of("helpdesk.csv", home, *output)) > 50  # what is no secret is found, so a secret would be
    assert any("(packed)" in place for place in places_of("helpdesk.csv", home))
    for secret in PLANTED:
        assert places_of(secret, home, *output) == []


def _options(locations: dict[str, str]) -> list[str]:
    """Every document named by its address, where a table has its finer settings."""
    named = {key: key.partition("-")[0].replace("_", "-") for key in locations}
    return [word for key, location in locations.items() for word in (f"--{named[key]}", location)]


def _run(settings_file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    home = settings_file.parent / "home"
    how = ("--variants", "prepared_400", "--request-interval", "0")
    return rag_assets("run", "--home", home, *how, *arguments, RAG_ASSETS_SETTINGS_FILE=str(settings_file))


WITH_USER_INFO = [
    "http://bob:PWSECRET789@127.0.0.1:8765/d.csv",
    "HTTPS://PWSECRET789@www.example.jp/d.csv?x=1",
    "https://bob:pa/PWSECRET789@www.example.jp/d.csv",
    "https://bob:pa,PWSECRET789@www.example.jp/d.csv",
    "http:/bob:PWSECRET789@127.0.0.1/d.csv",
    "http:\\\\bob:PWSECRET789@127.0.0.1/d.csv",
    "//bob:PWSECRET789@127.0.0.1/d.csv",
    "bob:PWSECRET789@127.0.0.1/d.csv",
    "ftp://bob:PWSECRET789@127.0.0.1/d.csv",
    "https://bob:PWSECRET789＠www.example.jp/d.csv",
]


@pytest.mark.parametrize("address", WITH_USER_INFO)
@pytest.mark.parametrize("way", ["table", "variable", "option", "listed"])
def test_a_user_or_password_in_a_location_is_refused_untold(
    address: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    options: list[str] = []
    if way == "table":
        Path("rag_assets.toml").write_text(_table("csv_rows", address.replace("\\", "\\\\")))
    elif way == "variable":
        table = {"source": "csv_rows", "location": address, "text": "質問"}
        monkeypatch.setenv("RAG_ASSETS_DOCUMENT", json.dumps({"k": table}))
    elif way == "option":
        options = ["--csv-rows", address]
    else:
        monkeypatch.setenv("RAG_ASSETS_LAW", f"a.xml,{address}")
    assert main(["run", "--home", "home", *options]) == 2
    told = capsys.readouterr()
    assert "user or password may not stand in an address" in told.err
    assert "SECRET" not in told.err + told.out
    assert not Path("home").exists()


@pytest.mark.parametrize(
    "setting",
    [
        'tax_answer = "https://bob:PWSECRET789@www.example.jp"',
        'tax_answer_links = "https://bob:PWSECRET789@www.example.jp"',
        'tax_answer_links = "javascript:alert(PWSECRET789)"',
        'tax_answer_links = "https://www.example.jp/?token=PWSECRET789"',
        's3_endpoint = "http://bob:PWSECRET789@127.0.0.1:9000"',
        'bedrock_endpoint = "http://127.0.0.1:9000/?key=PWSECRET789"',
        'contact = "https://bob:PWSECRET789@www.example.jp"',
        'contact = "https://www.example.jp/?k=PWSECRET789"',
        'questions = "https://bob:PWSECRET789@www.example.jp/q.csv"',
        'dictionaries = "https://bob:PWSECRET789@www.example.jp"',
        f'csv_rows = "www.example.jp/d.csv?token=PWSECRET789{"x" * 300}"',
        f'tax_answer = "www.example.jp/?token=PWSECRET789{"x" * 300}"',
        f'csv_rows = "bob:PWSECRET789{"x" * 300}@www.example.jp/d.csv"',
        'tax_answer = "www.example.jp/?PWSECRET789"',
        'questions = "https://www.example.jp/q.csv?sig=PWSECRET789"',
        'dictionaries = "https://www.example.jp/?sig=PWSECRET789"',
        'csv_rows = "https://[PWSECRET789/d.csv"',
        'csv_rows = "https://bob:PWSECRET789%40www.example.jp/d.csv"',
        'csv_rows = "https://www.example.jp:99999/d.csv?token=PWSECRET789"',
        'csv_rows = "www.example.jp/d.csv?token=PWSECRET789"',
        'csv_rows = "ftp://www.example.jp/d.csv?token=PWSECRET789"',
        'tax_answer = "https://www.example.jp/?token=PWSECRET789"',
        'bm25_weight = "https://www.example.jp/?token=PWSECRET789"',
        'document = "https://www.example.jp/?token=PWSECRET789"',
        '[document.k]\nsource = "law"\nlocation = "322AC0000000049"\napi = "https://bob:PWSECRET789@api.example.jp"',
        '[document.k]\nsource = "law"\nlocation = "https://h.example.jp/?sig=PWSECRET789"\nappended = "perhaps"',
        '[document.k]\nsource = "laws"\nlocation = "https://h.example.jp/?sig=PWSECRET789"',
        '[document.k]\nsource = "law"\nlocation = "a.xml"\nlink = "https://bob:PWSECRET789@www.example.jp/"',
        '[document.k]\nsource = "law"\nlocation = "a.xml"\nlink = "https://www.example.jp/#access_token=PWSECRET789"',
        '[document.k]\nsource = "law"\nlocation = "a.xml"\nlink = "data:text/html,PWSECRET789"',
        '[document.k]\nsource = "law"\nlocation = "a.xml"\nlink = "file:///etc/PWSECRET789"',
    ],
)
def test_no_message_about_a_wrong_setting_tells_a_secret(
    setting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rag_assets.toml").write_text(setting)
    assert main(["run", "--home", "home"]) == 2
    told = capsys.readouterr()
    assert told.err.startswith("setting ")
    assert "SECRET" not in told.err + told.out
    with pytest.raises(SettingsError) as refused:
        load_settings()
    assert "SECRET" not in "".join(traceback.format_exception(refused.value))


def test_arguments_that_are_not_understood_are_told_without_secrets(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--csv_row", "https://bob:PWSECRET789@www.example.jp/?k=PWSECRET789"])
    told = capsys.readouterr().err
    assert "https://www.example.jp/" in told
    assert "SECRET" not in told


@pytest.mark.parametrize("given", ['{"k": {"location": "https://h/?sig=PWSECRET789"', "https://bob:PWSECRET789@h/"])
def test_tables_that_are_no_json_are_told_without_secrets(
    given: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAG_ASSETS_DOCUMENT", given)
    assert main(["run", "--home", "home"]) == 2
    told = capsys.readouterr().err
    assert "it has to be JSON" in told
    assert "SECRET" not in told
