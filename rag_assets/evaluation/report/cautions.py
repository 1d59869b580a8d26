"""Cautions on the page: why figures may be those of another corpus. The log's are in `search_warnings.py`."""

from rag_assets.evaluation.comparable import find_strange_chunks, name_chunks
from rag_assets.evaluation.model import HeldCorpus
from rag_assets.evaluation.report.model import Report

_HELD: dict[HeldCorpus, str] = {
    "earlier": (
        "検索した時点の Knowledge Base は、手元のコーパスより前に取り込んだものです。件数は手元のコーパスのもので、"
        "その後に変わった文章は検索結果に反映されていません。"
    ),
    "others": (
        "この実行環境で取り込んだ後に、ほかからも取り込みが行われたため、Knowledge Base の内容は手元のコーパスと"
        "異なるかもしれません。件数は手元のコーパスのものです。"
    ),
    "unknown": (
        "この実行環境からは取り込んでいないため、Knowledge Base の内容が手元のコーパスと同じかどうかは"
        "確かめていません。件数は手元のコーパスのものです。"
    ),
}


def list_cautions(report: Report) -> list[str]:
    """A sentence each: chunks of another corpus, documents of others, a Knowledge Base of unknown content."""
    searched = report.searched
    strange = find_strange_chunks(report.results)
    of_chunks = [
        f"{variant}：手元のコーパスにないチャンクが {len(strange[variant]):,} 件、検索結果に出ています"
        f"（{name_chunks(strange[variant], '、')}）。"
        "検索先が別のコーパスを持っているため、この variant の値は準備した文章だけのものではありません。"
        "s3_objects と knowledge_base_ingestion を実行してから、retrieval_results を実行し直してください。"
        for variant in searched
        if variant in strange
    ]
    of_documents = [
        f"{variant}：{how.place} には、この実行環境から送っていない文書が {how.foreign:,} 件あります"
        "（最後の同期で確認）。"
        "Knowledge Base はそれも取り込むため、検索結果に混じり、正解より上に出ているかもしれません。"
        for variant, how in searched.items()
        if how.foreign
    ]
    held = {state: [variant for variant, how in searched.items() if how.held == state] for state in _HELD}
    of_content = [f"{'、'.join(held[state])}：{caution}" for state, caution in _HELD.items() if held[state]]
    return [*of_chunks, *of_documents, *of_content]
