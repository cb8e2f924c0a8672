"""How far finding and mending look, and how long a URL may be: named limits, so that memory and time are bounded."""

MAX_URL_LENGTH = 65536
"""The longest URL, in characters. Servers commonly take 8 000, browsers 64 000 to 2 000 000; longer runs in text are
encoded data. A longer one is rejected with the rule `length`, never cut short."""

MAX_WRAPPER_SPAN = 8192
"""The longest inside of a wrapper or angle, with its breaks and page furniture: some 100 lines. A `<URL:` with no `>`
in this reach is rejected with the rule `length`, and its inside read as bare text."""

LOOKBACK = 1024
"""How far, in characters, a candidate sees the text on its left."""

LOOKAHEAD = 4096
"""How far, in characters, a candidate at a line's end sees the text after it: what a bare URL can be mended with."""

MOST_LEFT = 200
"""How much of the text on a URL's left, from the start of its line, a match keeps: enough for a leader."""
