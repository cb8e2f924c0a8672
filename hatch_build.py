"""Puts the manual page and the completions of shells into the wheel, made by the command itself as it is built."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PLACES = {
    "urlmend.cli.manual": "share/man/man1/urlmend.1",
    "urlmend.cli.manual bash": "share/bash-completion/completions/urlmend",
    "urlmend.cli.manual zsh": "share/zsh/site-functions/_urlmend",
    "urlmend.cli.manual fish": "share/fish/vendor_completions.d/urlmend.fish",
}
"""What writes each file, and where it stands below the prefix of an installation: where man and the shells look."""


class SharedFiles(BuildHookInterface[Any]):
    """Makes the files in a temporary directory, and tells the wheel of them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files. An editable installation has none."""
        if version == "editable":
            return
        self._folder = Path(tempfile.mkdtemp())
        # pip hands the packages that a build asks for on by PYTHONPATH.
        paths = [str(Path(self.root) / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
        for module, place in PLACES.items():
            command = [sys.executable, "-m", *module.split()]
            made = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)  # noqa: S603 -- ours
            file = self._folder / place.replace("/", "-")
            file.write_bytes(made.stdout)
            build_data["shared_data"][str(file)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 -- hatchling's
        """Remove what was made."""
        if version != "editable":
            shutil.rmtree(self._folder)
