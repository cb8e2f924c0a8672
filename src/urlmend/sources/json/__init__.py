"""JSON (RFC 8259) and JSON lines: each string is a text of its own."""

import json
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

MAX_SIZE = 1 << 22
"""How many bytes of JSON are read as one value: a longer document, or line, is read as text."""

MAX_VALUES = 1 << 24
"""How many bytes the values of one document may take, about; one with more is read as text."""

# What Python takes for an empty list, a dictionary with a key, and any other value, in bytes.
_LIST, _DICTIONARY, _VALUE = 56, 184, 32


def loads(data: bytes) -> Any:  # noqa: ANN401 -- any JSON value
    """Return the value of the JSON text *data*; `ValueError` where it is none, or takes too much memory."""
    if len(data) > MAX_SIZE:
        message = f"longer than {MAX_SIZE} bytes"
        raise ValueError(message)
    size = data.count(b"[") * _LIST + data.count(b"{") * _DICTIONARY + data.count(b",") * _VALUE + len(data)
    if size > MAX_VALUES:
        message = f"its values take more than {MAX_VALUES} bytes"
        raise ValueError(message)
    try:
        return _fastest()(data)
    except (ValueError, RecursionError):
        pass
    # Half a surrogate pair is no error here.
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        message = f"no JSON: {error}"
        raise ValueError(message) from error


@cache
def _fastest() -> Callable[[bytes], Any]:
    """Return what reads JSON: orjson or msgspec where one is installed."""
    for module, name in (("orjson", "loads"), ("msgspec.json", "decode")):
        try:
            reads: Callable[[bytes], Any] = getattr(import_module(module), name)
        except ImportError:
            continue
        return reads
    return json.loads
