"""Does the training loop wait for its data?

The network that ships is trained for a minute from one archive, with a teacher, as `configs/miai.toml`
says; into a folder that is thrown away. The first steps are not counted: kernels load, threads start.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from harness import Row, report
from miai.train.config import load
from miai.train.fit import fit

PROJECT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("MIAI_DATA") or PROJECT.parent / "shared" / "data")
WARM, STEPS = 4, 60
WAITING = 5.0  # %


def main() -> bool:
    os.environ["MIAI_DATA"] = str(DATA)
    with tempfile.TemporaryDirectory() as folder:

        def settings(steps: int, batch: int) -> list[str]:
            return [
                f"fit.out={folder}",
                f"fit.positions={steps * batch}",
                f'data.games=["{DATA}/games/train-00.sgf.xz"]',
                "data.validation=[]",
                'init.checkpoint=""',  # what it begins from does not change the time it takes
                "fit.checkpoint_minutes=1000",
            ]

        path = PROJECT / "configs" / "miai.toml"
        batch = load(path).fit.batch
        before = fit(load(path, settings(WARM, batch)))
        after = fit(load(path, settings(WARM + STEPS, batch)), resume=True)
    seconds, waited = after.seconds - before.seconds, after.waited - before.waited
    positions = after.positions - before.positions
    rows = [
        Row(work="time spent waiting for data", ours=100 * waited / seconds, unit="%", ceiling=WAITING),
        Row(work="learning", ours=positions / seconds, unit="positions/s"),
    ]
    return report("Training the network that ships", rows)


if __name__ == "__main__":
    raise SystemExit(not main())
