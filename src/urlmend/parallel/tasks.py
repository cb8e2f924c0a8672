"""What there is to do: the files in order, in splits or small ones together."""

import os
import stat
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from urlmend.parallel.splits import SPLIT_SIZE, Split, inbox_splits, splits
from urlmend.sources import SourceError
from urlmend.sources.git import packed_size

LEAST_SIZE = 1 << 23
"""How many bytes are worth other processes, which take as long to start as it takes to read about half of these."""


class Item(NamedTuple):
    """One thing to do for the *number*th file: a split, or none where the file is to be read here.

    It has so many bytes; if it is a range of a zip, the zip has.
    """

    number: int
    name: str | None
    split: Split | None = None
    error: OSError | None = None
    size: int = 0
    is_inbox: bool = False


Task = list[Item]
"""What is to be done in one go: a split of a file, or small files together."""


def tasks(names: Iterable[str | None], source: str) -> Iterator[Task]:
    """Yield what there is to do for the files called *names*."""
    small: Task = []
    size = 0
    for item, item_size in _items(names, source):
        if item.split is None or not _is_whole(item.split) or size + item_size > SPLIT_SIZE:
            if small:
                yield small
            small, size = [], 0
        if item.split is None or not _is_whole(item.split):
            yield [item]
        else:
            small.append(item)
            size += item_size
    if small:
        yield small


def _is_whole(split: Split) -> bool:
    return not (split.is_split or split.entries or split.tar or split.messages)


def _items(names: Iterable[str | None], source: str) -> Iterator[tuple[Item, int]]:
    sized = _sized(names)
    first: list[tuple[Item, int]] = []
    total = 0
    for item, size in sized:
        first.append((item, size))
        total += max(size, 0)
        if total >= LEAST_SIZE:
            break
    else:
        yield from first
        return
    for item, size in chain(first, sized):
        if item.name is None or size < 0:
            yield item, 0
        elif size < 2 * SPLIT_SIZE and not item.is_inbox:
            yield item._replace(split=Split(item.name, item.name, source), size=size), size
        else:
            try:
                for split in (inbox_splits if item.is_inbox else splits)(item.name, item.name, source):
                    yield item._replace(split=split, size=min(split.stop, size) - split.at), size
            except SourceError as error:
                yield item._replace(error=error), 0


def _sized(names: Iterable[str | None]) -> Iterator[tuple[Item, int]]:
    """Yield the files, each with its size; -1 for what is to be read here."""
    number = 0
    names = iter(names)
    while True:
        number += 1
        try:
            name = next(names, "")
        except OSError as error:
            yield Item(number, None, error=error), -1
            return
        if name == "":
            return
        yield _with_size(Item(number, name))


def _with_size(item: Item) -> tuple[Item, int]:
    if item.name is None:
        return item, -1
    try:
        status = os.stat(item.name)  # noqa: PTH116 -- names are as they were given
        if stat.S_ISDIR(status.st_mode):
            return item._replace(is_inbox=True), packed_size(item.name) or -1
    except OSError:
        return item, -1  # opening it tells why
    return item, status.st_size if stat.S_ISREG(status.st_mode) else -1
