"""The room of players; random games (`rollout`) are its first piece."""
