"""Makes small PDFs for tests, in points from the page's upper left corner as the reading side has them."""

import io
from typing import Any

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

MINCHO, GOTHIC, LATIN = "HeiseiMin-W3", "HeiseiKakuGo-W5", "Helvetica"
_VERTICAL = f"{MINCHO}-vertical"
WIDTH, HEIGHT = 595.0, 842.0
LEFT, TOP = 80.0, 100.0
PITCH = 18.0
ASCENT = 0.88


class PdfMaker:
    """A PDF in the making. Text is drawn in the order of the calls."""

    def __init__(
        self, password: str = "", owner_password: str = "", size: tuple[float, float] = (WIDTH, HEIGHT)
    ) -> None:
        for font in (MINCHO, GOTHIC):
            pdfmetrics.registerFont(UnicodeCIDFont(font))
        upright = UnicodeCIDFont(MINCHO, isVertical=True)
        upright.fontName = upright.name = _VERTICAL
        pdfmetrics.registerFont(upright)
        encryption: Any = None
        if password or owner_password:
            encryption = StandardEncryption(password, owner_password or None, canPrint=0)
        self._buffer = io.BytesIO()
        self.size = size
        self.canvas = Canvas(self._buffer, pagesize=size, encrypt=encryption, pageCompression=1)

    def text(
        self, x: float, top: float, text: str, size: float = 10.0, font: str = MINCHO, spread: float = 0.0
    ) -> None:
        """Draw one line of text; `spread` is added between characters."""
        self.canvas.setFont(font, size)
        self.canvas.drawString(x, self.size[1] - top - ASCENT * size, text, charSpace=spread)

    def lines(self, *texts: str, x: float = LEFT, top: float = TOP, size: float = 10.0, pitch: float = PITCH) -> None:
        """Draw lines below each other."""
        for number, text in enumerate(texts):
            self.text(x, top + number * pitch, text, size)

    def vertical(self, x: float, top: float, text: str, size: float = 10.0) -> None:
        """Draw one line from top to bottom in a font for vertical lines."""
        self.canvas.setFont(_VERTICAL, size)
        self.canvas.drawString(x, self.size[1] - top, text)

    def rule(self, x0: float, top: float, x1: float, bottom: float) -> None:
        """Draw a ruling line."""
        self.canvas.setLineWidth(0.5)
        self.canvas.line(x0, self.size[1] - top, x1, self.size[1] - bottom)

    def grid(self, columns: list[float], rows: list[float]) -> None:
        """Draw all lines of a grid."""
        for x in columns:
            self.rule(x, rows[0], x, rows[-1])
        for y in rows:
            self.rule(columns[0], y, columns[-1], y)

    def picture(self, x0: float, top: float, x1: float, bottom: float) -> None:
        """Put a grey picture."""
        from PIL import Image

        image = ImageReader(Image.new("L", (8, 8), 128))
        self.canvas.drawImage(image, x0, self.size[1] - bottom, x1 - x0, bottom - top)

    def page_break(self) -> None:
        """Begin the next page."""
        self.canvas.showPage()

    def file(self) -> io.BytesIO:
        """The PDF, ready to be read; a last page without anything on it is no page."""
        self.canvas.save()
        self._buffer.seek(0)
        return self._buffer
