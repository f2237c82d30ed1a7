"""Who may import whom: the arrows of the design, checked on every import statement of the source.

A *room* is a package or module directly under `miai`. Imports inside functions and under
`TYPE_CHECKING` count like any other; the one exception is that the command line may import `train` inside a
function, so that the command line starts without torch.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).resolve().parent.parent / "src"

SURFACES = {"gtp", "analysis", "web", "files"}
THINKING = {"go", "nets", "life", "endgame", "play"}

MAY_IMPORT = {
    "kernel": set(),
    "addresses": set(),
    "go": set(),
    "files": {"go"},
    "nets": {"go"},
    "life": {"go", "nets"},
    "endgame": {"go", "nets", "life"},
    "play": {"go", "nets"},
    "gtp": THINKING | SURFACES,
    "analysis": THINKING | SURFACES,
    "web": THINKING | SURFACES,
    "cli": THINKING | SURFACES,
    "train": THINKING | SURFACES | {"cli"},
    "__init__": {"life"},  # lazily: `from miai import solve`
    "__main__": {"cli"},
}
EVERYONE_MAY_IMPORT = {"kernel", "addresses", "__init__"}
LAZILY = {("cli", "train")}
ONLY_TRAIN = "torch"


class Arrow(NamedTuple):
    """One import of one module, where it stands, and whether it waits for a function call."""

    file: Path
    line: int
    module: str
    lazy: bool


def imports_in(file: Path, package: list[str]) -> Iterator[Arrow]:
    """Every absolute module name that `file`, a module of `package`, imports."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Arrow]:
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Arrow(file, node.lineno, alias.name, lazy)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                yield Arrow(file, node.lineno, f"{base}.{alias.name}", lazy)
        elif isinstance(node, ast.Call) and node.args:
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            name = node.args[0]
            if called in {"import_module", "__import__"} and isinstance(name, ast.Constant):
                yield Arrow(file, node.lineno, str(name.value), lazy)
        inside = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inside)

    yield from visit(ast.parse(file.read_text(encoding="utf-8")), lazy=False)


def room_of(file: Path, miai: Path) -> str:
    return file.relative_to(miai).parts[0].removesuffix(".py")


def wrong_arrows(source: Path) -> list[str]:
    """A sentence for each import under `source` that the design does not allow."""
    miai = source / "miai"
    files = sorted(miai.rglob("*.py"))
    rooms = {room_of(file, miai) for file in files}
    wrong = [f"{room}: not a room of the design" for room in sorted(rooms - MAY_IMPORT.keys())]
    for file in files:
        room = room_of(file, miai)
        package = list(file.relative_to(source).parent.parts)
        for arrow in imports_in(file, package):
            where = f"{file.relative_to(source)}:{arrow.line}"
            top, *rest = arrow.module.split(".")
            if top == ONLY_TRAIN and room != "train":
                wrong.append(f"{where}: {room} imports {ONLY_TRAIN}; only train may")
            if top != "miai":
                continue
            # `from miai import __version__` names no room: it reads miai/__init__.py
            target = rest[0] if rest and rest[0] in rooms | MAY_IMPORT.keys() else "__init__"
            if target == room or target in EVERYONE_MAY_IMPORT | MAY_IMPORT.get(room, set()):
                continue
            if (room, target) in LAZILY:
                if not arrow.lazy:
                    wrong.append(f"{where}: {room} imports {target} at the top; only inside a function")
                continue
            wrong.append(f"{where}: {room} imports {target}")
    return wrong


def test_source_follows_the_design() -> None:
    assert list((SOURCE / "miai").rglob("*.py"))
    assert not wrong_arrows(SOURCE), "\n".join(wrong_arrows(SOURCE))


ARROWS = [
    ("go/board.py", "from miai.kernel import kernel", None),
    ("go/board.py", "from miai import __version__", None),
    ("go/board.py", "from . import coords", None),
    ("go/board.py", "from miai.life import search", "go imports life"),
    ("go/board.py", "from ..life import search", "go imports life"),
    ("go/deep/inner.py", "from ...life import search", "go imports life"),
    ("go/board.py", "from miai import life", "go imports life"),
    ("go/board.py", "def late():\n    import miai.life.search", "go imports life"),
    ("go/board.py", "import importlib\nimportlib.import_module('miai.life')", "go imports life"),
    ("endgame/local.py", "from miai.life import search", None),
    ("life/search.py", "from miai.endgame import local", "life imports endgame"),
    ("play/tree.py", "from miai.life import search", "play imports life"),
    ("gtp.py", "from miai.play import player", None),
    ("gtp.py", "from miai import cli", "gtp imports cli"),
    ("nets/runtime.py", "import torch.nn", "nets imports torch"),
    ("train/fit.py", "import torch\nfrom miai.web import server", None),
    ("cli/train.py", "def fit():\n    from miai.train import fit", None),
    ("cli/train.py", "from miai.train import fit", "cli imports train at the top"),
    ("cli/train.py", "def fit():\n    import torch", "cli imports torch"),
    ("web/server.py", "def fit():\n    from miai.train import fit", "web imports train"),
    ("kernel.py", "from miai.go import board", "kernel imports go"),
    ("attic.py", "", "attic: not a room"),
]


@pytest.mark.parametrize(("path", "text", "complaint"), ARROWS)
def test_the_walker_sees(path: str, text: str, complaint: str | None, tmp_path: Path) -> None:
    file = tmp_path / "miai" / path
    file.parent.mkdir(parents=True)
    file.write_text(text)
    wrong = wrong_arrows(tmp_path)
    if complaint is None:
        assert not wrong
    else:
        assert len(wrong) == 1
        assert complaint in wrong[0]


STARTS_LIGHT = """
import sys
sys.argv = ["miai", *sys.argv[1:]]
from miai.cli import main
try:
    main()
except SystemExit as exit:
    assert not exit.code, exit.code
heavy = {"numba", "onnxruntime", "torch"} & sys.modules.keys()
sys.exit(f"imported {sorted(heavy)}" if heavy else 0)
"""


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_start_light(option: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [sys.executable, "-c", STARTS_LIGHT, option],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
