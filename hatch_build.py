"""Adds the manual page and the completions of shells to the wheel, and compiled modules where URLMEND_COMPILE is set.

The command itself makes the page and the completions, as the wheel is built. With `URLMEND_COMPILE=1` in the
environment mypyc compiles the modules that take the time, from the same files; `MYPYC_OPT_LEVEL=0` is for tests.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACES = {
    "man": "share/man/man1/urlmend.1",
    "bash": "share/bash-completion/completions/urlmend",
    "zsh": "share/zsh/site-functions/_urlmend",
    "fish": "share/fish/vendor_completions.d/urlmend.fish",
}
"""Who reads each file, man or a shell, and where it looks below the prefix of an installation."""

COMPILED = (
    *("record.py", "resolver.py", "stream.py", "output/records.py", "output/tables.py", "output/database/[!_]*.py"),
    *("mend/[!_]*.py", "scan/[!_]*.py", "sources/[!_]*.py", "text/[!_]*.py"),
)
"""The modules to compile, below src/urlmend: those that every text, or every row, goes through.

All others stay Python. Those with public names (`Scanner`, `parse`, `URLMatch`, URLs and profiles) keep their
docstrings and messages, and objects that can be copied, pickled and inspected. The rest has little to do for a URL.
"""

INTERPRETED = {
    # Data.
    "mend/model.py",
    # Subclasses of OSError, and objects that are pickled.
    "output/database/harvest.py",
    "output/database/schema.py",
    "sources/compression.py",
    "sources/git.py",
    "sources/origin.py",
    "sources/public_inbox.py",
    # An object that gets its methods as they are asked for.
    "text/patterns.py",
    # Asked once for each file, or each member of an archive.
    "sources/archives.py",
    "sources/containers.py",
    "sources/directories.py",
    "sources/recognise.py",
}
"""The modules among COMPILED that stay Python all the same."""

COMPILER = ["mypy[mypyc]~=2.4.1", "setuptools>=77", "types-regex"]
"""What compiling needs. The version of mypy is that of `urlmend[dev]`."""


def is_compiling() -> bool:
    """Return whether the environment asks for the compiled package."""
    return os.environ.get("URLMEND_COMPILE", "0") not in {"", "0"}


def build(extensions: list[Any], folder: Path) -> Path:
    """Compile *extensions* below *folder*. Return the folder with the libraries."""
    from setuptools import Distribution  # noqa: PLC0415 -- installed only where it is needed

    command = Distribution({"name": "urlmend", "ext_modules": extensions}).get_command_obj("build_ext")
    command.build_lib = str(folder / "lib")
    command.build_temp = str(folder / "temp")
    command.ensure_finalized()
    command.run()
    return folder / "lib"


def require_compiler(folder: Path) -> None:
    """End the build with one line unless C that uses Python can be compiled here."""
    from setuptools import Extension  # noqa: PLC0415 -- installed only where it is needed
    from setuptools.errors import BaseError, CCompilerError  # noqa: PLC0415 -- likewise

    source = folder / "probe.c"
    source.write_text("#include <Python.h>\nPyMODINIT_FUNC PyInit_probe(void) { return NULL; }\n")
    try:
        build([Extension("probe", [str(source)])], folder / "probe")
    except (BaseError, CCompilerError) as error:
        message = " ".join(str(error).split())
        sys.exit(f"URLMEND_COMPILE is set, but there is no C compiler here that works: {message}")


def compile_modules(folder: Path) -> Path:
    """Compile the modules below *folder*. Return the folder with the libraries."""
    from mypyc.build import mypycify  # noqa: PLC0415 -- installed only where it is needed

    package = Path("src", "urlmend")
    paths = [path for pattern in COMPILED for path in sorted(package.glob(pattern))]
    wanted = [str(path) for path in paths if path.relative_to(package).as_posix() not in INTERPRETED]
    # In one group: a call from one group to another is as slow as one of interpreted code.
    extensions = mypycify(
        [str(package / "__init__.py"), *wanted],
        only_compile_paths=wanted,
        opt_level=os.environ.get("MYPYC_OPT_LEVEL", "3"),
        debug_level="0",
        multi_file=True,
        group_name="urlmend",
        target_dir=str(folder),
    )
    # mypyc 2.4 takes the length of data[2:1] for -1, and raises a SystemError.
    source = folder / "bytes_ops.c"
    fault, mended = "slice_len = endn - startn;", "slice_len = endn > startn ? endn - startn : 0;"
    source.write_text(source.read_text().replace(fault, mended))
    return build(extensions, folder)


class Hook(BuildHookInterface[Any]):
    """Makes the files in a temporary directory, and adds them to the wheel. An editable installation has none."""

    def dependencies(self) -> list[str]:
        """Return what the build imports: compiling reads all of the package, the manual page only the command."""
        needed = self.metadata.core.dependencies
        return [*COMPILER, *needed] if is_compiling() else [one for one in needed if one.startswith("click")]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files."""
        if version == "editable":
            return
        self._folder = Path(tempfile.mkdtemp())
        self._share(build_data)
        if is_compiling():
            require_compiler(self._folder)
            libraries = compile_modules(self._folder)
            for path in libraries.rglob("*.*"):
                build_data["force_include"][str(path)] = path.relative_to(libraries).as_posix()
            build_data["pure_python"] = False
            build_data["infer_tag"] = True

    def _share(self, build_data: dict[str, Any]) -> None:
        # By the current folder, and not by PYTHONPATH: pip takes what is installed editably off the path of a build.
        where = Path(self.root, "src")
        for reader, place in PLACES.items():
            command = [sys.executable, "-m", "urlmend.cli.manual" if reader == "man" else "urlmend"]
            env = os.environ | {"PYTHONSAFEPATH": "", "_URLMEND_COMPLETE": f"{reader}_source"}
            made = subprocess.run(command, cwd=where, env=env, stdout=subprocess.PIPE, check=True)  # noqa: S603 -- ours
            file = self._folder / place.replace("/", "-")
            file.write_bytes(made.stdout)
            build_data["shared_data"][str(file)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 -- hatchling's
        """Remove what was made."""
        if version != "editable":
            shutil.rmtree(self._folder)
