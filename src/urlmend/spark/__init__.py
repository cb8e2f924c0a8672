"""The URLs of texts, mail and web archives on Apache Spark (the extra `spark`), under the schema of `urlmend.arrow`.

The workers need `urlmend[spark]` too, and the files under the same names.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Unpack

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from urlmend.arrow import SCHEMA, Options, extract_batches, query_of, schema_for
from urlmend.query import Query
from urlmend.spark.files import File, below
from urlmend.spark.ranges import MAY_BE_MBOX, WEB_ARCHIVES, Range, following, measured, rows_of

RANGE_SIZE = 1 << 26
"""How many bytes of an mbox, or of small files together, are one task, about."""


def extract(df: DataFrame, text: str = "text", keep: Sequence[str] = ("id",), **options: Unpack[Options]) -> DataFrame:
    """Return a row for each URL in the column *text* of *df*: the columns *keep*, then `urlmend.arrow.SCHEMA`.

    The rest is as in `urlmend.arrow.extract_batches`. A column of a wrong type raises when the rows are asked for.
    """
    query_of(options)  # a wrong option raises here, not in a worker
    kept = schema_for(pa.schema([(name, pa.null()) for name in df.columns]), keep).names[: len(keep)]
    find = partial(extract_batches, text=text, keep=keep, **options)
    schema = StructType([*(df.schema[name] for name in kept), *from_arrow_schema(SCHEMA)])
    _use_this_python(df.sparkSession)
    return df.select(text, *(name for name in kept if name != text)).mapInArrow(find, schema)


def read_mail(
    spark: SparkSession, paths: str | Iterable[str], *, range_size: int = RANGE_SIZE, **options: Unpack[Options]
) -> DataFrame:
    """Return a row for each URL in the files at *paths*, those that `iter_urls` finds in each file by itself.

    The columns are `urlmend.arrow.SCHEMA`. A path names a file or a directory, or is a URL that pyarrow has a file
    system for (`s3://`, `gs://`, `hdfs://`, `file://`), or fsspec, where it is installed. *options* are those of
    `urlmend.arrow.Options`; `source` is the name of one, `auto` by default. Without `rejects`, the reason why a file
    could not be read to its end is only logged. Other errors of reading fail the task.

    A task reads many small files, of about *range_size* bytes together. An mbox larger than twice that is read in
    ranges of messages, unless it is compressed; each range is found by the task that reads it. Ranges are read twice,
    for 1.6 times the CPU: the first time finds what a range has to know of those before it, such as the number of its
    first message. A zip as large is read in ranges of members, and a public-inbox, a directory on this machine and the
    workers', for which these need git, in ranges of messages; these are read once. Each range of a zip has its own
    bounds (`urlmend.sources.containers`) and tells its own faults. Any other file is one task at most, a tar and
    a compressed one too.

    The workers run the Python that runs this, unless `PYSPARK_PYTHON` or Spark's own settings name another.
    """
    query = query_of(options, source="auto")
    return read(spark, below(paths, query.source_name), query, range_size, rejects=options.get("rejects", False))


def read_warc(
    spark: SparkSession, paths: str | Iterable[str], *, range_size: int = RANGE_SIZE, **options: Unpack[Options]
) -> DataFrame:
    """Return a row for each URL in the web archives (WARC, WET) at *paths*, as `read_mail` does."""
    query = query_of(options, source="warc")
    return read(spark, below(paths), query, range_size, rejects=options.get("rejects", False))


def read(spark: SparkSession, files: Iterable[File], query: Query, range_size: int, *, rejects: bool) -> DataFrame:
    """Return the rows of *files*, as `read_mail` does."""
    if range_size < 1:
        message = f"range_size must be 1 or more, not {range_size}"
        raise ValueError(message)
    _use_this_python(spark)
    ranges, others = _parted(files, query.source_name, range_size)
    schema = from_arrow_schema(SCHEMA)
    rows = _each(spark, partial(rows_of, query=query, rejects=rejects), others, schema)
    if not ranges:
        return rows
    # Each range gets to know those before it: files side by side, each file's ranges in order.
    known = (
        _each(spark, partial(measured, source=query.source_name), ranges, "file long, at long, range binary")
        .repartition("file")
        .sortWithinPartitions("file", "at")
        .mapInArrow(following, "range binary")
    )
    return rows.union(known.repartition(len(ranges)).mapInArrow(partial(_ranges, query=query, rejects=rejects), schema))


def _use_this_python(spark: SparkSession) -> None:
    """Have the workers run the Python that runs this, unless somebody has named one: Spark's default is `python3`."""
    # With Spark Connect there is no context here, and the workers' Python is the server's.
    with suppress(PySparkException):
        context = spark.sparkContext
        if not (os.environ.get("PYSPARK_PYTHON") or context.getConf().contains("spark.pyspark.python")):
            context.pythonExec = sys.executable


def _parted(files: Iterable[File], source: str, size: int) -> tuple[list[Range], list[list[Range]]]:
    """Return ranges of the large files, each by the place alone, and what is read whole, by task. No file is opened."""
    ranges: list[Range] = []
    others: list[list[Range]] = []
    left = 0
    for number, file in enumerate(files):
        if file.size > 2 * size and source not in WEB_ARCHIVES:
            places = range(0, file.size if source in MAY_BE_MBOX and not file.is_inbox else 1, size)
            ranges += (Range(file, number, at, min(at + size, file.size), size=size) for at in places)
            continue
        if left < file.size or not left:
            others.append([])
            left = size
        others[-1].append(Range(file, number))
        left = max(0, left - file.size - 1)
    return ranges, others


def _each(spark: SparkSession, function: Callable[..., Iterator[Any]], tasks: list[Any], schema: Any) -> DataFrame:  # noqa: ANN401 -- a schema or its description
    """Return the batches that *function* makes of each of *tasks*. Each is a task of Spark's."""
    numbers = spark.range(0, len(tasks), 1, max(1, len(tasks)))
    return numbers.mapInArrow(partial(_mapped, function, tasks), schema)


def _mapped(function: Callable[..., Iterator[Any]], tasks: list[Any], batches: Iterable[Any]) -> Iterator[Any]:
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from function(tasks[number])


def _ranges(batches: Iterable[Any], query: Query, *, rejects: bool) -> Iterator[Any]:
    for batch in batches:
        yield from rows_of(Range.unpacked(batch), query, rejects=rejects)
