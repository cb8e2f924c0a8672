"""The URLs of texts, mail and web archives on Apache Spark (the extra `spark`), under the schema of `urlmend.arrow`.

The workers need `urlmend[spark]` too, and the files under the same names.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from urlmend.arrow import SCHEMA, extract_batches, schema_for
from urlmend.extract import Readable
from urlmend.grammar.profiles import WEB, Profile
from urlmend.resolver import Join, check_join
from urlmend.sources import Text, open_source
from urlmend.spark.files import File, below
from urlmend.spark.ranges import Range, Settings, following, is_mbox, measured, rows_of

RANGE_SIZE = 1 << 26
"""How many bytes of an mbox, or of small files together, are one task, about."""

_LOOKING = 32
"""How many files are looked at at a time, to see what they are."""


def extract(  # noqa: PLR0913 -- each is asked for by name
    df: DataFrame,
    text: str = "text",
    keep: Sequence[str] = ("id",),
    *,
    source: str | Callable[[Readable], Iterable[Text]] = "text",
    profile: Profile = WEB,
    join: Join = "evident",
    rejects: bool = False,
) -> DataFrame:
    """Return a row for each URL in the column *text* of *df*: the columns *keep*, then `urlmend.arrow.SCHEMA`.

    The rest is as in `urlmend.arrow.extract_batches`; what it raises of a column's type comes with the rows.
    """
    check_join(join)
    open_source(source)
    kept = schema_for(pa.schema([(name, pa.null()) for name in df.columns]), keep).names[: len(keep)]
    find = partial(extract_batches, text=text, keep=keep, source=source, profile=profile, join=join, rejects=rejects)
    schema = StructType([*(df.schema[name] for name in kept), *from_arrow_schema(SCHEMA)])
    return df.select(text, *(name for name in kept if name != text)).mapInArrow(find, schema)


def read_mail(  # noqa: PLR0913 -- each is asked for by name
    spark: SparkSession,
    paths: str | Iterable[str],
    *,
    source: str = "auto",
    profile: Profile = WEB,
    join: Join = "evident",
    rejects: bool = False,
    range_size: int = RANGE_SIZE,
) -> DataFrame:
    """Return a row for each URL in the files at *paths*, those that `iter_urls` finds in each file by itself.

    The columns are `urlmend.arrow.SCHEMA`. Paths are those of files and directories, or URLs of what pyarrow has a file
    system for (`s3://`, `gs://`, `hdfs://`, `file://`), or fsspec, where it is installed. *source* and the rest is as
    in `iter_urls`; *rejects* asks for rows of what is no URL, and of what ended a broken file, as in `extract_batches`;
    without it that is only logged. Other errors of reading fail the task.

    Small files are read many in a task, of about *range_size* bytes. An mbox larger than two of those is read in ranges
    of messages, unless it is compressed. They are read twice, for 1.6 times the CPU: what a range is to know of those
    before it, as the number of its first message, is found first.
    """
    return read(spark, below(paths), Settings(source, profile, join, rejects), range_size)


def read_warc(  # noqa: PLR0913 -- each is asked for by name
    spark: SparkSession,
    paths: str | Iterable[str],
    *,
    profile: Profile = WEB,
    join: Join = "evident",
    rejects: bool = False,
    range_size: int = RANGE_SIZE,
) -> DataFrame:
    """Return a row for each URL in the web archives (WARC, WET) at *paths*, as `read_mail` does."""
    return read(spark, below(paths), Settings("warc", profile, join, rejects), range_size)


def read(spark: SparkSession, files: Iterable[File], settings: Settings, range_size: int) -> DataFrame:
    """Return what `read_mail` does, of *files*."""
    check_join(settings.join)
    open_source(settings.source)
    if range_size < 1:
        message = f"range_size must be 1 or more, not {range_size}"
        raise ValueError(message)
    ranges, others = _parted(list(files), settings.source, range_size)
    schema = from_arrow_schema(SCHEMA)
    rows = _each(spark, partial(rows_of, settings=settings), others, schema)
    if not ranges:
        return rows
    # What each knows of those before it: files side by side, each file's ranges in order.
    known = (
        _each(spark, partial(measured, settings=settings), ranges, "file long, at long, range binary")
        .repartition("file")
        .sortWithinPartitions("file", "at")
        .mapInArrow(partial(following, settings=settings), "range binary")
    )
    return rows.union(known.repartition(len(ranges)).mapInArrow(partial(_ranges, settings=settings), schema))


def _parted(files: list[File], source: str, size: int) -> tuple[list[Range], list[list[Range]]]:
    """Return the ranges of the mboxes among *files* that have several, and what is read whole, by task."""
    large = [file for file in files if file.size > 2 * size]
    with ThreadPoolExecutor(_LOOKING) as pool:
        mboxes = {file for file, answer in zip(large, pool.map(partial(is_mbox, source), large), strict=True) if answer}
    ranges: list[Range] = []
    others: list[list[Range]] = []
    left = 0
    for number, file in enumerate(files):
        if file in mboxes:
            ranges += (Range(file, number, at, min(at + size, file.size)) for at in range(0, file.size, size))
            continue
        if left < file.size or not left:
            others.append([])
            left = size
        others[-1].append(Range(file, number))
        left = max(0, left - file.size - 1)
    return ranges, others


def _each(spark: SparkSession, function: Callable[..., Iterator[Any]], tasks: list[Any], schema: Any) -> DataFrame:  # noqa: ANN401 -- a schema or its description
    """Return the batches of *function* of each of *tasks*: one is one of Spark's."""
    numbers = spark.range(0, len(tasks), 1, max(1, len(tasks)))
    return numbers.mapInArrow(partial(_mapped, function, tasks), schema)


def _mapped(function: Callable[..., Iterator[Any]], tasks: list[Any], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from function(tasks[number])


def _ranges(batches: Iterable[Any], settings: Settings) -> Iterator[Any]:
    for batch in batches:
        yield from rows_of(Range.unpacked(batch), settings)
