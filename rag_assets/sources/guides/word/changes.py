"""The XML of a part as a person sees it with all changes accepted: deleted words out, wrappers open, one alternative.

How what is left becomes words belongs to `text.py`.
"""

from rag_assets.sources.guides.office_package import Element, choose_alternatives, unwrap
from rag_assets.sources.guides.word.names import W, is_on, read_value

_REMOVED = tuple(W + name for name in ("del", "moveFrom"))
_WRAPPERS = tuple(W + name for name in ("ins", "moveTo", "smartTag", "customXml", "hyperlink", "dir", "bdo"))
_PROPERTIES = frozenset(W + name for name in ("rPr", "trPr", "numPr", "tcPr"))
"""Where the names of changes only say that the row, mark or number is new or deleted."""
_SHOWN = tuple(W + name for name in ("t", "sym", "drawing", "pict", "object", "footnoteReference", "tab", "instrText"))


def accept_changes(root: Element) -> int:
    """Rewrite a part in place: every change accepted, wrappers opened, one of several alternatives kept.

    Tables of contents stay wrapped (`is_contents`), so that they can be left out as a whole.

    Returns:
        How many fields showed only the prompt that asks to fill them in; the prompts are taken out.
    """
    choose_alternatives(root)
    for element in list(root.iter(*_REMOVED)):
        parent = element.getparent()
        if parent is not None and parent.tag not in _PROPERTIES:
            parent.remove(element)
    for row in list(root.iter(W + "tr")):
        properties = row.find(W + "trPr")
        if properties is not None and properties.find(W + "del") is not None:
            row.getparent().remove(row)
    for cell in list(root.iter(W + "tc")):
        properties = cell.find(W + "tcPr")
        if properties is not None and properties.find(W + "cellDel") is not None:
            cell.getparent().remove(cell)
    for element in list(root.iter(*_WRAPPERS)):
        if element.getparent() is not None and element.getparent().tag not in _PROPERTIES:
            unwrap(element, element)
    prompts = _open_content_controls(root)
    _join_paragraphs(root)
    _drop_unpaired_fields(root)
    return prompts


def is_contents(control: Element) -> bool:
    """Whether a content control is the frame that Word puts around a table of contents."""
    part = control.find(f"{W}sdtPr/{W}docPartObj")
    return (read_value(part, "docPartGallery") or "").lower() in ("table of contents", "tables of contents")


def _open_content_controls(root: Element) -> int:
    prompts = 0
    for control in list(root.iter(W + "sdt")):
        content = control.find(W + "sdtContent")
        if is_on(control.find(W + "sdtPr"), "showingPlcHdr") and content is not None:
            prompts += 1
            for run in list(content.iter(W + "r")):
                run.getparent().remove(run)
        if not is_contents(control) and control.getparent() is not None:
            unwrap(control, content)
    return prompts


def _join_paragraphs(root: Element) -> None:
    """Join a paragraph whose end is deleted with the next one; one without any words leaves the next as it is."""
    for paragraph in reversed(list(root.iter(W + "p"))):
        mark = paragraph.find(f"{W}pPr/{W}rPr")
        if mark is None or all(mark.find(removed) is None for removed in _REMOVED):
            continue
        following = paragraph.getnext()
        follows = following is not None and following.tag == W + "p"
        if next(paragraph.iter(*_SHOWN), None) is None:
            if follows or paragraph.getparent().tag != W + "tc":
                paragraph.getparent().remove(paragraph)
        elif follows:
            paragraph.extend(child for child in list(following) if child.tag != W + "pPr")
            following.getparent().remove(following)


def _drop_unpaired_fields(root: Element) -> None:
    """Take out the marks of fields that do not begin or end: they would hide the rest of the document."""
    begun: list[list[Element]] = []
    unpaired: list[Element] = []
    for mark in root.iter(W + "fldChar"):
        kind = mark.get(W + "fldCharType")
        if kind == "begin":
            begun.append([mark])
        elif not begun:
            unpaired.append(mark)
        elif kind == "end":
            begun.pop()
        else:
            begun[-1].append(mark)
    unpaired += [mark for marks in begun for mark in marks]
    for mark in unpaired:
        mark.getparent().remove(mark)
