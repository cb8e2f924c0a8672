"""`python -m urlmend` is the command `urlmend`."""

from urlmend.cli import main

main(prog_name="urlmend")
