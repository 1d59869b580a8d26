"""The sample's model work rules: what they say, all of it invented, and how such a booklet is laid out.

Its traps are those of the real kind: blanks that are nothing but white space, alternatives that repeat an article's
number, another law's article at the beginning of a line, a branch number, a deleted article, 附則 with its own 第１条.
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
    Page,
    Text,
    drawn,
    paged,
    pages_of_marks,
)

TITLE = "みほん商会　モデル就業規則"
EDITION = "令和８年４月版"
_AUTHOR = "みほん商会（架空の見本）"
_FULL_WIDTH = str.maketrans("0123456789", "０１２３４５６７８９")


@dataclass(frozen=True)
class _Chapter:
    """A chapter, which begins a page.

    Attributes:
        words: 第１章 and so on with its name.
        preface: What it says before its first article.
    """

    words: str
    preface: str


@dataclass(frozen=True)
class Article:
    """One 条 with its commentary.

    Attributes:
        number: As printed, without 第 and 条: `１０条の２` is `("１０", "の２")`.
        caption: Without its brackets; empty for a deleted article.
        rule: Its paragraphs, the first without the number; items begin with ①.
        commentary: Paragraphs below 【第６条　試用期間】; empty where there is none.
    """

    number: tuple[str, str]
    caption: str
    rule: Sequence[str | Grid]
    commentary: Sequence[str | Block] = ()

    @property
    def name(self) -> str:
        """第１０条の２."""
        return f"第{self.number[0]}条{self.number[1]}"


@dataclass(frozen=True)
class _Alternative:
    """［例１］: the articles that follow, up to the next one or the end of the alternatives, are its."""

    words: str


@dataclass(frozen=True)
class _Supplement:
    """附則: articles of its own count, without commentary."""

    articles: Sequence[Article]


@dataclass(frozen=True)
class _Schedule:
    """別表.

    Attributes:
        title: 別表（第１１条関係）.
        blocks: What it holds.
    """

    title: str
    blocks: Sequence[Block]


_Entry = _Chapter | Article | _Alternative | _Supplement | _Schedule


def work_rules_pdf() -> bytes:
    """The booklet as a PDF."""
    body = paged(list(_body()))
    marks = pages_of_marks(body)
    front = _front_pages(marks, before=0)
    front = _front_pages(marks, before=len(front))
    pages = [
        # A figure drawn alone would be lost where no Japanese font is installed (`pdf/fonts`).
        *((page, f"－{str(number).translate(_FULL_WIDTH)}－") for number, page in enumerate(front, start=1)),
        *((page, f"- {number} -") for number, page in enumerate(body, start=len(front) + 1)),
    ]
    return drawn(pages, title=f"{TITLE}　{EDITION}", author=_AUTHOR)


def _front_pages(marks: dict[str, int], before: int) -> list[Page]:
    """Cover, preface and table of contents; `before` is how many pages they are."""
    return [*paged(_COVER), *paged(_PREFACE), *paged(list(_contents(marks, before)))]


def _contents(marks: dict[str, int], before: int) -> Iterator[Block]:
    yield Text("目　次", size=13, gothic=True, align="center", above=6, below=10)
    for entry in BOOKLET:
        match entry:
            case _Chapter(words) | _Schedule(words):
                page = str(marks[words] + before + 1).translate(_FULL_WIDTH)
                yield Text(words, gothic=True, leader=page, above=8, keep=isinstance(entry, _Chapter))
            case _Alternative(words):
                yield Text(words, first=1, rest=5)
            case Article():
                yield Text(f"{entry.name}（{entry.caption}）" if entry.caption else f"{entry.name}　削除", first=1)
            case _Supplement():
                yield Text("附則", gothic=True, above=8)


def _body() -> Iterator[Block]:
    for position, entry in enumerate(BOOKLET):
        match entry:
            case _Chapter(words, preface):
                if position:
                    yield NewPage()
                yield Text(words, size=13, gothic=True, below=4, keep=True, mark=words)
                yield Text(preface, first=1, below=6)
            case _Alternative(words):
                yield Text(words, rest=4, gothic=True, above=8, keep=True)
            case Article():
                yield from _article(entry)
            case _Supplement(articles):
                yield Text("附　則", size=12, gothic=True, above=24, below=4, keep=True)
                for article in articles:
                    yield from _article(article)
            case _Schedule(title, blocks):
                yield NewPage()
                yield Text(title, size=12, gothic=True, below=4, keep=True, mark=title)
                yield from blocks


def _article(article: Article) -> Iterator[Block]:
    if not article.caption:
        yield Text(f"{article.name}　削除", gothic=True, above=12, below=8)
        return
    first, *others = article.rule
    caption = Text(f"（{article.caption}）", gothic=True, keep=True)
    opening = Text(f"{article.name}　{first}", rest=1, blanks=True)
    yield Frame([caption, opening, *(rule if isinstance(rule, Grid) else _rule(rule) for rule in others)])
    if article.commentary:
        yield Text(f"【{article.name}　{article.caption}】", gothic=True, above=4, keep=True)
    for block in article.commentary:
        yield _commentary(block) if isinstance(block, str) else block


def _rule(words: str) -> Text:
    item = words[0] in "①②③④⑤⑥⑦⑧⑨"
    return Text(words, first=1 if item else 0, rest=2 if item else 1, blanks=True)


def _commentary(words: str) -> Text:
    """A numbered paragraph hangs; another one begins with an indent, unless it says itself where it begins."""
    if words[0] in "１２３４５６７８９":
        return Text(words, rest=1)
    return Text(words, first=1)


def _heading(words: str, rows: int = 1, columns: int = 1) -> Cell:
    return Cell(words, rows=rows, columns=columns, gothic=True, align="center")


def _middle(words: str) -> Cell:
    return Cell(words, align="center")


def _subheading(words: str) -> Text:
    return Text(words, size=11.5, gothic=True, above=14, below=4, keep=True)


_COVER: list[Block] = [
    Down(150),
    Text(TITLE, size=22, gothic=True, align="center", below=24),
    Text("（架空の見本）", size=13, align="center", below=190),
    Text(EDITION, size=14, gothic=True, align="right", below=4),
    Text("みほん商会　本部人事課", size=13, gothic=True, align="right"),
]

_PREFACE: list[Block] = [
    Text("はじめに", size=13, gothic=True, below=4),
    _subheading("１　この冊子について"),
    Text(
        "この冊子は、みほん商会の各店が就業規則を作るときのひな形です。プログラムの動作を確かめるために作られた架空の"
        "見本であり、会社も、国も、引用されている法律も、すべて作り話です。実際の就業規則を作る参考にはなりません。",
        first=1,
    ),
    _subheading("２　ひな形の使い方"),
    Text(
        "枠の中が就業規則の規程例、枠の下がその解説です。規程例の下線の部分は空欄です。日数、金額などは店ごとに違いま"
        "すから、本部から示した数字はありません。各店で話し合って決め、書き入れてください。",
        first=1,
    ),
    Text(
        "［例１］、［例２］とあるところは、店の働き方に合うものを一つ選び、残りを削ってください。",
        first=1,
    ),
    _subheading("３　決めた後の手続"),
    Text(
        "就業規則を作ったとき、又は変えたときは、店で働く人の代表の意見を聴き、その意見を書いた書面を添えて、労働監督"
        "署に届け出てください。届け出た就業規則は、休憩室など、働く人がいつでも読めるところに備え付けてください。",
        first=1,
    ),
]

BOOKLET: list[_Entry] = [
    _Chapter("第１章　総則", "総則には、この規則を作る目的と、この規則が誰に適用されるのかを定めます。"),
    Article(
        ("１", ""),
        "目的",
        [
            "この規則は、みほん商会　　　　店（以下「会社」という。）で働く者（以下「従業員」という。）が働くときの決"
            "まりを定める。",
            "２　この規則に定めのない事項は、みほん国労働時間法その他の法令の定めるところによる。",
        ],
        [
            "１　店の名称は、労働監督署に届け出ている正式なものを書き入れます。",
            "２　この規則が法令に反するときは、その部分は効力がなく、法令の定めによることになります。",
        ],
    ),
    Article(
        ("２", ""),
        "適用範囲",
        [
            "この規則は、すべての従業員に適用する。ただし、１日の勤務が４時間に満たない短時間従業員の賃金については、"
            "別に定める。",
            "２　派遣されて会社で働く者には、第３章のうち休憩に関する部分に限り、この規則を準用する。",
        ],
        [
            "短時間従業員だけの規則を別に作ることもできます。その場合は、この規則のどの条が適用されないのかを、はっき"
            "り書いてください。"
        ],
    ),
    _Chapter(
        "第２章　採用及び異動",
        "この章には、採用のときの書類、試用期間、異動など、従業員が会社に入ってからの手続を定めます。",
    ),
    Article(
        ("３", ""),
        "採用時の提出書類",
        [
            "従業員として採用された者は、採用された日から　　日以内に、次の書類を提出しなければならない。",
            "①　住所及び生年月日を確かめることができる証明書",
            "②　通勤の経路及び方法の届",
            "③　賃金の振込先の届",
            "④　自動車運転免許証の写し（業務で自動車を運転する者に限る。）",
            "２　提出した書類の内容に変更があったときは、　　週間以内に届け出なければならない。",
        ],
        ["戸籍の写しを提出させることは、本人の生まれや家族に関わりますので、行ってはいけません。"],
    ),
    Article(
        ("４", ""),
        "労働条件の明示",
        [
            "会社は、従業員を採用するときは、賃金、就業の場所、従事する業務、労働時間、休日その他の労働条件を記した書"
            "面を交付する。",
        ],
        [
            "１　働く期間に定めがあるときは、期間が満了した後に更新することがあるかどうかも、書面に記します。",
            "２　本人が希望したときは、書面に代えて、電子メールで送ることもできます。ただし、本人が印刷できるものに限"
            "ります。",
        ],
    ),
    Article(
        ("５", ""),
        "人事異動",
        [
            "会社は、業務上必要があるときは、従業員に対し、就業する店又は従事する業務の変更を命ずることがある。",
            "２　住居の移転を伴う異動を命ずるときは、会社は、異動の日の　　日前までに本人に知らせ、その事情を聴くもの"
            "とする。",
        ],
        ["育児や介護をしている従業員の異動では、本人の事情をよく聴いた上で、代わりの方法がないかを検討してください。"],
    ),
    Article(
        ("６", ""),
        "試用期間",
        [
            "新しく入った従業員は、働き始めた日から　　か月間を試用期間とする。",
            "２　会社が特に認めたときは、試用期間を短くし、又は設けないことがある。",
            "３　試用期間中の勤務の状況により、従業員として適さないと認めた者は、解雇することがある。",
            "４　試用期間は、勤続年数に含める。",
        ],
        [
            "１　試用期間の長さについて、法令に定めはありません。しかし、働く人の立場が定まらない期間ですから、必要以"
            "上に長くすることは適当ではありません。",
            "２　試用期間中であっても、採用から10日を過ぎた後に解雇するときは、25日以上前の予告が必要です。予告をしな"
            "いときは、25日分以上の平均賃金を支払わなければなりません（みほん国労働基本法第21条）。",
        ],
    ),
    _Chapter(
        "第３章　労働時間、休憩及び休日",
        "労働時間は、みほん国労働時間法に定める１日８時間30分、１週42時間を超えない範囲で定めます。店の働き方に合わせ"
        "て、次の二つの例から一つを選んでください。",
    ),
    _Alternative("［例１］　土曜日と日曜日を休みとする場合の規程例"),
    Article(
        ("７", ""),
        "労働時間及び休憩",
        [
            "労働時間は、１日７時間45分、１週38時間45分とする。",
            "２　始業の時刻は午前８時45分、終業の時刻は午後５時15分とし、休憩は正午から45分間とする。",
        ],
    ),
    Article(("８", ""), "休日", ["休日は、土曜日、日曜日及び会社が定める年末年始の　　日間とする。"]),
    _Alternative("［例２］　早番と遅番の交替制を採用する場合の規程例"),
    Article(
        ("７", ""),
        "労働時間及び休憩",
        [
            "労働時間は、１日８時間とし、勤務は次の表のとおり交替で行う。",
            Grid(
                widths=(8, 10, 10, 12),
                rows=[
                    [_heading("勤務"), _heading("始業"), _heading("終業"), _heading("休憩")],
                    [_middle("早番"), _middle("午前７時"), _middle("午後４時"), _middle("午前11時から60分")],
                    [_middle("遅番"), _middle("午後０時30分"), _middle("午後９時30分"), _middle("午後５時から60分")],
                ],
            ),
            "２　会社は、翌月の勤務の割当てを、毎月　　日までに従業員に知らせる。",
        ],
    ),
    Article(
        ("８", ""),
        "休日",
        [
            "休日は、４週間を通じて８日とし、前条第２項の割当てにより定める。",
            "２　遅番の翌日を早番とするときは、その間に休日を置かなければならない。",
        ],
        [
            "１　［例１］は、売場の営業時間が短い店に、［例２］は、朝早くから夜まで営業する店に向いています。",
            "２　休憩の長さは、みほん国労働時間法第６条に定める最低の長さを下回ることができません。店を閉めずに交替で取"
            "ることもできます。",
        ],
    ),
    Article(
        ("９", ""),
        "時間外及び休日の労働",
        [
            "会社は、業務の都合により、従業員に第７条の労働時間を超えて、又は前条の休日に労働させることがある。",
            "２　前項の労働は、従業員の代表との書面による協定の範囲内とし、１か月について　　時間、１年について　　　"
            "時間を超えないものとする。",
            "３　妊娠中の従業員及び産後１年を経過しない従業員が請求したときは、第１項の労働をさせない。",
        ],
        [
            "協定で定めることができる時間には、法律による上限があります（みほん国労働時間法第９条）。空欄には、上限より短"
            "い時間を書き入れることもできます。",
        ],
    ),
    Article(
        ("１０", ""),
        "遅刻、早退及び欠勤",
        [
            "従業員は、遅刻、早退又は欠勤をするときは、あらかじめ店長に申し出なければならない。やむを得ず事前に申し出"
            "ることができなかったときは、その日のうちに届け出るものとする。",
            "２　病気による欠勤が続けて　　日以上に及ぶときは、医師の診断書を提出しなければならない。",
            "３　電車又はバスの遅れによる遅刻は、遅延の証明書を添えて届け出たときは、遅刻として扱わない。",
        ],
    ),
    Article(
        ("１０", "の２"),
        "勤務と勤務の間の休息",
        [
            "会社は、従業員が１日の勤務を終えてから次の勤務を始めるまでの間に、少なくとも　　時間の休息を与える。",
            "２　休息が終わる時刻が次の勤務の始業の時刻より後になるときは、始業の時刻から休息が終わる時刻までの間は、"
            "勤務したものとみなす。",
        ],
        [
            "１　この条は、令和７年４月版で加えました。それより前の版から使っている店は、第10条の次に書き加えてくださ"
            "い。",
            "２　空欄に書き入れる時間は、みほん国労働時間法第９条の２に定める時間より短くならないようにしてください。",
        ],
    ),
    _Chapter("第４章　休暇", "法令で定められた休暇のほか、会社が独自に設ける休暇も、必ずこの章に定めます。"),
    Article(
        ("１１", ""),
        "年次有給休暇",
        [
            "採用した日から６か月間続けて勤務し、その間の労働日の８割以上に出勤した従業員に、別表のとおり年次有給休暇"
            "を与える。その後１年間続けて勤務するごとに、同様とする。",
            "２　年次有給休暇は、従業員が請求した日に与える。ただし、その日に与えることが事業の正常な運営を妨げるとき"
            "は、他の日に変えることがある。",
            "３　年次有給休暇は、１日又は半日を単位として取ることができる。半日を単位とするものは、１年に　　回までと"
            "する。",
            "４　その年に取らなかった年次有給休暇は、翌年に限り、繰り越すことができる。",
        ],
        [
            "１　別表の日数は、法令の定める最低の日数（みほん国労働時間法第12条）より多くしてあります。",
            "２　「８割以上」を計算するときは、仕事によるけがで休んだ日、育児休業の日は、出勤したものとして数えます。",
        ],
    ),
    Article(("１２", ""), "", []),
    Article(
        ("１３", ""),
        "慶弔休暇",
        [
            "従業員に次の事由があるときは、次の日数の慶弔休暇を与える。",
            "①　本人が結婚したとき　　　日",
            "②　子が生まれたとき　　　日",
            "③　父母、配偶者又は子を亡くしたとき　　　日",
            "④　兄弟姉妹又は祖父母を亡くしたとき　　　日",
            "２　慶弔休暇の間の賃金は、通常の賃金を支払う。",
        ],
        [
            "慶弔休暇は、法令で定められた休暇ではありません。日数も、有給とするか無給とするかも、会社が自由に決めるこ"
            "とができます。"
        ],
    ),
    Article(
        ("１４", ""),
        "病気休暇",
        [
            "従業員が業務によらない病気又はけがにより、続けて10日を超えて勤務することができないときは、　　日を限度と"
            "して病気休暇を与える。",
            "２　病気休暇の間の賃金は、支払わない。ただし、最初の３日間は、通常の賃金の６割を支払う。",
            "３　病気休暇を終えて勤務に戻る従業員が希望したときは、最初の２週間に限り、１日の勤務を　　時間まで短くす"
            "ることができる。",
        ],
        [
            "１　病気休暇も、法令で定められた休暇ではありません。年次有給休暇を使い切った後に取るものとすることもでき"
            "ます。",
            "２　仕事によるけがや病気は、この条ではなく、災害補償の手続によります。本部人事課に連絡してください。",
            "３　長く休んだ人が急に元の働き方に戻ると、再び体調を崩すことがあります。第３項のような慣らし勤務を設ける"
            "ことが望まれます。",
        ],
    ),
    _Chapter(
        "第５章　賃金、退職及び副業",
        "この章には、手当の額、賃金の支払の日、退職の手続など、従業員の暮らしに直接関わる事項を定めます。",
    ),
    Article(
        ("１５", ""),
        "通勤手当",
        [
            "電車又はバスにより通勤する従業員に、定期券の代金に相当する額を、月額　　　　　円を限度として支給する。",
            "２　自動車により通勤する従業員には、片道の距離が３キロメートル以上である場合に限り、１キロメートルにつき"
            "月額　　　円を支給する。",
        ],
        [
            "１　税がかからない限度額は、みほん国税庁の案内で確かめてください。",
            "２　限度額を超えて支給した部分には、所得税がかかります。",
        ],
    ),
    Article(
        ("１６", ""),
        "賃金の支払",
        [
            "賃金は、毎月　　日に締め切り、翌月　　日に支払う。支払の日が銀行の休業日であるときは、その前日に支払う。",
            "２　賃金は、従業員が届け出た本人名義の口座に振り込む方法により支払う。",
            "３　従業員又はその家族が急な病気、災害その他の事情により費用を必要とするときは、従業員の請求により、支払"
            "の日の前であっても、既に働いた日の分の賃金を支払う。",
        ],
    ),
    Article(
        ("１７", ""),
        "退職",
        [
            "従業員は、次のいずれかのときに退職する。",
            "①　退職を願い出て会社が認めたとき、又は退職願を提出してから20日を経過したとき",
            "②　定年である満　　歳に達した日の属する月の末日が到来したとき",
            "③　働く期間に定めがある場合に、その期間が満了したとき",
            "④　死亡したとき",
            "２　退職する者は、退職の日までに、会社から借りている制服、鍵及び端末を返さなければならない。",
        ],
        ["定年を満63歳より低くすることはできません（みほん国労働基本法第24条）。"],
    ),
    Article(
        ("１８", ""),
        "副業",
        [
            "従業員は、勤務時間の外において、他の会社の業務に従事することができる。",
            "２　前項の業務に従事しようとする者は、始める日の　　日前までに、会社に届け出なければならない。",
            "３　会社は、次のいずれかに該当するときは、第１項の業務を禁止し、又は制限することができる。",
            "①　会社の勤務に支障があるとき",
            "②　会社の秘密が漏れるおそれがあるとき",
            "③　会社と同じ商品を扱う店で働くとき",
        ],
        [
            "１　二つの会社で働く人の労働時間は、合わせて数えます。残業が多い月は、副業の時間を減らすよう本人と話し合"
            "ってください。",
            Text("（参考）", rest=1, above=4, keep=True),
            Text("・みほん国労働基本法", rest=1, keep=True),
            Text(
                "第３８条　働く時間は、雇い主を異にする場合においても、これを合わせて計算する。ただし、本人が自ら営む"
                "事業に費やす時間は、この限りでない。",
                rest=1,
                below=4,
            ),
            "２　届出の用紙は、本部人事課の棚に備えてあります。",
        ],
    ),
    _Supplement(
        [
            Article(("１", ""), "施行期日", ["この規則は、　　年　　月　　日から実施する。"]),
            Article(
                ("２", ""),
                "経過措置",
                [
                    "この規則の施行の日の前日までに旧規則第12条の規定により与えられた夏季特別休暇は、なお取ることがで"
                    "きる。",
                ],
            ),
        ]
    ),
    _Schedule(
        "別表（第１１条関係）",
        [
            Text("年次有給休暇の日数", first=1, below=4, keep=True),
            Grid(
                widths=(12, 8, 8, 8),
                rows=[
                    [_heading("続けて勤務した期間", rows=2), _heading("１週間の労働日数", columns=3)],
                    [_heading("５日以上"), _heading("３日又は４日"), _heading("１日又は２日")],
                    ["６か月", _middle("11日"), _middle("７日"), _middle("３日")],
                    ["１年６か月", _middle("12日"), _middle("８日"), _middle("４日")],
                    ["２年６か月", _middle("13日"), _middle("９日"), _middle("４日")],
                    ["３年６か月", _middle("15日"), _middle("10日"), _middle("５日")],
                    ["４年６か月", _middle("17日"), _middle("12日"), _middle("６日")],
                    ["５年６か月以上", _middle("20日"), _middle("13日"), _middle("７日")],
                ],
            ),
            Text(
                "（注）　週によって労働日数が異なる従業員は、１年間の労働日数を52で割って、１週間の労働日数とする。",
                first=1,
                rest=4,
            ),
        ],
    ),
]
