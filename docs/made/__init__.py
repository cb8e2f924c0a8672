"""The tables of the documents that the code knows."""
