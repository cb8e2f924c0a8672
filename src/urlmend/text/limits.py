"""Limits on how far finding and mending look and on how long a URL may be. They bound memory and time."""

MAX_URL_LENGTH = 65536
"""The longest URL, in characters. Servers commonly accept 8,000, browsers 64,000 to 2,000,000; longer runs of text are
encoded data. A longer URL is rejected with the rule `length`, never truncated."""

MAX_WRAPPER_SPAN = 8192
"""The longest content of a wrapper or of angle brackets, with its line and page breaks: about 100 lines. A `<URL:` with
no `>` within this distance is rejected with the rule `length`, and what follows it is read as bare text."""

LOOKBACK = 1024
"""How many characters before a candidate are examined."""

LOOKAHEAD = 4096
"""How many characters after a candidate at a line end are examined: the most that can be joined to a bare URL."""

MOST_BESIDE = 200
"""How many characters a match keeps of the text before its URL in the line, and of the text after it."""

MAX_HOST = 253
"""The longest host name, in characters, without its final dot (RFC 1035 section 2.3.4)."""
