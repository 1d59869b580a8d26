"""The sample's Q&A book: what it says, all of it invented, and how such a book is laid out.

Its traps are those of the real kind: a table of contents that repeats every 問, a branch number, notes of revision
that break over a line, a reference to another 問 at the beginning of a line, a table and a box over a page's end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rag_assets_tests.sample_documents.booklet import (
    Block,
    Cell,
    Down,
    Frame,
    Grid,
    Text,
    drawn,
    paged,
    pages_of_marks,
)

TITLE = "登録領収書制度に関するＱ＆Ａ"
_AUTHOR = "みほん国税庁（架空の見本）"


@dataclass(frozen=True)
class Question:
    """One 問.

    Attributes:
        number: As printed, one digit full-width, more half-width.
        heading: 見出し, without its brackets.
        question: Ends with the notes of revision.
        answer: What follows 【答】; a plain string is a paragraph.
    """

    number: str
    heading: str
    question: str
    answer: Sequence[str | Block]


@dataclass(frozen=True)
class _Chapter:
    """Level 1 is Ⅰ, level 2 is １."""

    level: int
    words: str


def invoice_qa_pdf() -> bytes:
    """The book as a PDF."""
    body = paged(list(_body()))
    numbers = {mark: str(page + 1) for mark, page in pages_of_marks(body).items()}
    contents = paged(list(_contents(numbers)))
    pages = [
        *((page, "") for page in paged(_COVER)),
        *((page, f"目次-{number}") for number, page in enumerate(contents, start=1)),
        *((page, f"- {number} -") for number, page in enumerate(body, start=1)),
    ]
    return drawn(pages, title=TITLE, author=_AUTHOR)


def _contents(numbers: dict[str, str]) -> Iterator[Block]:
    yield Text("目　　　次", size=13, gothic=True, align="center", above=10, below=18)
    for entry in BOOK:
        match entry:
            case _Chapter(level, words):
                yield Text(words, first=level - 1, gothic=True, above=8 if level == 1 else 0, keep=True)
            case Question():
                yield Text(f"問{entry.number}　{entry.heading}", first=2, rest=5, leader=numbers[f"問{entry.number}"])


def _body() -> Iterator[Block]:
    for position, entry in enumerate(BOOK):
        match entry:
            case _Chapter(level, words):
                size = 12.5 if level == 1 else 11.5
                yield Text(words, size=size, gothic=True, above=16 if position else 0, below=4, keep=True)
            case Question():
                yield from _question(entry)


def _question(entry: Question) -> Iterator[Block]:
    number = f"問{entry.number}"
    yield Text(f"（{entry.heading}）", first=0, rest=1, gothic=True, above=14, keep=True)
    yield Text(f"{number}　{entry.question}", rest=3, below=4, keep=True, mark=number)
    yield Text("【答】", keep=True)
    for block in entry.answer:
        yield Text(block, first=1) if isinstance(block, str) else block


def _item(words: str) -> Text:
    return Text(words, first=1, rest=2)


def _note(words: str) -> Text:
    return Text(words, first=1, rest=4)


def _subheading(words: str) -> Text:
    return Text(words, rest=1, gothic=True, keep=True)


def _heading(words: str, rows: int = 1, columns: int = 1) -> Cell:
    return Cell(words, rows=rows, columns=columns, gothic=True, align="center")


def _middle(words: str, rows: int = 1) -> Cell:
    return Cell(words, rows=rows, align="center")


_COVER: list[Block] = [
    Down(130),
    Text("みほん消費税の仕入税額の差引きにおける", size=16, gothic=True, align="center"),
    Text(TITLE, size=18, gothic=True, align="center", below=120),
    Text("令和５年10月", size=12, align="center"),
    Text("（令和７年４月改訂）", size=12, align="center"),
    Text("（令和８年４月改訂）", size=12, align="center", below=110),
    Text("み　ほ　ん　国　税　庁", size=15, align="center"),
    Text("登録領収書制度対応室", size=11, align="center", below=30),
    Text("この冊子は、プログラムの動作を確かめるための架空の見本です。", size=9, align="center"),
    Text("国、制度、金額、期限はすべて作り話であり、現実の税の説明ではありません。", size=9, align="center"),
]

BOOK: list[_Chapter | Question] = [
    _Chapter(1, "Ⅰ　登録領収書制度の概要"),
    Question(
        "１",
        "登録領収書制度の概要",
        "「登録領収書制度」の概要を教えてください。【令和８年４月改訂】",
        [
            "代金を受け取ったその場で領収書を交付する取引について、仕入れに含まれる税額を正しく差し引くことができるよ"
            "うにするため、令和７年10月１日から「登録領収書制度」が始まりました（み消法 30、31 の２）。請求書を交付す"
            "る取引についての適格請求書とは、別の制度です。",
            _subheading("１　発行者の登録"),
            "登録領収書を交付しようとする事業者は、税務署長に申請をして、登録領収書発行者（以下「発行者」といいます。"
            "）の登録を受ける必要があります。登録を受けることができるのは、みほん消費税の課税事業者に限られます。",
            _subheading("２　発行者の義務"),
            "発行者は、買手である事業者から求められたときは、登録領収書を交付しなければなりません（み消法 31 の２①）"
            "。また、交付した登録領収書の写しを保存しなければなりません。",
            "ただし、次の取引については、登録領収書の交付義務が免除されます（み消令 48）。",
            _item("① １万2,000円未満の乗合バス、渡し船又は鉄道による旅客の運送"),
            _item(
                "② 朝市、夕市その他の期間を限って開かれる市場において、生産者が自ら生産した農林水産物を消費者に直接"
                "販売する取引（１回の代金が6,000円未満のものに限ります。）"
            ),
            _item("③ 郵便箱に差し出された郵便物の配達"),
            _subheading("３　仕入税額の差引きの要件"),
            "買手が仕入れに含まれる税額を差し引くためには、帳簿及び登録領収書の両方の保存が必要です。交付を受けた登録"
            "領収書に誤りがあったときの取扱いについては、\n問10《受け取った登録領収書の誤り》をご参照ください。",
            _note(
                "（注）　名称を「領収書」としている必要はありません。必要な事項が記載されていれば、レシート、受取証そ"
                "の他の名称の書類も登録領収書に該当します。"
            ),
        ],
    ),
    _Chapter(1, "Ⅱ　発行者の登録"),
    _Chapter(2, "１　登録の手続"),
    Question(
        "２",
        "登録の申請の方法",
        "登録領収書発行者の登録は、どのような手続で受けるのですか。申請をしてから登録の通知が届くまでの期間も教えてく"
        "ださい。【令和７年４月追加】【令和８年４月改訂】",
        [
            "発行者の登録を受けようとする事業者は、店舗又は事務所の所在地を所轄する税務署長に「登録領収書発行者の登録"
            "申請書」を提出する必要があります（み消法 31 の３①）。申請に手数料はかかりません。",
            "書面により提出する場合の送付先は、東みほん国税局又は西みほん国税局の登録領収書センターです。税務署の窓口"
            "では受け付けていませんので、ご注意ください。",
            "申請から登録の通知が届くまでのおおよその日数は、次のとおりです。",
            Grid(
                widths=(11, 12, 14),
                indent=2,
                rows=[
                    [_heading("申請の方法"), _heading("申請をする者"), _heading("通知までの日数")],
                    [_middle("書面による申請", rows=2), "個人事業者", "40日"],
                    ["法人", "55日"],
                    [_middle("電子申請", rows=2), "個人事業者", "14日"],
                    ["法人", "21日"],
                ],
            ),
            "なお、申請書に記載の漏れがあったときは、上記の日数に、補正に要する日数が加わります。",
        ],
    ),
    Question(
        "３",
        "登録番号の構成",
        "登録番号は、どのような構成ですか。",
        [
            "登録番号の構成は、次のとおりです（み消通達３－２）。",
            _item("① 法人番号を有する発行者　「Ｒ」（アルファベットの大文字）＋法人番号（数字10桁）"),
            _item("② ①以外の発行者（個人事業者、法人番号を有しない団体等）　「Ｒ」＋数字10桁"),
            _note(
                "（注）　②の数字には、納税者番号及び生年月日は用いられません。また、一度割り当てられた登録番号を、希"
                "望する番号に変えることはできません。"
            ),
        ],
    ),
    Question(
        "３－２",
        "登録番号の通知を待つ間の領収書",
        "登録の申請をしましたが、まだ登録番号の通知が届いていません。登録日から通知が届くまでの間に行った売上げについ"
        "て、どのように領収書を交付すればよいですか。【令和７年４月追加】",
        [
            "発行者となるのは登録日からですが、登録番号は、通知が届くまで記載することができません。この間に行った売上"
            "げについては、次のいずれかの方法によることができます。",
            _item("① 通知が届いた後に、登録番号を記載した登録領収書を改めて交付する方法"),
            _item(
                "② 「登録申請中」と記載した領収書を交付しておき、通知が届いた後に、登録番号を書面又は電子メールによ"
                "り買手に知らせる方法"
            ),
            "②の方法による場合、買手は、交付を受けた領収書と登録番号の知らせとを併せて保存することにより、登録領収書"
            "を保存しているものとして取り扱われます。",
        ],
    ),
    Question(
        "４",
        "登録の取りやめ",
        "発行者の登録をやめたいのですが、どのような手続が必要ですか。【令和８年４月改訂】",
        [
            "登録をやめようとする発行者は、税務署長に「登録の取りやめを求める旨の届出書」を提出することにより、提出し"
            "た日の属する課税期間の翌課税期間の初日から、登録の効力を失わせることができます（み消法 31 の３⑥）。",
            "ただし、届出書を、翌課税期間の初日から起算して20日前の日を過ぎて提出したときは、登録の効力が失われるのは"
            "、翌々課税期間の初日となります。",
            Frame(
                [
                    Text("【参考】", gothic=True, keep=True),
                    Text("個人事業者が登録をやめる場合の提出期限の例は、次のとおりです。", first=1),
                    _item("① 令和９年１月１日からやめる場合　令和８年12月12日まで"),
                    _item("② 令和10年１月１日からやめる場合　令和９年12月12日まで"),
                    Text(
                        "届出書を郵便により提出する場合は、通信日付印の日に提出されたものとして取り扱われます。提出期"
                        "限が日曜日その他の休日であっても、その翌日とはなりません。",
                        first=1,
                    ),
                ]
            ),
        ],
    ),
    Question(
        "５",
        "相続があった場合の登録",
        "発行者であった父が死亡し、子である私が父の店を継ぎました。父の登録番号を記載した領収書をそのまま用いてもよい"
        "ですか。",
        [
            "発行者が死亡したときは、相続人は、「発行者の死亡届出書」を速やかに税務署長に提出する必要があります（み消"
            "法 31 の５①）。",
            "事業を承継した相続人は、死亡の日の翌日から３か月を経過する日までの間は発行者とみなされ、その間は、亡くな"
            "った方の登録番号を自らの登録番号として用いることができます。その後も登録領収書を交付しようとするときは、"
            "相続人が自ら登録を受ける必要がありますので、お早めに申請してください。",
        ],
    ),
    _Chapter(2, "２　登録の公表"),
    Question(
        "６",
        "公表される事項",
        "登録を受けると、どのような事項が公表されますか。自宅の住所も公表されますか。【令和７年４月改訂】",
        [
            "発行者の情報は、「みほん国税庁登録領収書発行者公表サイト」において公表されます（み消法 31 の４）。公表さ"
            "れる事項は、次のとおりです。",
            _item("① 発行者の氏名又は名称"),
            _item("② 登録番号及び登録年月日"),
            _item("③ 法人については、本店又は主たる事務所の所在地"),
            "個人事業者の住所、電話番号及び生年月日は、公表されません。ただし、本人が「公表事項の追加の申出書」を提出"
            "した場合に限り、屋号及び店舗の所在地を公表することができます。",
        ],
    ),
    _Chapter(1, "Ⅲ　登録領収書の交付と保存"),
    _Chapter(2, "１　登録領収書の記載事項"),
    Question(
        "７",
        "登録領収書に記載が必要な事項",
        "登録領収書には、どのような事項を記載する必要がありますか。また、小売業を営む者が交付するレシートについて、記"
        "載を簡単にすることは認められますか。【令和８年４月改訂】",
        [
            "登録領収書の記載事項は、次の表のとおりです。小売業、飲食店業その他不特定多数の者に対して販売を行う事業を"
            "営む発行者は、登録領収書に代えて、簡易登録領収書を交付することができます（み消法 31 の２②）。",
            Grid(
                widths=(16, 12, 13),
                rows=[
                    [_heading("記載事項"), _heading("登録領収書"), _heading("簡易登録領収書")],
                    ["発行者の氏名又は名称", _middle("必要"), _middle("必要（屋号でもよい。）")],
                    ["登録番号", _middle("必要"), _middle("必要")],
                    ["代金を受け取った年月日", _middle("必要"), _middle("必要")],
                    [
                        "取引の内容（軽減税率の対象である場合には、その旨）",
                        _middle("必要"),
                        "必要（「食品」「雑貨」のように分類によることができる。）",
                    ],
                    ["税率ごとに区分して合計した代金の額", _middle("必要"), _middle("必要")],
                    ["税率ごとに区分した税額", _middle("必要"), Cell("いずれか一方", rows=2, align="center")],
                    ["適用税率", _middle("必要")],
                    ["買手の氏名又は名称", _middle("必要"), _middle("不要")],
                    [
                        "領収書の通し番号",
                        Cell("任意（写しにも同じ番号を記載）", columns=2, align="center"),
                    ],
                ],
            ),
            _note("（注）　収入印紙を貼付する必要があるかどうかは、登録領収書に該当するかどうかとは関係がありません。"),
        ],
    ),
    Question(
        "８",
        "手書きの領収書",
        "市販の領収書用紙に手書きで記入して交付しています。手書きの領収書であっても、登録領収書として認められますか。",
        [
            "手書きの領収書であっても、必要な事項が記載されていれば、登録領収書に該当します。登録番号は、ゴム印を押し"
            "、又はシールを貼る方法により記載しても差し支えありません。",
            "なお、鉛筆その他記載を容易に消すことができる筆記具により記入したものは、登録領収書に該当しません（み消通"
            "達５－４）。",
        ],
    ),
    Question(
        "９",
        "税額に端数が生じた場合",
        "税率ごとの税額を計算したところ、１円未満の端数が生じました。端数は、どのように処理すればよいですか。【令和６"
        "年４月追加】【令和７年４月改訂】",
        [
            "税額の１円未満の端数は、一の登録領収書につき、税率ごとに１回、切り捨てます。切上げ又は四捨五入によること"
            "は、認められません（み消規 15）。",
            "したがって、個々の商品ごとに税額を計算し、その都度端数を処理して、これを合計した金額を登録領収書に記載す"
            "ることは、認められません。",
            "（例）　税抜きの代金の合計が、標準税率（12％）の対象について1,235円、軽減税率（５％）の対象について790円"
            "である場合",
            _item("・　標準税率の対象に係る税額　1,235円×12％＝148.2円　→　148円"),
            _item("・　軽減税率の対象に係る税額　790円×５％＝39.5円　→　39円"),
        ],
    ),
    Question(
        "10",
        "受け取った登録領収書の誤り",
        "仕入れの際に受け取った登録領収書の金額に誤りがありました。買手である当社が、自ら書き直して保存してもよいです"
        "か。",
        [
            "買手が自ら書き直した登録領収書を保存しても、仕入税額を差し引くことはできません。売手である発行者に申し出"
            "て、正しい事項を記載した登録領収書の交付を、改めて受ける必要があります（み消法 31 の２④）。",
            "ただし、買手が誤りのある箇所を示した「訂正確認書」を作成し、売手の確認（署名又は押印）を受けた場合には、"
            "当初の登録領収書と併せて保存することにより、正しい登録領収書を保存しているものとして取り扱われます。",
        ],
    ),
    _Chapter(2, "２　保存と差引き"),
    Question(
        "11",
        "登録領収書の保存期間",
        "受け取った登録領収書は、いつまで保存する必要がありますか。電子データで受け取った場合に、紙に印刷して保存する"
        "ことは認められますか。【令和７年４月追加】",
        [
            "受け取った登録領収書及び交付した登録領収書の写しは、その課税期間の申告の期限の翌日から８年間、店舗又は事"
            "務所に保存しなければなりません。ただし、最後の３年間は、保管を業とする者の倉庫に預けて保存しても差し支え"
            "ありません。",
            "電子データで受け取った登録領収書は、紙に印刷したものの保存によることもできます。この場合、印刷した日を余"
            "白に記載してください。",
        ],
    ),
    Question(
        "12",
        "帳簿のみの保存により差引きができる取引",
        "登録領収書の保存がなくても、帳簿のみの保存により仕入税額を差し引くことができるのは、どのような取引ですか。【"
        "令和８年４月改訂】",
        [
            "次の取引では、決められた事項を書いた帳簿のみの保存により、仕入税額を差し引くことができます（み消令 51）。",
            _item("① 登録領収書の交付義務が免除される取引"),
            _item("② 入場券その他の証票が使用の際に回収される取引"),
            _item("③ 古物商が消費者から買い受ける古物（１点の代金が５万円未満のものに限ります。）"),
            _item("④ 従業員に支給する通勤手当及び出張の日当"),
            "帳簿には、通常の記載事項のほか、「証票回収」「古物」のように、①から④までのいずれの取引に該当するかを記"
            "載する必要があります。なお、①の取引の範囲については、\n問１《登録領収書制度の概要》２をご参照ください。",
        ],
    ),
    Question(
        "13",
        "登録を受けていない者からの仕入れ",
        "発行者の登録を受けていない小さな店から商品を仕入れました。登録領収書の交付を受けることができませんが、税額を"
        "一切差し引くことができないのですか。【令和６年４月追加】【令和８年４月改訂】",
        [
            "登録を受けていない者からの仕入れについては、原則として、税額を差し引くことはできません。ただし、制度が始"
            "まってから一定の期間は、次の表の割合により、税額の一部を差し引くことができます（み消法附則９）。",
            Grid(
                widths=(17, 11, 11),
                rows=[
                    [_heading("仕入れを行った時期", rows=2), _heading("差し引くことができる割合", columns=2)],
                    [_heading("商品の仕入れ"), _heading("その他の経費")],
                    ["令和７年10月１日から令和10年９月30日まで", _middle("90％"), _middle("70％")],
                    ["令和10年10月１日から令和13年９月30日まで", _middle("60％"), _middle("30％")],
                    ["令和13年10月１日以後", Cell("差し引くことができない", columns=2, align="center")],
                ],
            ),
            "この取扱いを受けるためには、帳簿に「経過措置」と記載した上で、相手方から受け取った領収書を保存する必要が"
            "あります。",
            _note(
                "（注）　免税事業者に限らず、登録を受けていない課税事業者及び消費者からの仕入れも、この取扱いの対象と"
                "なります。"
            ),
        ],
    ),
]
