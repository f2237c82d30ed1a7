"""What commands print and write: text for the screen's encoding, files that can be written, progress bars."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from miai.files import InputError

BAD_INPUT = 2  # the exit code
SIGNS = "●○·△▲"  # of a position as text, where it may be more than ASCII


def can_print(signs: str = SIGNS) -> bool:
    """Does the encoding of standard output have these signs?"""
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def write(text: str, out: Path | None) -> None:
    """To a file, or to standard output."""
    if out is None:
        sys.stdout.write(text)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise not_writable(out, error) from error


def check_writable(*paths: Path | None) -> None:
    """Complain of files that cannot be written before the work is done, not an hour later."""
    for path in paths:
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            reason = "is a directory" if path.is_dir() else f"there is no folder {path.parent}"
            raise InputError(str(path), f"cannot be written: {reason}")


def not_writable(out: Path, error: OSError) -> InputError:
    return InputError(str(out), f"cannot be written: {(error.strerror or str(error)).lower()}")


@contextmanager
def progress(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A bar on standard error where somebody watches; gives what is to be told of each advance."""
    if total < 2 or not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import Progress

    # Rich would send what is printed meanwhile to standard error: right on a screen, wrong for `> file`
    with Progress(console=Console(stderr=True), redirect_stdout=sys.stdout.isatty()) as bar:
        task = bar.add_task(what, total=total)
        yield lambda count: bar.advance(task, count)
