"""The text itself, with each URL marked."""
