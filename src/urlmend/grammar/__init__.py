"""RFC 1738's grammar: its rules, the named departures from them, and the parser that both make."""

import sys

from urlmend.grammar import diagnosis

# Pickles of 0.2.0 name the module that the error was in then, and may be the first to import anything of the package.
sys.modules["urlmend.grammar.errors"] = diagnosis
