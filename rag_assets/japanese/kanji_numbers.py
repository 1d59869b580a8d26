"""漢数字 as numbers, and texts with the digits beside them: 四十五時間 becomes 四十五時間（45時間）.

Only reading and writing numbers inside a text belongs here; which part of a record gets digits does not.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from rag_assets.japanese.characters import DIGITS, ONE_TO_TEN

_ONES = "一二三四五六七八九"
_DIGITS = "〇" + _ONES
_SMALL_UNITS = ((1000, "千"), (100, "百"), (10, "十"))
_LARGE_UNITS = ((10**12, "兆"), (10**8, "億"), (10**4, "万"))
_NUMERALS = _DIGITS + "十百千万億兆"

_BELOW_TEN_THOUSAND = re.compile(rf"(?:([{_ONES}]?)千)?(?:([{_ONES}]?)百)?(?:([{_ONES}]?)十)?([{_ONES}]?)")
_PLACES = re.compile(rf"[{_ONES}][{_DIGITS}]*")


def kanji_to_int(text: str) -> int | None:
    """The number that 漢数字 write, or None where they write none (万一, 十十, 〇三).

    Reads both ways of writing: with units (百二十三, 一万五千) and by places (二〇二四), also mixed (二五〇万).
    """
    if text == "〇":
        return 0
    total = 0
    rest = text
    for value, unit in _LARGE_UNITS:
        before, found, behind = rest.partition(unit)
        if found:
            coefficient = _below_ten_thousand(before)
            if not coefficient:
                return None
            total, rest = total + coefficient * value, behind
    if not rest:
        return total or None
    # By places alone a number may be of any length; below a larger unit four places are left.
    if rest == text and _PLACES.fullmatch(rest):
        return int(_ascii_places(rest))
    last = _below_ten_thousand(rest)
    return None if last is None else total + last


def _below_ten_thousand(text: str) -> int | None:
    if _PLACES.fullmatch(text) and len(text) <= 4:
        return int(_ascii_places(text))
    match = _BELOW_TEN_THOUSAND.fullmatch(text)
    if not text or match is None:
        return None
    total = _DIGITS.index(match[4]) if match[4] else 0
    for group, (value, unit) in enumerate(_SMALL_UNITS, start=1):
        if unit in text:
            total += value * (_DIGITS.index(match[group]) if match[group] else 1)
    return total


def _ascii_places(text: str) -> str:
    return "".join(str(_DIGITS.index(character)) for character in text)


@dataclass(frozen=True, slots=True)
class DigitsBeside:
    """Digits that belong beside a number in kanji.

    Attributes:
        end: Position in the text behind the number and its counter word.
        words: The words of the text that they read: 四十五時間.
        digits: The same in digits: 45時間.
    """

    end: int
    words: str
    digits: str


def add_digits(text: str) -> str:
    """Put digits in brackets behind every 漢数字 that counts, measures or dates something.

    四十五時間 → 四十五時間（45時間）; 一年六箇月 → …（1年6か月）; 二十万円 → …（20万円）; 午後十時 → …（午後10時）;
    午後五時半 → …（午後5時半）; 平成三十年四月一日 → …（平成30年4月1日）; 二割五分 → …（2割5分＝25%）;
    百分の八 → …（100分の8＝8%）.
    The digits are in the form people type: か月 for 箇月, % for パーセント, 万 and 億 kept.

    Statutes count months as 六月 too: where words beside it tell that a period is meant, the digits say so (六月以内 →
    六月（6か月）以内, 一年六月を経過 → 一年六月（1年6か月）を経過), where they tell a month of the calendar, likewise
    (毎年四月 → 毎年四月（4月）); where nothing tells, there are no digits.

    A counter word or a fraction makes the number. So nothing is put beside names and references (第三十六条の二第一項,
    別表第一, 前三項), laws by number or year
    (昭和二十二年法律第四十九号, 平成三十年改正法), and words that merely hold a numeral (一般, 統一, 万一,
    十分, 一時, 千葉, 四日市, 一人親方, 三日月, 関東一円). Numbers without a counter (二以上の) are left too, and so is
    what is but the end of a number: 二、三日 is two or three days, 十五、六歳 fifteen or sixteen years, 二、五〇〇円
    2500 yen, and in ○十日 the ○ is still to be filled in.

    Apart from the insertions the text stays as it is, and a text that has its digits already is left alone: doing it
    twice is doing it once.
    """
    pieces: list[str] = []
    start = 0
    for beside in find_missing_digits(text):
        pieces += [text[start : beside.end], f"（{beside.digits}）"]
        start = beside.end
    return "".join(pieces) + text[start:]


def find_missing_digits(text: str) -> Iterator[DigitsBeside]:
    """What `add_digits` puts in, in order."""
    fraction_end = -1
    for match in _SCAN.finditer(text):
        start = match.start()
        # A fraction ends in a numeral and is whole all the same: 三分の一、四分の一.
        ends_a_number = start >= 2 and start - 1 != fraction_end and _GOES_ON.match(text, start - 2)
        digits = "" if ends_a_number else _in_digits(match)
        fraction_end = match.end() if match["parts"] else -1
        if digits and not _stands_there(text, match.end(), digits):
            yield DigitsBeside(match.end(), match[0], digits)


def _stands_there(text: str, end: int, digits: str) -> bool:
    """Whether the brackets behind already begin with these digits, in whatever width or spelling of the counter."""
    behind = _plain(text[end : end + 2 * len(digits) + 8])
    return any(behind.startswith(f"({_plain(form)}") for form in digits.split("＝"))


def _plain(words: str) -> str:
    return unicodedata.normalize("NFKC", _everyday_words(words)).replace("か月", "月")


_ERA = "(?:明治|大正|昭和|平成|令和)"
_WHOLE = f"[{_NUMERALS}]+"
_NUMBER = f"{_WHOLE}(?:・[{_DIGITS}]+)?"
# Circles are zeros (二○二四年) or blanks to be filled in (○十日); either way the number begins before them.
_CIRCLES = "○◯"
_GOES_ON = re.compile(f"[{_NUMERALS}{_CIRCLES}{DIGITS}][、､・．.，,〜～~‐－―—–-][{_NUMERALS}]")
_HALF = "半(?![数額分期年月日ば径端壊焼減島導世])"

_KA = "[箇個かカヵヶケ]"
_COUNTERS = (
    # Longer ones first; behind each, the characters that make another word of it.
    "時間",
    rf"時(?=[{ONE_TO_TEN}]+分(?!の))",
    f"{_KA}(?:月|年)間?",
    f"{_KA}(?:所|国)",
    "(?:日|年|月|週|秒|分)間",
    "年度",
    "年(?![金齢賦俸少代輪次号報刊])",
    "月(?![額給賦例刊報曜次])",
    "日(?![本常市町咳曜刊酔])",
    "労働日",
    "週(?![刊報末明給番])",
    "(?<!千)[歳才](?![入出費末能覚])",
    "人(?![権格口間材件事物工員類体気称親情命種形民道質為税的数前歩息娘暮]|世(?!帯)|家(?!族))",
    "名(?![称義簿目前字誉刺宛札所高産古])",
    # Behind the name of a region 一円 is all of it (関東一円, 九州（離島を除く）一円). Only few characters end
    # what is told in money; no counter may be among them, since brackets with its digits would then stand between.
    f"(?<!(?<=[一-龥ァ-ヴー）)])(?<![{_NUMERALS}金額価格各計料税費賃代残差又上下満])一)円(?![滑形卓満周弧盤錐柱])",
    f"銭(?![湯貨]|[{_ONES}]厘)",
    "回(?![答収復路線帰避覧遊顧])",
    "倍(?![数率])",
    # 十分 is an adverb. Behind a 割, before a 厘, or before の and another number, the 分 is a part, not a minute.
    rf"(?<!^十)(?<![^{_ONES}]十)分(?![類割野担配散析岐離布別冊科校節権咲率比位]|さ[れせ]|し(?!か)|する|[{_ONES}]厘"
    rf"|の(?:[{_NUMERALS}]|割合|利率|利息))",
    "秒",
    "パーセント",
    "[％%]",
    "件(?!費|名|数|書類|記録|落着)",
    "個(?![人別所体性室展])",
    "親等",
    "世帯",
    "泊",
    "枚(?!挙)",
    "冊(?!子)",
    "棟",
    "台(?![帳風数地所本])",
    "頭(?![取部書金初痛脳出角髪上])",
    "階(?![級層段])",
    "社(?![会員債団長交殿屋宅務内外])",
    "株(?![主式券価])",
    "(?:平方|立方)?(?:キロ|センチ|ミリ|マイクロ|ヘクト|デシ|メガ)?(?:メートル|グラム|リットル|ワット|ボルト|ヘルツ|パスカル|ジュール"
    "|シーベルト|ベクレル)",
    "(?:ヘクタール|アール|トン|キロ|海里|デシベル)",
)
_COUNTER = f"(?:{'|'.join(_COUNTERS)})(?:(?<=[年間月日週分回倍]){_HALF})?"
_PAIR = re.compile(f"(?P<number>{_NUMBER})(?P<counter>{_COUNTER})")

_STARTS_NUMBER = (
    # Not inside a longer number or a name (第三者, 初七日, 数十人), nor the 一 of 同一人, 統一, 単一年度.
    rf"(?<![第初何幾{_NUMERALS}{_CIRCLES}{DIGITS}])(?!(?<=[同統単唯均画専択逐純合帰])一)"
    # 数十人 is some tens of people; 日数十日 and 労働者数三百人 tell how many.
    rf"(?!(?<=数)(?<![日月年人件回口個]数)[^{_ONES}])"
)
_ENDS_NUMBER = rf"(?![{_NUMERALS}])(?!・[{_NUMERALS}])"
_ENACTMENT = "(?:法律|政令|勅令|条約|[一-龥ァ-ヴー・]{0,20}?(?:省令|府令|庁令|規則|告示|布告|規程|訓令|令))"

_SCAN = re.compile(
    "|".join(
        (
            # Passed over as a whole, so that nothing inside is taken for a number of its own.
            "三日月(?![曜末初額給])|(?<![一-龥0-9])日一日|一日千秋|十年一日の[ご如よ]|五分五分|一分(?:一秒|の隙)",
            f"{_ERA}(?:{_WHOLE}|元)年(?:{_WHOLE}月(?:{_WHOLE}日)?)?{_ENACTMENT}第{_WHOLE}号",
            f"{_ERA}{_WHOLE}年[一-龥ァ-ヴー]{{0,20}}?(?:法|令|規則)(?:(?![一-龥])|(?=附則|第|別表)|(?<=規則)(?=[{_NUMERALS}]))",
            f"第{_WHOLE}[編章節款目条項号類種表]?(?:の{_WHOLE}(?![{_NUMERALS}])(?!{_COUNTER}))*",
            "一(?P<idiom>[人日年回件])一(?P=idiom)",
            "一人ひとり",
            # Given digits.
            rf"{_STARTS_NUMBER}(?P<parts>{_NUMBER})分の(?P<share>{_NUMBER}){_ENDS_NUMBER}",
            rf"{_STARTS_NUMBER}(?P<tenths>{_WHOLE})割(?![合当賦り])"
            rf"(?:(?P<hundredths>[{_ONES}])分(?![{_ONES}の][{_NUMERALS}]))?(?:(?P<thousandths>[{_ONES}])厘)?(?P<more>{_HALF})?",
            rf"(?<=年)(?P<interest>[{_ONES}])分(?=の(?:割合|利率|利息))",
            rf"(?:(?P<noon>午前|午後)|{_STARTS_NUMBER}(?!一時))(?P<hour>{_WHOLE})時(?![間代期点計短刻限効給])"
            rf"(?:(?P<half>{_HALF})|(?P<minute>{_WHOLE})分(?![間の]))?",
            rf"(?P<era>{_ERA}(?:元年)?)?{_STARTS_NUMBER}(?P<pairs>(?:{_NUMBER}{_COUNTER})+)",
        )
    )
)


def _in_digits(match: re.Match[str]) -> str:
    """What a match reads in digits; empty where it is passed over or writes no number."""
    if match["parts"]:
        return _write_fraction(match["parts"], match["share"])
    if match["tenths"]:
        return "" if match["more"] else _write_tenths(match["tenths"], match["hundredths"], match["thousandths"])
    if match["interest"]:
        percent = kanji_to_int(match["interest"])
        return f"{percent}分＝{percent}%"
    if match["hour"]:
        hour, minute = _digits(match["hour"]), _digits(match["minute"]) if match["minute"] else ""
        wanted = hour and (minute or not match["minute"])
        behind = f"{minute}分" if minute else match["half"] or ""
        return f"{match['noon'] or ''}{hour}時{behind}" if wanted else ""
    return _write_counted(match) if match["pairs"] else ""


def _write_counted(match: re.Match[str]) -> str:
    era = match["era"] or ""
    words = era
    pairs = list(_PAIR.finditer(match["pairs"]))
    for position, pair in enumerate(pairs):
        digits = _digits(pair["number"], by_places=bool(era))
        counter = _everyday_words(pair["counter"])
        if counter.startswith("月"):
            counter = _name_months(match, pairs, position)
        if not digits or not counter or (_may_be_two(pair["number"]) and not _MEASURE.search(pair["counter"])):
            return ""
        words += digits + counter
    return words


_MEASURE = re.compile("[倍%％ァ-ヴー]$")


def _may_be_two(number: str) -> bool:
    """Whether a decimal may as well be two numbers: 二・三日 is two or three days, 一・五日 a day and a half."""
    whole, _, places = number.partition("・")
    return len(places) == 1 and whole[-1] + places in _ONES


_PERIOD_BEFORE = re.compile("(?:[前後満]|起算して|通じて|通算して|継続して|引き続き|続けて|少なくとも|最長|最短)$")
_SPAN = (
    "(?:前(?![半期])|後(?![半期])|以内|内(?![容閣訳部定])|以上|以下|未満|超|経過|ごと|毎に|ずつ|程度|当たり|あたり|平均|目|連続"
    "|の(?:間|期間|範囲|懲役|禁[錮固]|拘禁刑|業務の?停止|猶予)"
    f"|を(?:超|こえ|経過|経た|経て|過ぎ|下ら|下回|限[りる度]|単位|期限)|に(?:満た|つき|わた|[{_NUMERALS}]+[回度日]))"
)
# 一月及び一年, 三月又は六月以内: what stands beside is a period, so this is one.
_BESIDE_A_PERIOD = f"(?:、|及び|又は|若しくは){_WHOLE}(?:年(?!度|{_WHOLE}月)|{_KA}月|月(?={_SPAN}))"
_PERIOD_BEHIND = re.compile(f"{_SPAN}|{_BESIDE_A_PERIOD}")
_CALENDAR_BEFORE = re.compile("(?:[毎翌前同当本各々の]年|年度)の?$")
_CALENDAR_BEHIND = re.compile("末|[上中下初]旬|中[にのと、。]|以降|以後|の(?:末|第|最初|最終)")


def _name_months(match: re.Match[str], pairs: Sequence[re.Match[str]], position: int) -> str:
    """月 for a month of the calendar, か月 for months that are counted; empty where the words do not tell which."""
    pair, before = pairs[position], pairs[position - 1] if position else None
    if pair["counter"] != "月":
        return f"か{pair['counter']}"
    day_follows = position + 1 < len(pairs) and pairs[position + 1]["counter"] == "日"
    western = before is not None and before["counter"] == "年" and (kanji_to_int(before["number"]) or 0) >= 1000
    if match["era"] or day_follows or western:
        return "月"
    text, start, end = match.string, match.start("pairs"), match.end()
    words_before = "" if position else text[max(0, start - 5) : start]
    number = kanji_to_int(pair["number"]) or 0
    whole = position > 0 and match[0] == text.strip()
    once = number == 1 and text.startswith("について", end)
    if number > 12 or whole or once or _PERIOD_BEFORE.search(words_before) or _PERIOD_BEHIND.match(text, end):
        return "か月"
    if not position and (_CALENDAR_BEFORE.search(words_before) or _CALENDAR_BEHIND.match(text, end)):
        return "月"
    return ""


def _write_fraction(parts: str, share: str) -> str:
    below, above = _value(parts), _value(share)
    # 百分の二三 may be two or three; a zero below tells that places are meant: 一〇〇分の二三.
    parts_digits, share_digits = _digits(parts), _digits(share, by_places="〇" in parts)
    if not below or above is None or not parts_digits or not share_digits:
        return ""
    words = f"{parts_digits}分の{share_digits}"
    # Only what is a share of ten, a hundred, a thousand is also spoken of in percent.
    return f"{words}＝{_decimal(above * 100 / below)}%" if below in (10, 100, 1000, 10000) else words


def _write_tenths(tenths: str, hundredths: str | None, thousandths: str | None) -> str:
    if not _digits(tenths):
        return ""
    places = [(kanji_to_int(number or "〇") or 0, unit) for number, unit in ((hundredths, "分"), (thousandths, "厘"))]
    percent = (kanji_to_int(tenths) or 0) * 10 + places[0][0] + Fraction(places[1][0], 10)
    return f"{_digits(tenths)}割{''.join(f'{count}{unit}' for count, unit in places if count)}＝{_decimal(percent)}%"


def _everyday_words(words: str) -> str:
    """Counter words as they are typed today: か月 for 箇月 and ヶ月, 歳 for 才, % for パーセント."""
    return re.sub("パーセント|％", "%", re.sub(f"{_KA}(?=[月年所国])", "か", words)).replace("才", "歳")


def _digits(number: str, *, by_places: bool = False) -> str:
    """A number in digits, with 万 and above as words; empty where it is none.

    Two places without a zero count only where it is known that places are meant, as in dates of an era (平成一一年):
    elsewhere 二三日 is two or three days.
    """
    whole, point, places = number.partition("・")
    value = kanji_to_int(whole)
    if value is None or (number == "〇" and not point):
        return ""
    if not by_places and len(whole) == 2 and all(character in _ONES for character in whole):
        return ""
    words = ""
    for unit_value, unit in _LARGE_UNITS:
        words += f"{value // unit_value}{unit}" if value >= unit_value else ""
        value %= unit_value
    return (words + str(value) if value or not words else words) + ("." + _ascii_places(places) if point else "")


def _value(number: str) -> Fraction | None:
    whole, _, places = number.partition("・")
    value = kanji_to_int(whole)
    if value is None:
        return None
    return value + Fraction(int(_ascii_places(places)), 10 ** len(places)) if places else Fraction(value)


def _decimal(number: Fraction) -> str:
    """A number whose denominator is a power of ten, without zeros at its end."""
    places = 0
    while (number * 10**places).denominator != 1:
        places += 1
    digits = str(int(number * 10**places)).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits
