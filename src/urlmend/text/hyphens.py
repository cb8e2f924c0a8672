"""The hyphens that a line break may have added, or shown."""

HYPHENS = ("-", "\u2010")
"""Seen: a URL torn behind one may have it or not (RFC 1738, appendix)."""

SOFT_HYPHEN = "\u00ad"
"""Seen only where a line breaks: no URL has it."""
