"""Law XML as it arrives: parsed safely, taken out of the response it is wrapped in, with what that says of the edition.

What stands in the articles, and what becomes of it, does not belong here.
"""

import datetime
import re
from dataclasses import dataclass
from typing import Any, BinaryIO

from rag_assets.sources.base import DocumentError
from rag_assets.sources.file_kinds import HTML, JSON, as_law, file_kind
from rag_assets.sources.law.law_ids import REVISION_ID

Element = Any
"""An lxml element; lxml has no types of its own."""

_REMEDY = (
    "Download the law as XML again from https://laws.e-gov.go.jp, or give its law ID (such as 322AC0000000049) instead."
)
_CURRENT = frozenset({"", "None", "CurrentEnforced"})


@dataclass(frozen=True, slots=True)
class LawEdition:
    """A law and what its response or file name tells of it.

    Attributes:
        law: The `Law` element.
        law_id: Its ID at e-Gov; empty where nothing tells it.
        enforced_on: The day from which this edition is in force, where something tells it.
        status: Why this edition may not be the law in force, in e-Gov's word (Repeal, UnEnforced); empty where it is.
    """

    law: Element
    law_id: str
    enforced_on: datetime.date | None
    status: str


def open_law(file: BinaryIO, *names: str | None) -> LawEdition:
    """The law in a file: bare standard XML, or a response of the law API, version 1 or 2.

    Neither entities nor external files are expanded, and nothing is fetched.

    Args:
        file: The bytes.
        names: Paths and URLs it is known by: a file name of e-Gov tells law ID and enforcement date.

    Raises:
        DocumentError: It is no law; the message says what it is instead, and what to do.
    """
    root = _parse(file)
    law = next((element for element in root.iter() if local_name(element) == "Law"), None)
    if law is None:
        raise DocumentError(_explain_no_law(root))
    named = next((match for name in names if name and (match := re.search(REVISION_ID, name))), None)
    told = {local_name(element): (element.text or "").strip() for element in root.iter() if len(element) == 0}
    day = told.get("amendment_enforcement_date") or law.get("EnforcementDate") or (named["enforced"] if named else "")
    statuses = (told.get("repeal_status", ""), told.get("current_revision_status", ""))
    return LawEdition(
        law=law,
        law_id=told.get("law_id") or told.get("LawId") or law.get("LawId") or (named["law_id"] if named else ""),
        enforced_on=_day(day),
        status=next((status for status in statuses if status not in _CURRENT), ""),
    )


def local_name(element: Element) -> str:
    """An element's name without its namespace; empty for comments and processing instructions."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _parse(file: BinaryIO) -> Element:
    from lxml import etree

    # The parser's own limits on depth and size stay on: a law needs neither.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        tree = etree.parse(file, parser)
    except etree.XMLSyntaxError as error:
        # Its own words end in the name of the file, which is a hash here.
        raise DocumentError(_explain_not_xml(file, error.msg)) from error
    grammar = tree.docinfo.internalDTD
    defines = grammar is not None and next(iter(grammar.iterentities()), None) is not None
    # An entity that is only referred to would be left out of the text without a word.
    if defines or next(tree.getroot().iter(etree.Entity), None) is not None:
        raise DocumentError(f"The XML has entities of its own, which law XML never has: it is not read. {_REMEDY}")
    return tree.getroot()


def _explain_not_xml(file: BinaryIO, fault: str) -> str:
    """What a file is instead of XML, and where it belongs."""
    file.seek(0)
    kind = file_kind(file)
    if kind is None:
        return f"This is a file of another kind, not law XML ({fault}). {_REMEDY}"
    advice = "ask the law API for response_format=xml and law_full_text_format=xml" if kind == JSON else as_law(kind)
    return f"This is {kind.name}, and not well-formed XML ({fault}); {advice}. For a law: {_REMEDY}"


def _explain_no_law(root: Element) -> str:
    if local_name(root).lower() == "html":
        return f"This is {HTML.name}, not law XML; {as_law(HTML)}. {_REMEDY}"
    told = {local_name(element).lower(): (element.text or "").strip() for element in root.iter() if len(element) == 0}
    answer = " ".join(filter(None, (told.get("code"), told.get("message"))))
    if answer:
        return f"The law API answered with an error instead of a law: {answer}. Check the law ID."
    return f"The XML holds no Law element (its root is <{local_name(root)}>): this is not law XML. {_REMEDY}"


def _day(text: str) -> datetime.date | None:
    digits = re.sub("[^0-9]", "", text)
    try:
        return datetime.datetime.strptime(digits, "%Y%m%d").date() if len(digits) == 8 else None
    except ValueError:
        return None
