"""Names of the faults of a corpus, in the order the report and the terminal show them.

What a fault is and how it is counted belongs to `corpus/quality.py`.
"""

from typing import Literal, NamedTuple

from rag_assets.model import Fault


class FaultLabel(NamedTuple):
    """What a reader sees of one fault.

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


FAULTS: tuple[FaultLabel, ...] = (
    FaultLabel(
        "unnamed",
        "どの記事のものか書かれていない",
        "番号も題名もない文章では、出典を示せず、似た記事の内容と取り違えられます。",
        "チャンク",
        "記事\n不明",
    ),
    FaultLabel(
        "begins_mid_sentence",
        "文の途中から始まる",
        "主語や条件を失った文が先頭に来て、だれの何の話か分からなくなります。",
        "チャンク",
        "文頭\n切れ",
    ),
    FaultLabel(
        "ends_mid_sentence",
        "文の途中で終わる",
        "結論や「ただし書き」が次のチャンクへ切り離されます。",
        "チャンク",
        "文末\n切れ",
    ),
    FaultLabel(
        "parted_rows",
        "見出しから切り離された表の行",
        "列の見出しがない行の数字は、何の率や金額なのか読み取れません。",
        "行",
        "表見出\nなし",
    ),
    FaultLabel(
        "unkeyed_figures",
        "読み取れなかった表の数字",
        "行と列の見出しを失った数字は、どの級のどの号の金額なのか、だれにも分かりません。",
        "チャンク",
        "裸の\n数字",
    ),
    FaultLabel(
        "orphan_phone",
        "だれの電話番号か分からない",
        "窓口の名前がない電話番号は、誤った案内のもとになります。",
        "チャンク",
        "電話\n主不明",
    ),
    FaultLabel(
        "several_records",
        "複数の記事が混ざっている",
        "別の制度の内容が一つの答えに混ざります。",
        "チャンク",
        "複数\n記事",
    ),
    FaultLabel(
        "page_furniture",
        "ページ番号や目次・メニューが混ざっている",
        "本文でない言葉が検索に当たり、答えの途中にページ番号が割り込みます。",
        "チャンク",
        "余計\nな行",
    ),
    FaultLabel(
        "over_limit",
        "字数の上限を超える",
        "設定した上限どおりに切れていないことを示します（上限のない variant は対象外）。",
        "チャンク",
        "上限\n超過",
    ),
    FaultLabel(
        "lost_records",
        "チャンクが一つもない記事",
        "その記事は、どんな質問をしても見つかりません。",
        "記事",
        "記事\n欠落",
    ),
)
"""Faults in the order they are shown."""
