"""The SQLite database of a harvest."""
