"""How the messages of a public-inbox stand behind each other in the file that they are read from."""

FRAME = "#! public-inbox "
"""What begins the line before a message: `!` and its commit, behind an epoch's name, its type and its length follow."""
