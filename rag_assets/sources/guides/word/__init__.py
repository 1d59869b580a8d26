"""Word documents (.docx, .docm) as a person sees them in Word: changes accepted, comments left out."""

from rag_assets.sources.guides.word.reader import read_word

__all__ = ["read_word"]
