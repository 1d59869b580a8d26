"""Reading where fonts are missing: in a namespace of its own in which the folders of fonts are empty."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rag_assets.sources.base import SAMPLE_DOCUMENTS
from rag_assets.sources.pdf.fonts import is_japanese
from rag_assets_tests.sources.pdf.pdf_maker import GOTHIC, LATIN, LEFT, TOP, PdfMaker

FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts")
READ = (
    "import sys; from rag_assets.sources.pdf.pages import read_pages; from rag_assets.sources.base import *\n"
    "try: print([line.text for page in read_pages(open(sys.argv[1], 'rb')) for line in page.lines])\n"
    "except DocumentError as error: print('REFUSED', error)\n"
)


def read_without_fonts(path: Path, *kept: str) -> str:
    """What reading prints where no font is installed but those in folders of these names."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("only unshare takes the fonts away")
    copies = path.parent / "fonts"
    for name in kept:
        for folder in FOLDERS:
            for found in Path(folder).glob(f"*/{name}"):
                shutil.copytree(found, copies / name)
    hide = "; ".join(f"if [ -d {folder} ]; then mount -t tmpfs none {folder}; fi" for folder in FOLDERS)
    keep = f"if [ -d {copies} ]; then cp -r {copies}/. {FOLDERS[0]}/; fi"
    command = f'{hide}; {keep}; HOME=/nonexistent exec "$0" -c "$1" "$2"'
    done = subprocess.run(
        ["unshare", "-rm", "bash", "-c", command, sys.executable, READ, str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare" in done.stderr or "mount" in done.stderr:
        pytest.skip(f"no namespace of its own is allowed here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout


def drawn_apart(path: Path) -> Path:
    """Figures drawn one by one, as many programs do, in a font that is not embedded."""
    maker = PdfMaker()
    for font, top in ((GOTHIC, TOP), ("HeiseiMin-W3", TOP + 20)):
        x = LEFT
        for piece in ("作業服は", "２", "年、靴は", "１", "年とする。"):
            maker.text(x, top, piece, font=font)
            x += 10 * len(piece)
    path.write_bytes(maker.file().getvalue())
    return path


@pytest.mark.parametrize("kept", [(), ("dejavu",), ("liberation",)])
def test_characters_that_would_get_lost_are_told_with_what_to_install(tmp_path: Path, kept: tuple[str, ...]) -> None:
    printed = read_without_fonts(drawn_apart(tmp_path / "規程.pdf"), *kept)
    assert printed.startswith("REFUSED")
    assert "page 1" in printed
    assert "HeiseiKakuGo-W5" in printed
    assert "HeiseiMin-W3" in printed
    assert "fonts-noto-cjk" in printed


def test_every_character_alone_is_told_too(tmp_path: Path) -> None:
    maker = PdfMaker()
    for index, character in enumerate("第一条この規程は定めを置く"):
        maker.text(LEFT + 10 * index, TOP, character)
    path = tmp_path / "a.pdf"
    path.write_bytes(maker.file().getvalue())
    assert "fonts-noto-cjk" in read_without_fonts(path)


@pytest.mark.parametrize("name", ["invoice_qa.pdf", "work_rules.pdf"])
def test_the_sample_is_read_whole_without_a_japanese_font(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    shutil.copy(SAMPLE_DOCUMENTS / name, path)
    assert not read_without_fonts(path).startswith("REFUSED")


def test_latin_text_needs_no_japanese_font(tmp_path: Path) -> None:
    maker = PdfMaker()
    for index, word in enumerate(("Work", " ", "rules", " ", "of", " ", "2024")):
        maker.text(LEFT + 40 * index, TOP, word, font=LATIN)
    path = tmp_path / "a.pdf"
    path.write_bytes(maker.file().getvalue())
    assert read_without_fonts(path).startswith("['Work")


@pytest.mark.parametrize(
    "name",
    ["MS-Mincho", "MS-PGothic", "HeiseiMin-W3", "Ryumin-Light", "GothicBBB-Medium", "ＭＳ 明朝", "KozMinPro", "Meiryo"],
)
def test_names_of_japanese_fonts(name: str) -> None:
    assert is_japanese(name)


@pytest.mark.parametrize("name", ["Helvetica", "CenturyGothic", "FranklinGothic-Book", "Minion", "Arial"])
def test_names_of_latin_fonts(name: str) -> None:
    assert not is_japanese(name)
