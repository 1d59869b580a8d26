"""The words of a paragraph: fields, signs, raised figures, equations, pictures, changes."""

import pytest

from rag_assets_tests.sources.guides.word.word_files import field, lines, p, r, read, topics

RAISED = '<w:vertAlign w:val="superscript"/>'
LOWERED = '<w:vertAlign w:val="subscript"/>'


def words(*runs: str) -> str:
    """The words of one paragraph."""
    return "".join(lines(p(*runs)))


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        (["旅", "費", "規程"], "旅費規程"),
        (["  前の", " 空き "], "前の 空き"),
        (["氏名", "<w:r><w:tab/></w:r>", "所属"], "氏名　所属"),
        (["No", "<w:r><w:tab/></w:r>", "12"], "No 12"),
        (["上の行", "<w:r><w:br/></w:r>", "下の行"], "上の行　下の行"),
        (["上の行", "<w:r><w:br/></w:r>", "（括弧）"], "上の行（括弧）"),
        (["前", '<w:r><w:br w:type="page"/></w:r>'], "前"),
        (["03", "<w:r><w:noBreakHyphen/></w:r>", "1234"], "03-1234"),
        (["inter", "<w:r><w:softHyphen/></w:r>", "national"], "international"),
        (["10", r("3", RAISED), "m"], "10³m"),
        (["H", r("2", LOWERED), "O"], "H₂O"),
        (["10", r("−", RAISED), r("2", RAISED)], "10⁻²"),
        (["別表", r("※1", RAISED)], "別表※1"),
        (['<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', "同意する"], "☑同意する"),
        (['<w:hyperlink r:id="r1"><w:r><w:t>社内の手引き</w:t></w:r></w:hyperlink>', "を見る"], "社内の手引きを見る"),
        (["<w:smartTag><w:r><w:t>本社</w:t></w:r></w:smartTag>", "へ"], "本社へ"),
        (["<w:sdt><w:sdtContent><w:r><w:t>五日</w:t></w:r></w:sdtContent></w:sdt>", "以内"], "五日以内"),
    ],
)
def test_runs(runs: list[str], line: str) -> None:
    assert words(*runs) == line


def test_ruby_keeps_the_word() -> None:
    ruby = (
        "<w:r><w:ruby><w:rubyPr/><w:rt><w:r><w:t>りょひ</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>旅費</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    )
    assert words("この", ruby, "は") == "この旅費は"


@pytest.mark.parametrize(
    ("code", "result", "shown"),
    [
        ("REF _Ref1 \\h", "第３条", "第３条"),
        ("SEQ 表 \\* ARABIC", "2", "2"),
        ("XE 旅費", None, ""),
        ("EQ \\* jc2 \\* hps10 \\o\\ad(\\s\\up 9(りょひ),旅費)", None, "旅費"),
        ("EQ \\o\\ac(○,21)", None, "㉑"),
        ("eq \\o\\ac(○,印)", None, "印"),
        ("EQ \\f(1,2)", None, "1/2"),
    ],
)
def test_fields_show_what_a_reader_sees(code: str, result: str | None, shown: str) -> None:
    assert words("前", field(code, result), "後") == f"前{shown}後"


def test_fields_inside_fields_and_simple_ones() -> None:
    inner = field("PAGEREF a", "3")
    outer = field(f"HYPERLINK </w:instrText></w:r>{inner}<w:r><w:instrText>", "宿泊費")
    simple = '<w:fldSimple w:instr="DATE"><w:r><w:t>四月一日</w:t></w:r></w:fldSimple>'
    assert words("前", outer, simple) == "前宿泊費四月一日"


def test_fields_of_forms() -> None:
    box = "<w:ffData><w:checkBox><w:default w:val='0'/>{}</w:checkBox></w:ffData>"
    entries = "<w:result w:val='1'/><w:listEntry w:val='甲'/><w:listEntry w:val='乙'/>"
    choice = f"<w:ffData><w:ddList>{entries}</w:ddList></w:ffData>"
    assert (
        words(
            field("FORMCHECKBOX", start=box.format("<w:checked/>")),
            field("FORMCHECKBOX", start=box.format("")),
            field("FORMDROPDOWN", start=choice),
            field("FORMTEXT", "記入した文", start="<w:ffData/>"),
        )
        == "☑☐乙記入した文"
    )


def test_a_drawing_field_that_cannot_be_read_is_told() -> None:
    assert topics(read(p("前", field("EQ \\b(甲)")))) == ["unread field"]


def test_a_sign_that_has_no_character_is_told() -> None:
    document = read(p("前", '<w:r><w:sym w:font="社章" w:char="F041"/></w:r>'))
    assert [(finding.topic, finding.quote) for finding in document.findings] == [("unknown sign", "社章 F041")]


def math(inside: str) -> str:
    return f"<m:oMath>{inside}</m:oMath>"


def m(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


@pytest.mark.parametrize(
    ("inside", "line"),
    [
        (f"<m:f><m:num>{m('1')}</m:num><m:den>{m('2')}</m:den></m:f>", "1/2"),
        (f"<m:sSup><m:e>{m('x')}</m:e><m:sup>{m('2')}</m:sup></m:sSup>", "x²"),
        (f"<m:sSub><m:e>{m('a')}</m:e><m:sub>{m('1')}</m:sub></m:sSub>", "a₁"),
        (f"<m:rad><m:deg/><m:e>{m('x+1')}</m:e></m:rad>", "√(x+1)"),
        (f"<m:d><m:e>{m('x+1')}</m:e></m:d>", "(x+1)"),
        (f"<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e>{m('x')}</m:e></m:d>", "[x]"),
        (
            f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr><m:sub>{m('i=1')}</m:sub><m:sup>{m('n')}</m:sup>"
            f"<m:e>{m('x')}</m:e></m:nary>",
            "∑_(i=1)ⁿx",
        ),
        (f"{m('A=')}<m:f><m:num>{m('a+b')}</m:num><m:den>{m('c')}</m:den></m:f>", "A=(a+b)/c"),
        (
            f"<m:m><m:mr><m:e>{m('1')}</m:e><m:e>{m('2')}</m:e></m:mr><m:mr><m:e>{m('3')}</m:e></m:mr></m:m>",
            "1, 2; 3",
        ),
        (m("&lt;script>"), "<script>"),
    ],
)
def test_equations_on_one_line(inside: str, line: str) -> None:
    assert words("式", math(inside)) == f"式{line}"


def test_a_fraction_behind_a_number_and_an_equation_of_its_own_line() -> None:
    half = math(f"<m:f><m:num>{m('1')}</m:num><m:den>{m('2')}</m:den></m:f>")
    assert words("2", half, "日") == "2と1/2日"
    assert words("前", f"<m:oMathPara>{math(m('x=1'))}{math(m('y=2'))}</m:oMathPara>") == "前　x=1　y=2"


def picture(described: str) -> str:
    told = f'<wp:docPr id="1" name="図 1" descr="{described}"/>'
    return f"<w:r><w:drawing><wp:inline>{told}<a:blip/></wp:inline></w:drawing></w:r>"


@pytest.mark.parametrize(
    ("described", "shown", "told"),
    [
        ("申請の流れ", "（図：申請の流れ）", []),
        ("", "", ["picture without description"]),
        ("image1.png", "", ["picture without description"]),
        ("グラフ 自動的に生成された説明", "（図：グラフ）", []),
    ],
)
def test_pictures(described: str, shown: str, told: list[str]) -> None:
    body = p("図を見る", picture(described))
    assert lines(body) == [f"図を見る{shown}"]
    assert topics(read(body)) == told


def change(name: str, inside: str) -> str:
    return f'<w:{name} w:id="1" w:author="甲">{inside}</w:{name}>'


def test_changes_are_accepted() -> None:
    body = p(
        "旅費は",
        change("del", "<w:r><w:delText>三</w:delText></w:r>"),
        change("ins", r("五") + change("del", "<w:r><w:delText>十</w:delText></w:r>")),
        "日以内",
        change("moveFrom", r("に")),
        "届け",
        change("moveTo", "<w:smartTag>" + r("出る") + "</w:smartTag>"),
    )
    assert lines(body) == ["旅費は五日以内届け出る"]


def test_paragraphs_whose_end_is_deleted_are_joined() -> None:
    gone = f"<w:rPr>{change('del', '')}</w:rPr>"
    body = p("旅費は", properties=gone) + p("実費", properties=gone) + p("とする。", style="2") + p("次")
    assert lines(body) == ["旅費は実費とする。", "次"]
    deleted = change("del", "<w:r><w:delText>消えた段落</w:delText></w:r>")
    assert lines(p(deleted, properties=gone) + p("総則", style="2") + p("次")) == ["## 総則", "次"]


def test_old_properties_of_a_change_do_not_count() -> None:
    old = change("rPrChange", "<w:rPr><w:vanish/></w:rPr>")
    assert words(r("見える", old)) == "見える"


def test_hidden_by_a_style_but_shown_by_the_run() -> None:
    styles = (
        '<w:style w:type="character" w:styleId="h"><w:name w:val="h"/><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="i"><w:name w:val="i"/><w:basedOn w:val="h"/></w:style>'
    )
    style = '<w:rStyle w:val="i"/>'
    body = p("甲", r("乙", style), r("丙", style + '<w:vanish w:val="0"/>'))
    assert lines(body, styles=styles) == ["甲丙"]
