"""What `miai warmup` runs in this room: see `miai.go.warm`."""

from __future__ import annotations

from miai.endgame.local import compiled

STEPS = {"local games": compiled}
