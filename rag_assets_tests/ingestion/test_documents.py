from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from emulation.clocks import TimePace
from rag_assets.ingestion.documents import document_identifiers, find_document_problems, list_documents
from rag_assets.ingestion.ledger import IngestionLedger, open_ledger
from rag_assets.ingestion.service import IngestionService, WaitLimits
from rag_assets_tests.ingestion.bench import Bench, standing

NOW = datetime(2026, 4, 1, tzinfo=UTC)
TEXTS = {f"{number}.txt": "食事" for number in range(7)}


def service_of(bench: Bench) -> IngestionService:
    return IngestionService(bench.agent, "here", bench.time.clock, WaitLimits(), bench.told.append)


def ledger_of(bench: Bench) -> AbstractContextManager[IngestionLedger]:
    return open_ledger(bench.state_file(), bench.targets["prepared"])


def test_documents_are_counted_over_all_pages_and_those_of_the_variant_only(tmp_path: Path) -> None:
    with standing(tmp_path) as bench:
        bench.ingest(bench.sync(TEXTS, variant="raw"), "raw")
        bench.ingest(bench.sync(TEXTS))
        bench.faults.throttle("ListKnowledgeBaseDocuments")
        with ledger_of(bench) as ledger:
            found = list_documents(service_of(bench), bench.targets["prepared"], ledger, NOW, page=3)
        assert found.statuses == {"INDEXED": 7}
        assert find_document_problems(found, 7, 0) == []
        assert [str(fault) for fault in find_document_problems(found, 6, 0)] == [
            "7 documents are INDEXED, but 6 were uploaded: 1 that are gone from the bucket are still found"
        ]
        assert "the service knows 7 in all" in str(find_document_problems(found, 8, 0)[0])


def test_documents_under_way_are_waited_for(tmp_path: Path) -> None:
    with standing(tmp_path, pace=TimePace(1, 20)) as bench:
        bench.ingest(bench.sync(TEXTS))
        target = bench.targets["prepared"]
        keys = [f"prepared/{name}" for name in TEXTS]
        bench.agent.delete_knowledge_base_documents(
            **target.ids, documentIdentifiers=document_identifiers(target, keys)
        )
        bench.told.clear()
        with ledger_of(bench) as ledger:
            assert list_documents(service_of(bench), target, ledger, NOW).statuses == {}
        assert "7 documents are still under way" in bench.told[0].message
