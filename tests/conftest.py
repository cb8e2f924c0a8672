"""What holds for all tests: one that fails, or takes too long, ends the processes that it started."""

import subprocess
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(autouse=True, scope="session")
def _processes_end_with_their_test() -> Iterator[None]:
    """Kill a process when its `with` block raises: otherwise the end of the block waits for it without a limit."""
    leave = subprocess.Popen.__exit__

    def kill_and_leave(process: "subprocess.Popen[Any]", kind: type[BaseException] | None, *raised: Any) -> None:
        if kind is not None:
            process.kill()
        leave(process, kind, *raised)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(subprocess.Popen, "__exit__", kill_and_leave)
        yield
