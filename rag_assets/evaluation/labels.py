"""Words and figure formats that report, terminal and log share: the log's are English, all others Japanese.

Layout belongs in `report` and `terminal`.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from rag_assets.evaluation.model import Held, HowSearched
from rag_assets.model import Fault, Mode, Variant
from rag_assets.retrieval.filters import AllOf, Condition, Filter, Operator, Scalar

MODE_ORDER: tuple[Mode, ...] = ("hybrid", "bm25", "dense")
"""Modes as they are shown: the one that will be used first."""

MODE_NAMES: dict[Mode, str] = {
    "hybrid": "併用（hybrid）",
    "bm25": "言葉の一致（BM25）",
    "dense": "意味の近さ（dense）",
}

VERDICTS: dict[Literal["better", "worse", "noise"], str] = {
    "better": "良い（偶然とは考えにくい）",
    "worse": "悪い（偶然とは考えにくい）",
    "noise": "偶然と区別できません",
}


def main_mode(modes: Iterable[Mode]) -> Mode:
    """The mode that a summary is about: the first of `MODE_ORDER` that was searched.

    A Knowledge Base on S3 Vectors is searched by meaning alone: its hybrid search cannot be asked for through one.
    """
    searched = set(modes)
    return next((mode for mode in MODE_ORDER if mode in searched), MODE_ORDER[0])


def searched_in_words(searched: HowSearched) -> str:
    """What was searched, with the `search_type` of a Knowledge Base."""
    if searched.search_in == "index":
        return "埋め込みインデックス"
    return f"Knowledge Base（search_type：{searched.settings['search_type']}）"


_BRING_UP = ("s3_objects", "knowledge_base_ingestion")
"""Assets that bring a Knowledge Base up to the corpus; an embedded index that is not up to it is never searched."""

_SHOWN_CHUNKS = 5

HELD_IN_LOG: dict[Held, str] = {
    "corpus": "the corpus as it is prepared here",
    "earlier": (
        "the Knowledge Base holds what an earlier sync of this home brought there, and the corpus has changed since; "
        f"materialize {' and '.join(_BRING_UP)} to measure the corpus of now"
    ),
    "others": (
        "others have ingested there since this home has, so that the Knowledge Base may hold another corpus; "
        f"materialize {' and '.join(_BRING_UP)} to measure that of this home"
    ),
    "unknown": (
        "this home has never ingested it there, so that nothing is known of what the Knowledge Base holds; whether it "
        "is the corpus as it is prepared here shows in the hits alone"
    ),
}
"""What was searched."""

HELD_IN_REPORT: dict[Held, str] = {
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
"""What a reader has to know where the Knowledge Base may hold another corpus."""


def strangers_in_log(variant: str, chunk_ids: Sequence[str]) -> str:
    """That chunks were found in a Knowledge Base which are none of the variant's, and what to do."""
    return (
        f"{variant}: {len(chunk_ids)} chunk(s) were found that are none of {variant} as it is prepared here "
        f"({some_chunks(chunk_ids)}): what was searched holds another corpus, and the figures are not of this one. "
        f"Materialize {' and '.join(_BRING_UP)} for {variant}, then retrieval_results again"
    )


def strangers_in_report(variant: str, chunk_ids: Sequence[str]) -> str:
    """The same for readers of the report."""
    return (
        f"{variant}：手元のコーパスにないチャンクが {len(chunk_ids):,} 件、検索結果に出ています"
        f"（{some_chunks(chunk_ids, joined='、')}）。"
        "検索先が別のコーパスを持っているため、この variant の値は準備した文章だけのものではありません。"
        f"{' と '.join(_BRING_UP)} を実行してから、retrieval_results を実行し直してください。"
    )


def foreign_in_log(place: str, number: int) -> str:
    """That a Knowledge Base takes in documents which were not sent from here, and what to do."""
    return (
        f"the last sync saw {number:,} document(s) in {place} that were not sent from here (s3_objects names them): "
        "the Knowledge Base takes them in too, so that they may be among the hits, and stand before a right one. "
        "Move them elsewhere, then materialize s3_objects and knowledge_base_ingestion, to measure this corpus alone"
    )


def foreign_in_report(variant: str, place: str, number: int) -> str:
    """The same for readers of the report."""
    return (
        f"{variant}：{place} には、この実行環境から送っていない文書が {number:,} 件あります（最後の同期で確認）。"
        "Knowledge Base はそれも取り込むため、検索結果に混じり、正解より上に出ているかもしれません。"
    )


def some_chunks(chunk_ids: Sequence[str], *, joined: str = ", ") -> str:
    """The first of them, and that there are more."""
    return joined.join([*chunk_ids[:_SHOWN_CHUNKS], *(["…"] if len(chunk_ids) > _SHOWN_CHUNKS else [])])


_CONDITIONS: dict[Operator, str] = {
    "equals": "{key} ＝ {value}",
    "not_equals": "{key} ≠ {value}",
    "in": "{key} が {value} のどれか",
    "not_in": "{key} が {value} のどれでもない",
    "contains": "{key} に「{value}」を含む",
    "starts_with": "{key} が「{value}」で始まる",
    "above": "{key} ＞ {value}",
    "at_least": "{key} ≧ {value}",
    "below": "{key} ＜ {value}",
    "at_most": "{key} ≦ {value}",
}


def condition_in_words(condition: Condition) -> str:
    """What a search is narrowed to, on one line: `source ＝ law かつ as_of ≧ 20260401`."""
    if isinstance(condition, Filter):
        values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        told = "、".join(map(_value_in_words, values))
        return _CONDITIONS[condition.operator].format(key=condition.key, value=told)
    parts, joined = (condition.all_of, " かつ ") if isinstance(condition, AllOf) else (condition.any_of, " または ")
    words = (condition_in_words(part) for part in parts)
    return joined.join(
        told if isinstance(part, Filter) else f"（{told}）" for part, told in zip(parts, words, strict=True)
    )


def _value_in_words(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


class FaultWords(NamedTuple):
    """How one fault is told.

    Attributes:
        fault: Field of `QualityRow`.
        name: What is wrong.
        why: Why it matters to somebody who asks a question, in one line.
        unit: What is counted; only counts of チャンク are a share of the passages.
        heading: Column heading for the terminal, two lines of at most six columns.
    """

    fault: Fault
    name: str
    why: str
    unit: Literal["チャンク", "行", "記事"]
    heading: str


FAULTS: tuple[FaultWords, ...] = (
    FaultWords(
        "unnamed",
        "どの記事のものか書かれていない",
        "番号も題名もない文章では、出典を示せず、似た記事の内容と取り違えられます。",
        "チャンク",
        "記事\n不明",
    ),
    FaultWords(
        "begins_mid_sentence",
        "文の途中から始まる",
        "主語や条件を失った文が先頭に来て、だれの何の話か分からなくなります。",
        "チャンク",
        "文頭\n切れ",
    ),
    FaultWords(
        "ends_mid_sentence",
        "文の途中で終わる",
        "結論や「ただし書き」が次のチャンクへ切り離されます。",
        "チャンク",
        "文末\n切れ",
    ),
    FaultWords(
        "parted_rows",
        "見出しから切り離された表の行",
        "列の見出しがない行の数字は、何の率や金額なのか読み取れません。",
        "行",
        "表見出\nなし",
    ),
    FaultWords(
        "unkeyed_figures",
        "読み取れなかった表の数字",
        "行と列の見出しを失った数字は、どの級のどの号の金額なのか、だれにも分かりません。",
        "チャンク",
        "裸の\n数字",
    ),
    FaultWords(
        "orphan_phone",
        "だれの電話番号か分からない",
        "窓口の名前がない電話番号は、誤った案内のもとになります。",
        "チャンク",
        "電話\n主不明",
    ),
    FaultWords(
        "several_records",
        "複数の記事が混ざっている",
        "別の制度の内容が一つの答えに混ざります。",
        "チャンク",
        "複数\n記事",
    ),
    FaultWords(
        "over_limit",
        "字数の上限を超える",
        "設定した上限どおりに切れていないことを示します（上限のない variant は対象外）。",
        "チャンク",
        "上限\n超過",
    ),
    FaultWords(
        "lost_records",
        "チャンクが一つもない記事",
        "その記事は、どんな質問をしても見つかりません。",
        "記事",
        "記事\n欠落",
    ),
)
"""Faults in the order they are shown."""

TERMS: tuple[tuple[str, str], ...] = (
    ("記事", "番号を持つひとまとまりの原文。タックスアンサーの記事、Q&A の問、就業規則や法令の条、表の行。"),
    ("チャンク", "検索で一度に取り出される文章の単位。記事を切り分けたもの。"),
    (
        "MRR",
        "最初の正解の順位の逆数（1位 1、2位 0.5、見つからなければ 0）を全問で平均した値。1 に近いほど良い。",
    ),
    (
        "95% 区間",
        "質問が入れ替わっていたら値がどの範囲に収まりそうかの目安。質問を選び直す計算（ブートストラップ）で求める。",
    ),
    ("hit@8", "上位 8 件（回答を書くモデルに渡す件数）に正解の記事が入った質問の割合。"),
    ("Recall@5・@10", "正解の記事のうち、上位 5 件・10 件で見つかった割合の平均。"),
    ("P50・P95", "検索にかかった時間（ミリ秒）。半分の質問は P50 以内、95% の質問は P95 以内に終わった。"),
    (
        "差と判定",
        "同じ質問どうしで比べた MRR の差。偶然でも起こる大きさ（p が 0.05 以上）は「偶然と区別できません」。",
    ),
    (
        "調整用・確認用",
        "調整用（tune）は準備の作業中に見た質問、確認用（holdout）は一度も見ていない質問。実力は確認用に表れる。",
    ),
    (
        "言葉の一致・意味の近さ・併用",
        "BM25 は同じ言葉を含むか、dense は意味が近いかで探し、併用（hybrid）は二つの順位を合わせる。",
    ),
)
"""Terms of the comparison table, a line each."""


def split_name(split: str) -> str:
    """What a reader calls a split; an unknown one keeps its own name."""
    return {
        "all": "全問",
        "tune": "調整用（tune）",
        "holdout": "確認用（holdout）",
        "unanswerable": "答えのない質問",
    }.get(split, split)


def shown_sources(sources: Iterable[str]) -> list[str]:
    """`all` first, then each source; a single source beside `all` would only repeat it."""
    named = list(dict.fromkeys(sources))
    single = [source for source in named if source != "all"]
    if "all" not in named:
        return single
    return ["all", *single] if len(single) > 1 else ["all"]


SOURCE_NAMES = {
    "all": "すべての文書",
    "tax_answer": "タックスアンサー",
    "invoice_qa": "Q&A",
    "work_rules": "就業規則",
    "law": "法令",
    "csv_rows": "表（CSV）",
}


def source_name(source: str) -> str:
    """What a reader calls a source; `all` is every source together, and one not known here keeps its own name."""
    return SOURCE_NAMES.get(source, source)


_TOPIC_NAMES = {
    "blank": "空欄（会社で定める箇所）",
    "deleted article": "削除された条",
    "struck text": "取消線の引かれた文字（本文に入れない）",
    "hidden text": "画面に出ない文字（本文に入れない）",
    "second body": "二つ目の本文（入れない）",
    "deleted chapter": "削除された章",
    "deleted appendix": "削除された別表・様式など",
    "deleted provision": "削除された附則など",
    "omitted appendix": "この版で略された別表・様式",
    "deleted supplement": "削除された附則",
    "form": "様式（記入用）",
    "calendar": "カレンダー（日付の数字は本文に入れない）",
    "picture page": "画像だけのページ",
    "vertical page": "縦書きのページ（本文に入れない）",
    "table of contents": "目次（本文に入れない）",
    "cover": "表紙（本文に入れない）",
    "quoted article": "引用された条文（条として扱わない）",
    "no enforcement date": "施行日が分からない",
    "duplicate ID": "ID の重複",
    "missing ID": "ID のない行",
    "ragged row": "列の数が合わない行",
    "empty text": "本文のない行",
    "question without answer": "答えのない問",
    "missing question": "欠けている問",
    "missing article": "欠けている条",
    "text outside questions": "問の外にある文章",
    "front matter": "前書き（本文に入れない）",
    "duplicate article number": "条番号の重複",
    "commentary without its article": "条のない解説",
    "heading without text": "本文のない見出し",
    "text of a deleted article": "削除された条の下の文章",
    "left out by settings": "設定により除いた部分",
    "watermark": "透かし（本文に入れない）",
    "OCR text layer": "文字認識による文章（誤りを含みうる）",
    "form field": "入力欄の値（本文に入れた）",
    "empty form field": "記入のない入力欄",
    "typed annotation": "書き込まれた文字",
    "article without number": "番号の読めない条",
    "figure": "図（本文に入らない）",
    "undecodable bytes": "文字として読めないバイト",
    "unclosed quote": "閉じていない引用符",
    "misplaced quote": "位置のおかしい引用符",
    "repeated column name": "列名の重複",
    "duplicate row": "行の重複",
    "unreadable value": "読めない値",
    "NUL byte": "NUL バイト",
}


def topic_name(topic: str) -> str:
    """What a reader calls a kind of finding; one not known here keeps its own name."""
    return _TOPIC_NAMES.get(topic, topic)


def variant_in_words(variant: Variant) -> str:
    """How a variant prepares the records, in one line."""
    if variant.limit is None:
        cut = "記事 1 本を 1 ファイルのまま置く（検索時は 300 トークンごとの機械的な窓に切られる）"
    else:
        cut = f"記事の構造に沿って、本文 {variant.limit:,} 字以内に切る"
    head = "先頭に文書名・番号・題名などを書く" if variant.header == "full" else "先頭に番号と題名を書く"
    digits = "。漢数字に算用数字を添える" if variant.digits else ""
    words = "。辞書にあるふだんの言い方を足す" if variant.dictionary else ""
    return f"{cut}。{head}{digits}{words}。"


def share_of(count: int, total: int) -> str:
    """A share for a narrow cell: `0` for none at all, never `0.0%` or `100%` for what is not quite that."""
    if count == 0 or total == 0:
        return "0"
    percent = 100 * count / total
    if percent < 0.1:
        return "<0.1%"
    if percent < 9.95:
        return f"{percent:.1f}%"
    return "99%" if 99 <= percent < 100 else f"{percent:.0f}%"


def milliseconds(value: float) -> str:
    """A duration with two figures that count: `0.4`, `3.2`, `48`."""
    return f"{value:.1f}" if value < 9.95 else f"{value:,.0f}"


def signed(value: float) -> str:
    """A difference with three decimals and its sign, the minus as wide as the plus."""
    return f"{value:+.3f}".replace("-", "−")


def probability(value: float) -> str:
    """A p-value as it is read: `p = 0.034`, `p < 0.001`."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"
