"""Records with digits beside their 漢数字, for variants that want them.

Which words of a record get digits belongs here; how a number is read, in `japanese/kanji_numbers.py`.
"""

from rag_assets.japanese.kanji_numbers import add_digits
from rag_assets.model import Block, Record, Section, TextBlock


def with_digits(record: Record) -> Record:
    """The record with digits beside the 漢数字 in its paragraphs, items, notes and table cells.

    What names things stays as it is: label, title, question, chapter, headings, table captions.
    """
    return record.model_copy(update={"sections": tuple(_section(section) for section in record.sections)})


def _section(section: Section) -> Section:
    return section.model_copy(update={"blocks": tuple(_block(block) for block in section.blocks)})


def _block(block: Block) -> Block:
    if isinstance(block, TextBlock):
        return block.model_copy(update={"text": add_digits(block.text)})
    cells = tuple(cell.model_copy(update={"text": add_digits(cell.text)}) for cell in block.cells)
    return block.model_copy(update={"cells": cells})
