"""The endgame: what a move is worth, exactly where the region is closed. Start at `values.py`."""
