"""What every test may use: the `data` folder, fresh kernels, and one hypothesis profile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from miai.kernel import drop_stale_caches, notice

PROJECT = Path(__file__).resolve().parent.parent

settings.register_profile("miai", deadline=None)  # the first example may wait for a compiler
settings.register_profile("miai-ci", deadline=None, derandomize=True)
settings.load_profile("miai-ci" if os.environ.get("CI") else "miai")


def data_folder() -> Path:
    """The folder of corpora: `$MIAI_DATA`, else `../shared/data` beside the project. May not exist."""
    return Path(os.environ.get("MIAI_DATA") or PROJECT.parent / "shared" / "data")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of corpora; tests that ask for it are skipped where it is absent."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip(f"no corpora at {folder}: set MIAI_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def project() -> Path:
    """The root of the source tree, for tests that read README.md or examples/."""
    return PROJECT


def pytest_configure(config: pytest.Config) -> None:
    """Forget kernels older than the source: once, before xdist starts its workers."""
    notice.quiet = True  # whether something compiles during a test is luck; what it prints is not
    in_worker = hasattr(config, "workerinput")
    if not in_worker:
        drop_stale_caches()
