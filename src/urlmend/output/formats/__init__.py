"""The formats of the output, one module each."""
