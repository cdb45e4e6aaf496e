"""The extras of the package, named where what they install is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Name the extra that installs what an import lacks. `what` needs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f'{what} needs {error.name}, which is not installed (pip install "doublecross[{name}]")'
        raise ModuleNotFoundError(message, name=error.name) from error
