"""`ui`: Dagster's UI over the same home folder."""

import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from rag_assets.settings import SettingsError
from rag_assets.settings.table import SETTINGS

UI_PORT = 3000
"""Where Dagster's UI is unless told otherwise."""


def check_port(port: int) -> None:
    """Refuse a port that is taken.

    Dagster itself would stay alive without a page, and mind schedules beside whoever has the port.

    Raises:
        SettingsError: The port is taken, or not this user's to take.
    """
    with socket.socket() as probe:
        # As servers do: a port whose last connections are still closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise SettingsError(
                f"port {port} cannot be used ({error.strerror}): if the UI is open already, look there "
                f"(http://127.0.0.1:{port}); otherwise choose another with --port"
            ) from error


def open_ui(options: Mapping[str, object], port: int) -> NoReturn:
    """Become the Dagster UI over the home folder, with the settings of this command line."""
    # Dagster loads the definitions in processes of its own, which read the settings from the environment.
    os.environ |= {SETTINGS[name].variable: _to_variable(value) for name, value in options.items() if value is not None}
    command = Path(sys.executable).with_name("dg")
    os.execv(command, [str(command), "dev", "--module-name", "rag_assets.definitions", "--port", str(port)])


def _to_variable(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
