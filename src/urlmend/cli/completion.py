"""The completion of a shell, as a file that it finds by itself: `python -m urlmend.cli.completion bash|zsh|fish`."""

import sys

from click.shell_completion import get_completion_class

from urlmend.cli import main
from urlmend.output.files import utf8

SHELLS = ("bash", "zsh", "fish")


def completion(shell: str) -> str:
    """Return the script with which *shell*, one of SHELLS, completes the command."""
    made = get_completion_class(shell)
    if made is None:
        message = f"no completion for {shell!r}: {', '.join(SHELLS)}"
        raise ValueError(message)
    complete = made(main, {}, "urlmend", "_URLMEND_COMPLETE")
    # `source` of bash's would run bash to learn its version; the script is made here for another machine.
    return (complete.source_template % complete.source_vars()).lstrip("\n")


if __name__ == "__main__":
    utf8(sys.stdout).write(completion(*sys.argv[1:]))
