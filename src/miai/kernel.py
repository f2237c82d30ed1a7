"""The decorators of every compiled loop, and the voice that says when something compiles.

`@kernel` is Numba's `njit` with caching on and the interpreter lock released. The first call of a
kernel on a new machine compiles it, which takes seconds; a line on standard error says so, so that
nobody waits in silence. With `NUMBA_DISABLE_JIT=1` the same source runs as plain Python.
`@leaf` and `@inlined` are for the small ones that others call all the time.

Numba notices when the file of a kernel changes, but not when a kernel it calls changes in another
file. `drop_stale_caches` closes that gap for people who edit the source: the test suite and
`miai warmup` call it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"  # then Numba is not even imported

if PLAIN:
    np.seterr(over="ignore")  # hashes may wrap round
else:
    import numba
    from numba.core import event

    types: Any = numba.types

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parent


def kernel(function: F, **options: Any) -> F:
    """Compile `function` on first use and keep the result on disk."""
    return function if PLAIN else with_plain_numbers(numba.njit(cache=True, nogil=True, **options)(function))


def with_plain_numbers(dispatcher: Any) -> Any:
    """Let kernels that call this one see one version of it, in which every whole number has 64 bits.

    Numba would compile a version for each literal and each width, a dozen of the larger kernels. What is
    unsigned and wide stays so: it is a hash, or an index.
    """
    for_types = dispatcher.get_call_template

    def plain(kind: Any) -> Any:
        kind = types.unliteral(kind)
        return types.int64 if isinstance(kind, types.Integer) and kind.bitwidth < 64 else kind

    def get_call_template(args: Any, kws: Any) -> Any:
        return for_types(tuple(map(plain, args)), {name: plain(kind) for name, kind in kws.items()})

    dispatcher.get_call_template = get_call_template
    return dispatcher


def leaf(function: F) -> F:
    """A kernel that makes no array, not even a view of one, and so needs no reference counts.

    Numba counts a reference, atomically, for each array of a tuple of arrays on each call; without that,
    moves on a board cost a third. A kernel that slices or allocates does not compile this way: use `kernel`.
    """
    return kernel(function, _nrt=False)


def inlined(function: F) -> F:
    """A leaf that is copied into its callers: handing over a tuple of arrays can cost more than the work."""
    if PLAIN:
        return function
    compiled: F = numba.njit(cache=True, nogil=True, _nrt=False, forceinline=True)(function)
    return compiled


def written_out(function: F) -> F:
    """A shorthand that is written out where it is used: the only kind that may return a view of an array."""
    if PLAIN:
        return function
    compiled: F = numba.njit(inline="always")(function)
    return compiled


def as_records(array: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """An array of records as kernels want it, whose fields are attributes: plain Python must be told."""
    return array.view(np.dtype((FieldsFirst, array.dtype))) if PLAIN else array


class FieldsFirst(np.record):  # type: ignore[misc]  # only the stubs call it final
    """A record in which a field `size` is the field, not NumPy's attribute."""

    def __getattribute__(self, name: str) -> Any:
        get = super().__getattribute__
        return self[name] if name in (get("dtype").names or ()) else get(name)


class CompileNotice:
    """Says once, on standard error, that kernels are being compiled. A listener of Numba's."""

    def __init__(self) -> None:
        self.compiled = 0
        self.quiet = False

    def notify(self, happened: Any) -> None:
        if not happened.is_start:
            return
        if self.compiled == 0 and not self.quiet:
            print("miai: compiling for this machine, once; this takes a moment …", file=sys.stderr)
        self.compiled += 1


notice = CompileNotice()
if not PLAIN:
    event.Listener.register(CompileNotice)  # an ABC: it is one without inheriting, so without Numba too
    event.register("numba:compile", notice)


def drop_stale_caches() -> int:
    """Remove compiled kernels that are older than any source file; return how many were removed.

    So are those older than an array that is compiled into them (`*.npz`).
    """
    sources = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.npz")]
    newest = max(path.stat().st_mtime for path in sources)
    caches = [*PACKAGE.rglob("*.nbi"), *PACKAGE.rglob("*.nbc")]
    if all(path.stat().st_mtime >= newest for path in caches):
        return 0
    for path in caches:
        path.unlink(missing_ok=True)
    return len(caches)
