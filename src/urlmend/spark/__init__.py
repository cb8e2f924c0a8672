"""The URLs of texts, mail and web archives on Apache Spark (the extra `spark`), with the schema of `urlmend.arrow`.

The workers need `urlmend[spark]` too, and find the files under the same names.
"""

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Unpack

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from urlmend.arrow import SCHEMA, Options, extract_batches, job_of, schema_for
from urlmend.reading import Job
from urlmend.sources.containers import batches
from urlmend.spark.files import WEB_ARCHIVES, InputFile, below, ranges_of, rows_of, unpacked

RANGE_SIZE = 1 << 26
"""The approximate size of a task, in bytes of an mbox or of small files together."""


def extract(df: DataFrame, text: str = "text", keep: Sequence[str] = ("id",), **options: Unpack[Options]) -> DataFrame:
    """Return a row for each URL in the column *text* of *df*: the columns *keep*, then `urlmend.arrow.SCHEMA`.

    The arguments are those of `urlmend.arrow.extract_batches`. Spark raises for a column of another type when it makes
    the rows.
    """
    job_of(options)  # an invalid option raises here, not in a worker
    kept = schema_for(pa.schema([(name, pa.null()) for name in df.columns]), keep).names[: len(keep)]
    find = partial(extract_batches, text=text, keep=keep, **options)
    schema = StructType([*(df.schema[name] for name in kept), *from_arrow_schema(SCHEMA)])
    _use_this_python(df.sparkSession)
    return df.select(text, *(name for name in kept if name != text)).mapInArrow(find, schema)


def read_mail(
    spark: SparkSession, paths: str | Iterable[str], *, range_size: int = RANGE_SIZE, **options: Unpack[Options]
) -> DataFrame:
    """Return a row for each URL that `iter_urls` finds in the files at *paths*, each file by itself.

    The columns are `urlmend.arrow.SCHEMA`. A path names a file or a directory, or is a URL that pyarrow has a file
    system for (`s3://`, `gs://`, `hdfs://`, `file://`), or fsspec, where it is installed. *options* are those of
    `urlmend.arrow.Options`; `source` is the name of a source, `auto` by default. The workers have copies of a
    `selection`: messages without a date are left out, but not counted. If a file cannot be read to its end, the reason
    is logged, and with `rejects` it is a row. Other errors of reading fail the task.

    A task reads many small files, of about *range_size* bytes together. An uncompressed mbox or text larger than twice
    that is read in ranges, after one task has counted its messages and lines, in about an eighth of the time. So is a
    public-inbox, which is a directory on this machine and on the workers, where git is needed. Any other file is one
    task at most, archives and compressed files included.

    The workers run the Python that runs this function, unless `PYSPARK_PYTHON` or Spark's settings name another.
    """
    job = job_of(options, source="auto")
    return read(spark, below(paths, job.query.source_name), job, range_size)


def read_warc(
    spark: SparkSession, paths: str | Iterable[str], *, range_size: int = RANGE_SIZE, **options: Unpack[Options]
) -> DataFrame:
    """Return a row for each URL in the web archives (WARC, WET) at *paths*, as `read_mail` does."""
    options.setdefault("source", "warc")
    return read_mail(spark, paths, range_size=range_size, **options)


def read(spark: SparkSession, files: Iterable[InputFile], job: Job, range_size: int) -> DataFrame:
    """Return the rows of *files*, as `read_mail` does."""
    if range_size < 1:
        raise ValueError(f"range_size must be 1 or more, not {range_size}")
    _use_this_python(spark)
    tasks = list(batches(files, range_size, lambda file: file.size + 1))
    divided = 0 if job.query.source in WEB_ARCHIVES else sum(file.size // range_size for task in tasks for file in task)
    find_ranges = partial(ranges_of, tasks=tasks, size=range_size, query=job.query)
    numbers = spark.range(0, len(tasks), 1, max(1, len(tasks)))
    ranges = numbers.mapInArrow(find_ranges, "range binary").repartition(max(1, len(tasks) + divided))
    return ranges.mapInArrow(lambda batches: rows_of(unpacked(batches), job), from_arrow_schema(SCHEMA))


def _use_this_python(spark: SparkSession) -> None:
    """Have the workers run the Python that runs this, not Spark's default `python3`, unless another one is named."""
    # With Spark Connect there is no context here, and the server chooses the workers' Python.
    with suppress(PySparkException):
        context = spark.sparkContext
        if not (os.environ.get("PYSPARK_PYTHON") or context.getConf().contains("spark.pyspark.python")):
            context.pythonExec = sys.executable
