"""The two rules of RFC 822 and RFC 1036 that mailto and news URLs point to."""

import re

# RFC 822 section 3.3: an atom is any CHAR but specials, SPACE and CTLs.
_ATOM = r"[!#$%&'*+\-/0-9=?A-Z^_`a-z{|}~]+"
_QUOTED_STRING = r'"(?:[^"\\\r]|\\[\x00-\x7f])*"'
_DOMAIN_LITERAL = r"\[(?:[^\[\]\\\r]|\\[\x00-\x7f])*\]"
_WORD = rf"(?:{_ATOM}|{_QUOTED_STRING})"
_SUB_DOMAIN = rf"(?:{_ATOM}|{_DOMAIN_LITERAL})"
# RFC 822 section 6.1: addr-spec = local-part "@" domain
_ADDR_SPEC = rf"{_WORD}(?:\.{_WORD})*@{_SUB_DOMAIN}(?:\.{_SUB_DOMAIN})*"
# RFC 1036 section 2.1.5: "<unique@full_domain_name>", no blank and no "<" or ">" inside.
_MESSAGE_ID = r"<[^<>@\x00-\x20\x7f]+@[^<>@\x00-\x20\x7f]+>"


def is_addr_spec(address: str) -> bool:
    """Tell whether *address* is an addr-spec (RFC 822 section 6.1), in ASCII and without folding."""
    return address.isascii() and re.fullmatch(_ADDR_SPEC, address) is not None


def is_message_id(text: str) -> bool:
    """Tell whether *text*, angle brackets included, is a Message-ID (RFC 1036 section 2.1.5)."""
    return re.fullmatch(_MESSAGE_ID, text) is not None
