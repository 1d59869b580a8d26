"""What a reader sees in the fields of a form: typed words, ticked boxes, the choice of a list."""

from bs4 import Tag

from rag_assets.japanese.whitespace import one_line

FIELDS = frozenset({"input", "select", "textarea"})
EMPTY_FIELD = "（空欄）"
"""Stands where a field has nothing in it: a reader sees that something is to be filled in."""

_MARKS = {"checkbox": ("☐", "☑"), "radio": ("○", "◉")}
_WITHOUT_VALUE = frozenset({"hidden", "submit", "reset", "button", "image", "file", "range", "color"})
_UNREADABLE = "password"


def field_words(field: Tag) -> str:
    """The words that a field shows; a box is shown as ☑ or ☐."""
    if field.name == "select":
        return _choice(field)
    if field.name == "textarea":
        return one_line(field.get_text()) or EMPTY_FIELD
    kind = str(field.get("type", "text")).strip().lower()
    if kind in _WITHOUT_VALUE:
        return ""
    if kind in _MARKS:
        return _MARKS[kind][field.has_attr("checked")]
    value = one_line(str(field.get("value", "")))
    return value if value and kind != _UNREADABLE else EMPTY_FIELD


def _choice(field: Tag) -> str:
    """The option chosen, which is the first where none is; of a list that stands open, every option with its mark."""
    options = field.find_all("option")
    chosen = [option for option in options if option.has_attr("selected")]
    size = str(field.get("size", "1")).strip()
    if field.has_attr("multiple") or (size.isdigit() and int(size) > 1):
        words = (f"{_MARKS['checkbox'][option in chosen]}{_option_words(option)}" for option in options)
        return "、".join(words) or EMPTY_FIELD
    shown = chosen[-1:] or options[:1]
    return (_option_words(shown[0]) if shown else "") or EMPTY_FIELD


def _option_words(option: Tag) -> str:
    return one_line(option.get_text() or str(option.get("label", "")))
