"""The command under test, in this process or in one of its own, and the rows of its databases."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, sleep
from typing import IO, Any

from click.testing import CliRunner, Result

from terminal import heed_signals
from urlmend.cli import main

COMMAND = (sys.executable, "-m", "urlmend")


def run(*args: str | Path, stdin: str | bytes = b"") -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(main, [str(arg) for arg in args], input=stdin)


def spawn(*args: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":
    """Run the command in a process of its own."""
    return subprocess.run([*COMMAND, *args], capture_output=True, check=False, timeout=60, **options)  # noqa: S603


class Started(subprocess.Popen[bytes]):
    """The command in a process of its own, with a pipe for each stream that is not given; signals are heeded."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def __init__(self, *args: str | Path, **options: Any) -> None:
        streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        super().__init__([*COMMAND, *args], preexec_fn=heed_signals, **(streams | options))

    def give(self, data: bytes) -> None:
        """Write *data* to its standard input."""
        self.stdin.write(data)
        self.stdin.flush()


AS_NOBODY = """
import importlib.resources, os, sys, tempfile
from urlmend import find_urls
from urlmend.cli import main
with tempfile.TemporaryDirectory() as warm:  # what is imported late may be out of nobody's reach
    main(["harvest", "-q", sys.argv[2], "-o", f"{warm}/db"], standalone_mode=False)
    main(["--format", "csv", "-o", os.devnull, "--rejects", os.devnull, sys.argv[2]], standalone_mode=False)
if os.getuid() == 0:
    os.setuid(65534)
os.chdir(sys.argv[1])
main(sys.argv[3:])
"""


def as_nobody(folder: Path, warm: Path, *args: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run the command in *folder* as a user who owns nothing; *warm* is a file that is read first."""
    command = [sys.executable, "-c", AS_NOBODY, *map(str, (folder, warm, *args))]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603


def children(process: int) -> list[int]:
    """Return the processes that *process* has started, as Linux tells in files."""
    tasks = Path(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def is_running(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_until(is_so: Callable[[], object]) -> None:
    """Wait until *is_so*; fail after a minute."""
    start = monotonic()
    while not is_so():
        assert monotonic() - start < 60
        sleep(0.01)


def ask(database: Path | str, sql: str) -> list[Any]:
    """Return the rows of a query."""
    with closing(sqlite3.connect(database)) as db:
        return db.execute(sql).fetchall()
