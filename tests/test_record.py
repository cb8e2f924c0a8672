"""The record: `URLMatch.as_dict` keeps to the table of fields, in every format."""

import json
from pathlib import Path

from urlmend import iter_urls
from urlmend.output.record import FIELDS, NAMES

SAMPLES = Path(__file__).parent.parent / "corpora" / "samples"
TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "strings": list, "breaks": list}


def test_the_names_and_types_are_those_of_the_table() -> None:
    records = [match.as_dict() for match in iter_urls(SAMPLES)]
    for record in records:
        assert tuple(record) == NAMES
        for field in FIELDS:
            value = record[field.name]
            assert field.absent if value is None else type(value) is TYPES[field.type]
    assert json.loads(json.dumps(records)) == records
    assert len(records) > 1200
