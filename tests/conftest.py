"""What holds for all tests.

One that fails, or takes too long, ends the processes that it started. One that replaces parts of a compiled module is
skipped.
"""

import gc
import subprocess
import sys
from collections.abc import Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Any

import pytest


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Do not import the modules of tests/slow unless slow tests are selected."""
    return True if collection_path.name == "slow" and config.option.markexpr == "not slow" else None


def pytest_collection_finish() -> None:
    gc.freeze()  # modules and tests stay to the end: no collection need look at them


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
        patched.delenv("PYTHONDONTWRITEBYTECODE", raising=False)  # else each would compile the package anew
        yield


@pytest.fixture(autouse=True, scope="session")
def _compiled_code_stays() -> Iterator[None]:
    """Skip a test that replaces a part of a compiled module: compiled code does not look there again."""
    replace = pytest.MonkeyPatch.setattr

    def replace_or_skip(patch: pytest.MonkeyPatch, target: Any, *rest: Any, **options: Any) -> None:
        name = target.rpartition(".")[0] if isinstance(target, str) else getattr(target, "__module__", "")
        module = sys.modules.get(name, target)
        if str(getattr(module, "__file__", "")).endswith(tuple(EXTENSION_SUFFIXES)):
            pytest.skip("replaces a part of a compiled module")
        replace(patch, target, *rest, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(pytest.MonkeyPatch, "setattr", replace_or_skip)
        yield
