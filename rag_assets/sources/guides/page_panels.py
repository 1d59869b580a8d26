"""What a click opens on a web page: panels of accordions and tabs, with the buttons that are their titles.

A reader of the page gets to see them, as with `details`, so they are text. Styles of panels differ from site to site;
what says that something opens is `aria-controls` and `aria-expanded`, see
https://www.w3.org/WAI/ARIA/apg/patterns/accordion/.
"""

from bs4 import Tag

from rag_assets.sources.guides.unmarked_headings import HEADINGS

_OPENED = "display: block; visibility: visible; opacity: 1; height: auto; max-height: none"


def open_panels(body: Tag) -> None:
    """Show what buttons and tabs of the page open, and make titles of the buttons."""
    by_name = {str(element["id"]): element for element in body.find_all(id=True)}
    for control in body.find_all(["button", "a", "div", "li", "span"]):
        panel = _find_panel(control, by_name)
        if panel is None or not panel.get_text(strip=True) or any(each is panel for each in control.parents):
            continue
        panel["style"] = _OPENED
        for attribute in ("hidden", "aria-hidden"):
            del panel[attribute]
        if control.name == "button":
            control.name = "span" if control.find_parent(HEADINGS) else "div"


def _find_panel(control: Tag, by_name: dict[str, Tag]) -> Tag | None:
    """What a control opens: the element it names, or the next one where it only says that it opens something."""
    controlled = str(control.get("aria-controls") or "")
    if control.get("role") == "tab" and not controlled:
        link = control if control.name == "a" else control.find("a")
        controlled = str(link.get("href") or "").removeprefix("#") if isinstance(link, Tag) else ""
    if controlled:
        return by_name.get(controlled)
    if control.name != "button" or not control.has_attr("aria-expanded"):
        return None
    titled = control.find_parent(HEADINGS) or control
    return titled.find_next_sibling()
