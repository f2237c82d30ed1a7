"""The endgame: what a move is worth. Start at `whole` for a board, at `local` for one region, exactly."""
