import pytest
from hypothesis import given

from rag_assets.corpus.lead_lines import leads_in
from rag_assets_tests.strategies import lines


@pytest.mark.parametrize(
    ("line", "following"),
    [
        ("税額は次の算式で計算します。", "収入金額－必要経費"),
        ("次の要件をすべて満たすときは課税されません。", "（1） 半分以上を負担していること"),
        ("手続きは、次のとおりです。", "申告書を提出します。"),
        ("次のとおり", "１ 対象"),
        ("以下の書類が必要です。", "・申告書"),
        ("計算式：", "甲×乙"),
        ("計算式:", "甲×乙"),
        ("（1） 国内にある財産", "相続により取得した財産をいいます。"),
        ("１　対象となる方", "給与の支払を受ける人です。"),
        ("イ　居住者", "国内に住所がある人をいいます。"),
        ("①　通常の場合", "全額が対象です。"),
        ("（例）", "給与が30万円の場合"),
        ("〔計算例〕", "100円×3"),
        ("この法律で用いる次の各号に掲げる言葉の意味は、それぞれその号に示すとおりとする。", "一　法令　法律をいう。"),
        ("八　基準　次に掲げるものをいう。", "イ　審査の基準"),
        ("二　申請書", "次のものを添えるものとする。"),
    ],
)
def test_a_line_for_the_sake_of_the_next(line: str, following: str) -> None:
    assert leads_in(line, following)


@pytest.mark.parametrize(
    ("line", "following"),
    [
        ("税額は次の算式で計算します。", ""),
        ("次に掲げる用語の意義は、別に定める。", "前項の規定は、適用しない。"),
        ("一　申請書", "二　届出書"),
        ("税額は次の算式で計算します。", "（注） 端数は切り捨てます。"),
        ("手続きは、次のとおりです。", "※ 令和8年から"),
        ("（1） 国内にある財産", "（2） 国外にある財産"),
        ("（1） 国内にある財産をいいます。", "相続により取得した財産です。"),
        ("（注1） 国内に限る", "相続により取得した財産です。"),
        ("国内にある財産", "相続により取得した財産です。"),
        (f"（1） {'長い' * 40}", "相続により取得した財産です。"),
        ("給与所得として課税されます。", "（1） 給与"),
        (
            "次の日までに納付します。その後は延滞税がかかり、"
            + "税務署から督促を受けることになりますので御注意"
            + "ください。",
            "文",
        ),
    ],
)
def test_a_line_that_stands_by_itself(line: str, following: str) -> None:
    assert not leads_in(line, following)


@given(lines(), lines())
def test_nothing_leads_in_a_note_or_nothing(line: str, following: str) -> None:
    assert not leads_in(line, "")
    assert not leads_in(line, f"（注）{following}")
