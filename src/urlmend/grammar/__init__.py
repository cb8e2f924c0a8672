"""RFC 1738's grammar: its rules, the named departures from them, and the parser that both make."""
