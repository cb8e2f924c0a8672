"""A job that joins two harvests: the URLs in both, how often each occurs, and where it occurs first.

usage: python benchmarks/join_harvests.py OUT1 OUT2, two directories that `python -m urlmend.spark` has written

URLs are the same here where their characters are. Dates are those that the messages tell: UTC, as text, so that those
out of range harm nothing.
"""

import sys
from typing import Any

from pyspark.sql import DataFrame, SparkSession, functions as f


def linked(rows: DataFrame, name: str) -> DataFrame:
    """Return each URL of *rows* once, with its count and its first date; the names of the columns end with *name*."""
    # A date that is none sorts nowhere; what has no date counts all the same.
    date = f.try_to_timestamp("date")
    return rows.groupBy("url", "host").agg(
        f.count("*").alias(f"times_{name}"),
        f.min(date).alias(f"since_{name}"),
        f.min_by("source", date).alias(f"source_{name}"),
    )


def shared(first: DataFrame, second: DataFrame) -> DataFrame:
    """Return the URLs that both harvests have, the most linked first."""
    # Counted before the join: what is joined is one row a URL, however skewed the archives are.
    both = linked(first, "1").join(linked(second, "2").drop("host"), "url")
    return both.orderBy(f.desc(f.col("times_1") + f.col("times_2")), "url")


def main(first: str, second: str) -> None:
    """Print the URLs that are linked most in both harvests, and how many hosts they have."""
    spark: Any = SparkSession.builder.appName("join two harvests").getOrCreate()
    found = shared(spark.read.parquet(first), spark.read.parquet(second)).cache()
    found.show(20, truncate=60)
    print(f"{found.count()} URLs of {found.select('host').distinct().count()} hosts are in both")


if __name__ == "__main__":
    main(*sys.argv[1:])
