"""Full and half width: one form of a text for looking at, in which every character keeps its place."""

_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


def half_width(text: str) -> str:
    """A text with digits, Latin letters and signs in half width; ① and 【】 stay, and so does every position."""
    return text.translate(_HALF_WIDTH)
