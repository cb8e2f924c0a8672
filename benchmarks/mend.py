"""The cost of mending: list mail scanned with join="evident" and join="none", alternating in one run.

usage: URLMEND_SHARED=DIR python -m benchmarks.mend, from the root of a checkout
"""

import io
import statistics
import time

from benchmarks.count_departures import corpus_files

from urlmend import iter_urls
from urlmend.query import Join

ROUNDS = 15


def seconds(data: bytes, join: Join) -> float:
    """Return how long one scan of *data* takes."""
    start = time.perf_counter()
    for _ in iter_urls(io.BytesIO(data), source="text", join=join):
        pass
    return time.perf_counter() - start


def main() -> None:
    """Print both rates and the ratio of the two, pair by pair."""
    data = b"".join(path.read_bytes() for path in corpus_files("mail/mbox"))
    seconds(data, "evident")
    pairs = [(seconds(data, "evident"), seconds(data, "none")) for _ in range(ROUNDS)]
    evident, none = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratios = sorted(with_mending / without for with_mending, without in pairs)
    print(f"{len(data) / 1e6:.1f} MB of list mail, {ROUNDS} pairs")
    print(f"mending {len(data) / 1e6 / evident:.1f} MB/s, not mending {len(data) / 1e6 / none:.1f} MB/s")
    print(f"ratio of times: {ratios[0]:.3f} to {ratios[-1]:.3f}, median {statistics.median(ratios):.3f}")


if __name__ == "__main__":
    main()
