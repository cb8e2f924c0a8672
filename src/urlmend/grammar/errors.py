"""The one exception that parsing raises."""


class URLSyntaxError(ValueError):
    """A text is not a URL under the profile it was parsed with.

    `rule` is the BNF rule that could not go on (RFC 1738 section 5), `text` the whole text, `pos` the index in
    characters from 0 of the first character with which no URL can go on; it is `len(text)` where the text is too short.
    `expected` says in words what could have stood there. `str()` of the error shows a caret under the place.

    >>> from urlmend import parse
    >>> try:
    ...     parse("http://a.example/ b")
    ... except URLSyntaxError as error:
    ...     print(error.rule, error.pos, repr(error.text[error.pos]))
    httpurl 17 ' '
    """

    def __init__(self, rule: str, text: str, pos: int, expected: str = "") -> None:
        super().__init__(rule, text, pos, expected)
        self.rule = rule
        self.text = text
        self.pos = pos
        self.expected = expected

    def __str__(self) -> str:
        found = f"unexpected {self.text[self.pos]!r}" if self.pos < len(self.text) else "unexpected end"
        expected = f", expected {self.expected}" if self.expected else ""
        start = max(0, self.pos - 60)
        shown = self.text[start : self.pos + 20]
        # One column a character whatever the character is: the caret must stand under the fault.
        line = "".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in shown)
        return f"{self.rule}: {found} at {self.pos}{expected}\n  {line}\n  {' ' * (self.pos - start)}^"
