"""Finding candidates: where a URL may be, and where it ends."""
