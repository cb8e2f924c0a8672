"""What the processes of find write themselves, which leaves this one to pass it on."""

from io import StringIO
from typing import TYPE_CHECKING, Any

from urlmend.cli.selection import Selection
from urlmend.cli.writers import FindOptions, printing_writer
from urlmend.output import PassingWriter
from urlmend.parallel.recorder import Written

if TYPE_CHECKING:
    from urlmend.match import URLMatch


class Printing:
    """Makes text of matches as *options* say, in any process; standard output is no terminal."""

    def __init__(self, options: FindOptions) -> None:
        self._options = options
        self._out = StringIO()
        self._selection = Selection(options.criteria)
        writer = printing_writer(options, self._out)
        assert isinstance(writer, PassingWriter)  # noqa: S101 -- it is for mypy
        self._writer = writer
        writer.pass_on("")  # the line of names, which whoever passes this on has written
        self._taken()

    def __reduce__(self) -> Any:  # noqa: ANN401 -- as pickle has it
        return Printing, (self._options,)

    def __call__(self, matches: "list[URLMatch]") -> Written:
        """Return what is written of *matches*."""
        wanted = [match for found in self._selection.wanted([matches]) for match in found]
        for match in wanted:
            self._writer.write(match)
        return Written(self._taken(), len(wanted))

    def _taken(self) -> str:
        """Return what is written, and forget it."""
        text = self._out.getvalue()
        self._out.seek(0)
        self._out.truncate()
        return text
