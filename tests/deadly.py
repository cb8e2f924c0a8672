"""What ends the process that it is in. It imports little, as each process that gets it begins with that."""

import os
import signal
from collections.abc import Iterator

from urlmend import URLMatch
from urlmend.parallel import splits

DEADLY = "http://deadly.example/"


class Deadly:
    """Kills its process if it meets a URL; it takes the place of the command's chooser."""

    def __call__(self, matches: list[URLMatch]) -> list[URLMatch]:
        if any(match.url == DEADLY for match in matches):
            os.kill(os.getpid(), signal.SIGKILL)
        return matches


class DeadlyReader(splits.SplitReader):
    def pieces(self) -> Iterator[splits.Piece]:
        if str(self._split.path).endswith("list.mbox") and os.environ["READS_ON"] != str(os.getpid()):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().pieces()
