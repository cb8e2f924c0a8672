"""Mending: whether a URL goes on in the next line, and the ways to join it."""
