"""Networks: what they read, how they are run, and those that ship. Start at `runtime`."""
