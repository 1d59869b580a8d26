"""The sample's guide as PDF, 情報システム利用手引き: what it says, all of it invented, and how it is laid out.

Its traps are those of the real kind: a 目次, a title page with a date, three kinds of numbers, lists that are no
headings, a table, notes, a framed column, and an annex whose numbers begin again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_assets_tests.sample_documents.booklet import (
    Block,
    Cell,
    Down,
    Frame,
    Grid,
    NewPage,
    Text,
    drawn,
    paged,
    pages_of_marks,
)

TITLE = "情報システム利用手引き"
EDITION = "令和８年４月１日改定"
_AUTHOR = "みほん商会（架空の見本）"

_COVER: list[Block] = [
    Down(190),
    Text("みほん商会", size=14, align="center", below=10),
    Text(TITLE, size=24, gothic=True, align="center", below=40),
    Text(EDITION, size=14, align="center", below=230),
    Text("情報システム課", size=14, align="center"),
]


@dataclass(frozen=True)
class GuideSection:
    """A heading of the guide and what stands below it before the next one.

    Attributes:
        level: 1 for the outermost.
        words: The heading as printed.
        blocks: Paragraphs, and other blocks as they are.
    """

    level: int
    words: str
    blocks: Sequence[str | Block] = ()


def _item(words: str) -> Text:
    return Text(words, first=1, rest=3)


def _note(words: str) -> Text:
    return Text(words, first=1, rest=2)


def _heading(words: str) -> Cell:
    return Cell(words, gothic=True, align="center")


GUIDE: list[GuideSection] = [
    GuideSection(1, "第１章　はじめに"),
    GuideSection(
        2,
        "１　この手引きの目的",
        [
            "みほん商会では、本部と各店で働く人が、パソコン、タブレット、社内システムを使って仕事をしています。この手引きは、"
            "それらを安全に、迷わず使うための決まりと手順をまとめたものです。",
            "手順が分からないときは、まずこの手引きの該当する節を読み、それでも分からないときは情報システム課の窓口（内線31"
            "10）に尋ねてください。",
        ],
    ),
    GuideSection(
        2,
        "２　対象となる人と機器",
        [
            "対象となる人は、次のとおりです。",
            _item("・本部と各店の従業員"),
            _item("・派遣されて働く人と、業務を請け負う会社の人のうち、社内システムの利用者番号を持つ人"),
            "対象となる機器は、会社が貸し出すものに限ります。個人の機器は、第３章の２に定めるときを除いて、社内の回線につなぐ"
            "ことができません。",
        ],
    ),
    GuideSection(1, "第２章　利用者番号とパスワード"),
    GuideSection(
        2,
        "１　利用者番号の申請",
        ["利用者番号は、一人に一つ与えられます。ほかの人に貸したり、何人かで一緒に使ったりすることはできません。"],
    ),
    GuideSection(
        3,
        "(1) 新しく入った人の申請",
        [
            "店長は、働き始める日の５営業日前までに、申請書を情報システム課へ送ります。",
            _item("① 氏名と所属"),
            _item("② 使うシステムの名前"),
            _item("③ 使い始める日"),
        ],
    ),
    GuideSection(
        3,
        "(2) 異動した人の申請",
        [
            "異動の前の店長が古い権限の削除を、異動の後の店長が新しい権限の追加を申請します。両方の申請が届くまで、古い権限が残り"
            "ます。"
        ],
    ),
    GuideSection(
        2,
        "２　パスワードの決め方",
        [
            "パスワードは、次の表の長さを満たすものにします。名前や誕生日など、ほかの人が思いつくものは使えません。",
            Text("表１　システムごとのパスワードの長さ", align="center", above=6, below=2, keep=True),
            Grid(
                widths=(12, 10, 14),
                rows=[
                    [_heading("システム"), _heading("長さ"), _heading("変える時期")],
                    ["店舗端末", "８文字以上", "半年ごと"],
                    ["販売管理", "12文字以上", "１年ごと"],
                    ["給与明細の閲覧", "12文字以上", "漏れたおそれのあるとき"],
                ],
            ),
            _note("※ 店舗端末のパスワードは、店長が交代したときにも変えてください。"),
        ],
    ),
    GuideSection(
        2,
        "３　パスワードを忘れたとき",
        [
            "情報システム課の窓口に、社員証を見せて再発行を頼みます。電話だけでは再発行できません。再発行されたパスワードは、その日"
            "のうちに自分のものに変えます。"
        ],
    ),
    GuideSection(1, "第３章　機器の貸出しと持ち出し"),
    GuideSection(
        2,
        "１　貸出しの手続",
        [
            "貸出しを受ける人は、貸出票に記入し、店長の確認を受けます。返すときは、電源の線と袋を添えて、借りた店に返します。"
        ],
    ),
    GuideSection(
        2,
        "２　個人の機器を使うとき",
        [
            "災害などで店に来られない日が続くときに限り、個人の機器で社内の連絡板を見ることができます。次の条件をすべて満たして"
            "ください。",
            _item("① 画面に鍵をかける設定をしていること。"),
            _item("② 家族など、ほかの人と一緒に使っていないこと。"),
        ],
    ),
    GuideSection(
        2,
        "３　持ち出すときの注意",
        [
            "機器を店の外に持ち出すときは、持出簿に行き先と戻す日を書きます。車の中に置いたままにしてはいけません。",
            Frame(
                [
                    Text("コラム：かばんの置き忘れ", gothic=True, align="center", below=4, keep=True),
                    Text(
                        "置き忘れの多くは、帰りの電車とバスで起きています。かばんは網棚に載せず、ひざの上に置きましょう。",
                        first=1,
                    ),
                ]
            ),
        ],
    ),
    GuideSection(1, "第４章　困ったとき"),
    GuideSection(
        2,
        "１　紛失したとき",
        [
            "気づいたらすぐに、昼夜を問わず緊急の窓口（内線3119）に電話します。見つかるかもしれないと待ってはいけません。窓口は、"
            "電話を受けてから30分以内に利用者番号を止めます。",
        ],
    ),
    GuideSection(
        2,
        "２　怪しいメールが届いたとき",
        [
            "添えられたファイルと書かれた番地を開かず、件名の頭に「確認依頼」と付けて情報システム課に転送します。開いてしまったときは、"
            "回線の線を抜き、電源は切らずに、緊急の窓口に電話します。"
        ],
    ),
    GuideSection(
        1,
        "附則",
    ),
    GuideSection(2, "１　施行期日", ["この手引きは、令和８年４月１日から使います。"]),
    GuideSection(2, "２　経過措置", ["令和８年３月までに貸し出した機器の貸出票は、そのまま使うことができます。"]),
]


def guide_pdf() -> bytes:
    """The guide as a PDF."""
    body = paged(list(_body()))
    numbers = {mark: str(page + 1) for mark, page in pages_of_marks(body).items()}
    pages = [
        *((page, "") for page in paged(_COVER)),
        *((page, "") for page in paged(list(_contents(numbers)))),
        *((page, f"みほん商会　情報システム利用手引き　{number}") for number, page in enumerate(body, start=1)),
    ]
    return drawn(pages, title=TITLE, author=_AUTHOR)


def _contents(numbers: dict[str, str]) -> Iterator[Block]:
    yield Text("目　次", size=14, gothic=True, align="center", below=14)
    for position, section in enumerate(GUIDE):
        yield Text(section.words, first=2 * (section.level - 1), leader=numbers[str(position)])


def _body() -> Iterator[Block]:
    for position, section in enumerate(GUIDE):
        if section.level == 1 and position:
            yield NewPage() if section.words.startswith("第３章") else Down(14)
        size = {1: 14.0, 2: 12.0}.get(section.level, 10.5)
        yield Text(section.words, size=size, gothic=True, above=12, below=4, keep=True, mark=str(position))
        for block in section.blocks:
            yield Text(block, first=1) if isinstance(block, str) else block
