"""miai: is this group alive, what is this move worth, where would a strong player play next."""

__version__ = "0.1.0"
