"""The line end: LF, CRLF or CR, each one line end."""

import re

EOL = r"(?>\r\n|\r|\n)"
"""The pattern of a line end. It is atomic: a CRLF is one, and its `\\n` is never a blank line behind a `\\r`."""

LINE_END = re.compile(EOL)
