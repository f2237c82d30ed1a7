"""miai: is this group alive, what is this move worth, where would a strong player play next."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from miai.life.solve import solve as solve

__version__ = "0.1.0"

_ELSEWHERE = {"solve": "miai.life.solve"}  # loaded when somebody asks: it needs Numba


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        return getattr(import_module(_ELSEWHERE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["__version__", "solve"]
