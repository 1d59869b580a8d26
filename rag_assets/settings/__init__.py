"""The settings of a run: options, environment variables and one settings file, checked before anything starts.

`options.py` is the table of them. What a setting does is done where it is used, not here.
"""

from rag_assets.settings.messages import SettingsError
from rag_assets.settings.model import Settings
from rag_assets.settings.reading import load_settings

__all__ = ["Settings", "SettingsError", "load_settings"]
