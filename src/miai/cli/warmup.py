"""The command `miai warmup`: compiles what every room says it will need, and says so."""

from __future__ import annotations

import sys
import time
from importlib import import_module
from importlib.util import find_spec

import typer

ROOMS_WITH_KERNELS = ("go", "nets", "life", "endgame", "play")  # in this order
CLEAR_LINE = "\r\033[K"


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command()(warmup)


def warmup() -> None:
    """Compile once, so that nothing waits later."""
    from miai import kernel

    started = time.perf_counter()
    kernel.drop_stale_caches()
    kernel.notice.quiet = True  # the line below says more
    live = sys.stderr.isatty()
    for room in ROOMS_WITH_KERNELS:
        if find_spec(f"miai.{room}") is None or find_spec(f"miai.{room}.warm") is None:
            continue
        for name, step in import_module(f"miai.{room}.warm").STEPS.items():
            if live:
                print(
                    f"{CLEAR_LINE}miai: compiling for this machine: {room}, {name} …", end="", file=sys.stderr
                )
            step()
    done = (
        f"compiled in {time.perf_counter() - started:.0f} s"
        if kernel.notice.compiled
        else "nothing to compile"
    )
    print(f"{CLEAR_LINE if live else ''}miai: ready, {done}", file=sys.stderr)
