"""Question -> the words that are searched for.

Belongs here: taking off what makes a sentence a question. What it takes off says nothing of the matter asked about;
a word that could be part of the matter stays.
"""

import re
import unicodedata

_SHORTEST = 4
"""Characters that have to remain after taking off an ending: 「何？」 is better searched for as it is."""

_NUMBER_NAME = re.compile(r"(?:コード|(?<![A-Za-z])[Nn][Oo]\.?)\s*(?=\d{3,5}(?:-\d+)?(?!\d))")
_PUNCTUATION = re.compile(r"[\s?!。．.、,…~〜]+$")
_TOPIC = r"(?:(?<![ぁ-ん])とは|(?<![ぁ-ん])って|(?<=の)って|というのは)"
_COPULA = r"(?:なの|なん)?(?:でしょうか?|です(?:か(?:ね|な)?)?|か(?:な)?)?"
_ENDINGS = tuple(
    re.compile(pattern + "$")
    for pattern in (
        r"(?:を|について|に関して)?(?:教えて|おしえて|知りたい|聞きたい|伺いたい)"
        r"(?:(?:くだ|下)さい(?:ませんか)?|(?:いただけ|もらえ)ま(?:す|せん)か|ほしい|欲しい)?(?:(?:の|ん)?です(?:が)?)?",
        r"(?:という)?の?(?:は|って)(?:本当|ほんとう|ほんと)" + _COPULA,
        _TOPIC + r"(?:何|なに|なん)(?:の(?:こと|事))?" + _COPULA,
        _TOPIC + r"(?:どういう(?:こと|もの|意味)|どんな(?:こと|もの))" + _COPULA,
        _TOPIC,
        r"(?:の|ん)?(?:でしょうか|ですか|だろうか)(?:ね|な)?",
        r"(?:(?<=ます)|(?<=ません))か(?:ね|な)?",
        r"は",
        r"(?<=[うくぐすつぬぶむるいた])の",
    )
)


def normalize_question(question: str) -> str:
    """The question as it is embedded: NFKC, without white space and punctuation at its ends.

    The ending itself stays: the sentence encoder takes the mood of a sentence well, and on the questions at hand
    trimming more found less. A question of punctuation only is returned as it is.
    """
    text = unicodedata.normalize("NFKC", question).strip()
    return _PUNCTUATION.sub("", text) or text


def trim_question(question: str) -> str:
    """The question as it is looked up in the full-text index: normalized, and without its question ending.

    「…って？」「…とは」「…は？」「…でしょうか」「…を教えてください」 and the like are taken off from the end, as
    often as there is one. What is left is a beginning of `normalize_question(question)`, never shorter than four
    characters unless the question is.
    """
    text = normalize_question(question)
    while (shorter := _without_ending(text)) != text:
        text = shorter
    return text


def search_words(question: str) -> str:
    """What is looked up in the full-text index: the trimmed question, of 「コード4161」 or "No.4161" the bare number.

    Articles call themselves No.4161, and each other コード4161: the word before the number, left in, finds those that
    only refer to it.
    """
    return _NUMBER_NAME.sub(" ", trim_question(question)).strip()


def _without_ending(text: str) -> str:
    for ending in _ENDINGS:
        shorter = _PUNCTUATION.sub("", ending.sub("", text))
        if shorter != text and len(shorter) >= _SHORTEST:
            return shorter
    return text
