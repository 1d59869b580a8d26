"""A site of a few articles, served over HTTP as a test wants it, and the chain run over it.

What the server can do belongs to `http_server.py`; what is expected, to the tests.
"""

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import dagster as dg

from rag_assets.corpus.record_files import StoredRecord, read_all_records
from rag_assets.definitions import build_defs
from rag_assets.orchestration.chain import StageResult, run_stage
from rag_assets.orchestration.partitions import tag_range
from rag_assets.orchestration.stages import READ_RECORDS, REFRESH_SOURCES, plan_run
from rag_assets.settings import Settings
from rag_assets.sources.fetching.manifest import read_manifest
from rag_assets.sources.tax_answer.reader import CATEGORIES, INDEX_PATH
from rag_assets.store.home import Home
from rag_assets_tests.http_server import Answer, ScriptedServer, page

ERROR_PAGE = (
    "<html><head><title>エラー</title></head><body><p>指定されたページを表示できませんでした。</p></body></html>"
)


def path_of(number: str, category: str = "gensen") -> str:
    """Where an article lies on the site."""
    return f"/taxes/shiraberu/taxanswer/{category}/{number}.htm"


def index_html(articles: Iterable[tuple[str, str]]) -> str:
    """The article list: number and category of every article."""
    items = "".join(
        f'<li><a href="{path_of(number, category)}">{number}　記事{number}</a></li>' for number, category in articles
    )
    return f'<html><body><div id="bodyArea"><ul class="noListImg">{items}</ul></div></body></html>'


def article_html(number: str, text: str = "") -> str:
    """An article that is laid out as the site's are."""
    return (
        f'<html><body><div id="bodyArea"><h1>No.{number} 記事{number}の取扱い</h1>'
        "<p>[令和7年4月1日現在法令等]</p><h2>対象税目</h2><p>源泉所得税</p>"
        f"<h2>概要</h2><p>{text or f'記事{number}の本文です。'}</p></div></body></html>"
    )


class SmallSite:
    """Articles on a scripted server."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server
        self.articles: dict[str, str] = {}

    def publish(self, number: str, text: str = "", *, category: str = "gensen", **headers: str) -> None:
        """Put an article, or a new edition of it, on the site and its list."""
        self.articles[number] = category
        self.server.on(path_of(number, category), page(article_html(number, text), **headers))
        self._list()

    def answer(self, number: str, *answers: Answer, category: str = "gensen") -> None:
        """List an article that answers in its own way."""
        self.articles[number] = category
        self.server.on(path_of(number, category), *answers)
        self._list()

    def withdraw(self, number: str) -> None:
        """Leave an article on the list, and the error page in its place."""
        self.server.on(path_of(number, self.articles[number]), page(ERROR_PAGE))

    def delist(self, number: str) -> None:
        """Take an article off the list."""
        del self.articles[number]
        self._list()

    def list_also(self, *articles: tuple[str, str]) -> None:
        """A list with further articles, which are not there."""
        self._list(*articles)

    def _list(self, *further: tuple[str, str]) -> None:
        self.server.on(INDEX_PATH, page(index_html([*self.articles.items(), *further])))

    def fetched(self) -> list[str]:
        """Numbers of the articles asked for since the server last forgot, in order."""
        numbers = {path_of(number, category): number for number, category in self.articles.items()}
        return [numbers[request.path] for request in self.server.requests if request.path in numbers]


@cache
def instance_in_memory() -> dg.DagsterInstance:
    """Dagster's state for all tests of this process: making one takes longer than most stages do."""
    return dg.DagsterInstance.ephemeral()


class Run:
    """The chain over a site, stage by stage, with Dagster's own state in memory."""

    def __init__(self, location: str, home: Path, **settings: Any) -> None:
        self.settings = Settings(
            **{
                "tax_answer": location,
                "home": home,
                "request_interval": 0,
                "variants": "raw,prepared_400",
                "dictionaries": _empty_folder(home),
                **settings,
            }
        )
        self.home = Home(home)

    def stage(self, *assets: str, config: dict[str, Any] | None = None) -> StageResult:
        """Run the stage that makes these assets, or these of its assets."""
        whole = next(stage for stage in plan_run(self.settings) if set(assets) <= set(stage.assets))
        chosen = replace(whole, assets=assets)
        return run_stage(chosen, build_defs(self.settings), instance_in_memory(), asset_config=config)

    def job(self, name: str) -> dict[str, str]:
        """Run a job over all its partitions as the schedule and the sensors ask for it; what failed."""
        of_sources = tuple(CATEGORIES) if "tax_answer" in self.settings.sources() else ()
        partitions = of_sources if name in (REFRESH_SOURCES, READ_RECORDS) else self.settings.variants
        job = build_defs(self.settings).resolve_job_def(name)
        result = job.execute_in_process(instance=instance_in_memory(), tags=tag_range(partitions), raise_on_error=False)
        return {
            event.step_key or "": str(event.event_specific_data) for event in result.all_events if event.is_step_failure
        }

    def pages(self, *article_ids: str) -> dict[str, str]:
        """Fetch; what failed."""
        config = {"tax_answer_pages": {"article_ids": list(article_ids)}} if article_ids else None
        return self.stage("tax_answer_pages", config=config).failures

    def records(self) -> dict[str, str]:
        """Read records; what failed."""
        return self.stage("tax_answer_records").failures

    def refresh(self) -> None:
        """Fetch and read; nothing may fail."""
        assert (self.pages(), self.records()) == ({}, {})

    def corpora(self) -> dict[str, str]:
        """Dictionary, chunks, files, quality; what failed."""
        return self.stage("synonym_dictionary", "chunks", "corpus_files", "corpus_quality").failures

    def whole(self) -> list[StageResult]:
        """All stages that do not search, whatever fails."""
        return [self.stage(*stage.assets) for stage in plan_run(self.settings)]

    def kept(self) -> dict[str, StoredRecord]:
        """The records by number."""
        return {
            record.number: record
            for record in read_all_records([self.home.records("tax_answer")], "tax_answer_records")
        }

    def outcomes(self, category: str = "gensen") -> dict[str, str]:
        """Outcome of the last visit by number."""
        manifest = self.home.fetched("tax_answer") / "manifest" / f"{category}.jsonl"
        return {number: entry.outcome for number, entry in read_manifest(manifest).items()}

    def files(self, variant: str) -> dict[str, tuple[int, bytes]]:
        """Every corpus file of a variant: when it was written, and what it holds."""
        folder = self.home.corpus(variant)
        return {
            path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }


def _empty_folder(home: Path) -> Path:
    folder = home.parent / f"{home.name}-dictionaries"
    folder.mkdir(exist_ok=True)
    return folder


def folder_site(folder: Path, *numbers: str) -> Path:
    """A site of articles of the category gensen, in a folder."""
    pages = {path_of(number): article_html(number) for number in numbers}
    for path, html in {INDEX_PATH: index_html((number, "gensen") for number in numbers), **pages}.items():
        file = folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(html)
    return folder
