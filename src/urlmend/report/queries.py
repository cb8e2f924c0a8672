"""The queries of a report. `output/database/schema.sql` explains the columns."""

LEFT_OUT = "CREATE TEMP TABLE left_out (id INTEGER PRIMARY KEY)"
"""The ids of messages outside the selection, and 0, for text outside messages, if there is a selection."""

# A link that is repeated counts if the selection leaves out the messages that have it before.
_ONCE = """
CREATE TEMP VIEW {0} AS
SELECT * FROM main.{0} AS this
WHERE coalesce(message, 0) NOT IN left_out AND (NOT repeated OR EXISTS (SELECT 1 FROM left_out) AND NOT EXISTS (
    SELECT 1 FROM main.{0} AS earlier
    WHERE earlier.message_identity = this.message_identity AND earlier.{1} = this.{1}
        AND earlier.message < this.message AND earlier.message NOT IN left_out
))
"""
ONCE = (
    "CREATE TEMP VIEW message AS SELECT *, identity AS letter FROM main.message WHERE id NOT IN left_out",
    _ONCE.format("occurrence", "url"),
    _ONCE.format("reject", "text"),
)
"""Views of what counts, in which copies of a message are one. Messages with the same `letter` count as one."""
_COPY_ID = "message.id || ' ' || copy.id"
_EACH = """
CREATE TEMP TABLE {0} AS
SELECT {0}.id AS id, coalesce(message.source, {0}.source) AS source, message.id AS message, {1}
FROM main.{0} LEFT JOIN temp.message ON original = {0}.message
WHERE coalesce({0}.message, 0) NOT IN left_out
"""
EACH_COPY = (
    f"""
    CREATE TEMP TABLE message AS
    SELECT id, id AS letter, id AS original, source, identity, message_id, sent, author, subject
    FROM main.message WHERE id NOT IN left_out
    UNION ALL
    SELECT {_COPY_ID}, {_COPY_ID}, message.id, copy.source, identity, message_id, sent, author, subject
    FROM main.message JOIN copy ON copy.message IN (message.id, within) WHERE message.id NOT IN left_out
    """,  # noqa: S608 -- ours
    "CREATE INDEX temp.message_by_id ON message (id)",
    "CREATE INDEX temp.message_by_original ON message (original)",
    _EACH.format("occurrence", "url, part, form, readings, ambiguous, breaks, confidence, signature"),
    "CREATE INDEX temp.occurrence_by_url ON occurrence (url)",
    _EACH.format("reject", "raw, text, rule, pos"),
)
"""Tables of what counts, in which each copy is a message with the links and rejects of the one it is a copy of."""
LINKED = """
CREATE TEMP VIEW linked AS
SELECT
    occurrence.id AS id, occurrence.source AS source, key, counted.url AS url, scheme, host, form, part, signature,
    breaks, letter, identity, sent,
    CASE WHEN substr(sent, 1, 7) BETWEEN '{first}' AND '{last}' THEN substr(sent, 1, 10) END AS day
FROM counted JOIN occurrence ON occurrence.url = counted.id LEFT JOIN message ON message.id = occurrence.message
"""
"""A view of what counts, with the URL that each counts as, its message, and the day of that if it can be right."""
# One pass over all occurrences. Counts by month, scheme and form are made from the few rows of this table.
TALLY = """
CREATE TEMP TABLE tally AS
SELECT
    substr(day, 1, 7) AS month, sent IS NULL AS undated, scheme, form, breaks IS NOT NULL AS mended,
    breaks IS NOT NULL AND EXISTS (
        SELECT 1 FROM json_each(breaks)
        WHERE instr(json_extract(value, '$.removed'), char(10)) OR instr(json_extract(value, '$.removed'), char(13))
    ) AS broken,
    count(*) AS number
FROM linked
GROUP BY 1, 2, 3, 4, 5, 6
"""
TOTALS = """
SELECT
    (SELECT count(*) FROM source) AS sources,
    (SELECT count(*) FROM source WHERE NOT complete OR fault IS NOT NULL) AS unfinished,
    (SELECT count(DISTINCT letter) FROM message WHERE id IN (SELECT message FROM occurrence)) AS messages,
    (SELECT count(*) FROM copy WHERE message NOT IN left_out) + (
        SELECT count(*) - count(DISTINCT identity) FROM main.message WHERE digest IS NOT NULL AND id NOT IN left_out
    ) AS copies,
    coalesce(sum(number), 0) AS occurrences,
    (SELECT count(DISTINCT key) FROM counted WHERE id IN (SELECT url FROM occurrence)) AS urls,
    (SELECT count(DISTINCT host) FROM counted WHERE id IN (SELECT url FROM occurrence)) AS hosts,
    coalesce(sum(number * broken), 0) AS broken,
    coalesce(sum(number * (mended AND NOT broken)), 0) AS spaced,
    (SELECT count(*) FROM reject) AS rejected,
    (SELECT count(*) FROM reject WHERE instr(raw, char(10)) OR instr(raw, char(13))) AS torn,
    (SELECT count(*) FROM occurrence WHERE instr(breaks, '"hyphen":true')) AS hyphens,
    (SELECT count(*) FROM occurrence WHERE ambiguous AND instr(breaks, '"hyphen":true')) AS undecided,
    (SELECT count(*) FROM occurrence WHERE breaks IS NOT NULL AND confidence < :sure) AS doubtful,
    min(month) AS first, max(month) AS last,
    coalesce(sum(number * undated), 0) AS undated,
    coalesce(sum(number * (month IS NULL AND NOT undated)), 0) AS misdated,
    (SELECT min(substr(sent, 1, 10)) FROM message WHERE substr(sent, 1, 7) NOT BETWEEN :first AND :last) AS earliest,
    (SELECT max(substr(sent, 1, 10)) FROM message WHERE substr(sent, 1, 7) NOT BETWEEN :first AND :last) AS latest
FROM tally
"""
_BY_TIME = """
SELECT {} AS period, sum(number) AS occurrences, sum(number * broken) AS broken
FROM tally WHERE month IS NOT NULL GROUP BY 1 ORDER BY 1
"""
# A URL in a signature or header field is not shared: every message has it.
_LETTERS = """
count(DISTINCT CASE
    WHEN NOT signature AND (part IS NULL OR part NOT LIKE '%header:%')
    THEN coalesce(letter, 'file ' || source)
END)
"""
# Of a long line, `text_before` is the beginning.
_BEFORE = """coalesce(text_before, '') || CASE WHEN "column" > :most_left + 1 THEN '…' ELSE '' END"""
# Beside an aggregate min(), SQLite takes the other columns from the row that has the minimum.
_CASES = f"""
SELECT
    url.url AS url, coalesce(readings, json_array(url.url)) AS readings, ambiguous, confidence,
    {_BEFORE} AS before, coalesce(raw, url.url) AS raw, breaks, coalesce(text_after, '') AS after,
    times, shown(source.name) AS source, line, substr(sent, 1, 10) AS date, substr(subject, 1, 200) AS subject
FROM (
    SELECT occurrence.id AS shown, count(*) AS times, min({{shown}})
    FROM occurrence JOIN url ON url.id = occurrence.url
    WHERE {{which}} AND length(url.url) <= :longest_case
    GROUP BY {{case}} ORDER BY {{order}}, times DESC, shown LIMIT :{{most}}
)
JOIN main.occurrence ON occurrence.id = shown
JOIN url ON url.id = occurrence.url
JOIN source ON source.id = occurrence.source
LEFT JOIN message ON message.id = occurrence.message
ORDER BY {{order}}, times DESC, shown
"""  # noqa: S608 -- all of it is ours
_MESSAGES = f"""
SELECT
    substr(sent, 1, 10) AS date, substr(author, 1, 100) AS author, substr(subject, 1, 200) AS subject,
    shown(source.name) AS source, line, CASE WHEN length(message_id) < 1000 THEN message_id END AS message_id,
    substr({_BEFORE}, -100) AS before, substr(coalesce(raw, url.url), 1, :longest_case) AS raw,
    substr(coalesce(text_after, ''), 1, 100) AS after
FROM (
    SELECT min(id) AS shown, sent AS time, min(signature OR coalesce(part, '') LIKE '%header:%') AS beside
    FROM linked WHERE {{0}} = :{{0}} GROUP BY coalesce(identity, -source)
    ORDER BY beside, time IS NULL, time, shown LIMIT :most_messages
)
JOIN main.occurrence ON occurrence.id = shown
JOIN url ON url.id = occurrence.url
JOIN source ON source.id = occurrence.source
LEFT JOIN main.message ON message.id = occurrence.message
ORDER BY beside, time IS NULL, time, shown
"""  # noqa: S608 -- all of it is ours
MESSAGES_OF_HOST, MESSAGES_OF_URL = _MESSAGES.format("host"), _MESSAGES.format("key")
"""The first messages of a host, and of a URL; those that have it in their signature or header only come last.

With `EACH_COPY` too, a message is listed once.
"""

LISTS = {
    # Each file has a row; where there are many, each folder.
    "sources": """
    WITH urls AS (SELECT source, count(*) AS number FROM occurrence GROUP BY source)
    SELECT
        shown(CASE WHEN :folders THEN folder(name) ELSE name END) AS name, count(*) AS files,
        coalesce(sum(number), 0) AS urls, sum(NOT complete OR fault IS NOT NULL) AS unfinished,
        count(*) OVER () AS in_all
    FROM source LEFT JOIN urls ON urls.source = source.id
    GROUP BY CASE WHEN :folders THEN folder(name) ELSE name END ORDER BY urls DESC, 1 LIMIT :most_sources
    """,
    "months": _BY_TIME.format("month"),
    "periods": _BY_TIME.format("substr(month, 1, :period)"),
    "schemes": """
    WITH most AS (
        SELECT scheme FROM tally WHERE month IS NOT NULL
        GROUP BY scheme ORDER BY sum(number) DESC, scheme LIMIT :most_schemes
    )
    SELECT substr(month, 1, :period) AS period, CASE WHEN scheme IN most THEN scheme ELSE 'others' END AS scheme,
        sum(number) AS occurrences
    FROM tally WHERE month IS NOT NULL GROUP BY 1, 2
    ORDER BY 1, 2
    """,
    "forms": """
    SELECT form AS name, sum(number) AS number, sum(number * broken) AS broken
    FROM tally GROUP BY form ORDER BY 2 DESC, form
    """,
    "removed": """
    SELECT removed_kind(json_extract(value, '$.removed'), json_extract(value, '$.inserted')) AS name, count(*) AS number
    FROM occurrence, json_each(breaks) WHERE breaks IS NOT NULL GROUP BY name ORDER BY number DESC, name
    """,
    "places": """
    SELECT
        place_kind(
            url.url, json_extract(value, '$.at'), json_extract(value, '$.removed'), json_extract(value, '$.hyphen')
        ) AS name,
        count(*) AS number
    FROM occurrence JOIN url ON url.id = occurrence.url, json_each(breaks)
    WHERE breaks IS NOT NULL
        AND (instr(json_extract(value, '$.removed'), char(10)) OR instr(json_extract(value, '$.removed'), char(13)))
    GROUP BY name ORDER BY number DESC, name
    """,
    "hosts": f"""
    SELECT host AS name, {_LETTERS} AS letters, count(DISTINCT key) AS urls, count(*) AS occurrences
    FROM linked WHERE host > ''
    GROUP BY host HAVING letters ORDER BY letters DESC, host LIMIT :most_hosts
    """,  # noqa: S608 -- all of it is ours
    "targets": """
    SELECT substr(target, 1, :longest_case) AS url, count(*) AS times, sum(count(*)) OVER () AS in_all
    FROM url JOIN occurrence ON occurrence.url = url.id
    WHERE target IS NOT NULL
    GROUP BY target ORDER BY times DESC, target LIMIT :most_targets
    """,
    "hyphens": _CASES.format(
        case="occurrence.url, readings, ambiguous",
        shown="occurrence.id",
        which="instr(breaks, '\"hyphen\":true')",
        order="ambiguous DESC",
        most="most_hyphens",
    ),
    "doubtful": _CASES.format(
        case="occurrence.url, readings",
        shown="confidence",
        which="breaks IS NOT NULL AND confidence < :sure",
        order="confidence",
        most="most_doubtful",
    ),
    "confidences": """
    SELECT CAST(round(1000 * confidence) AS INTEGER) / 100 AS number, count(*) AS urls,
        sum(breaks IS NOT NULL) AS joined, sum(breaks IS NULL) AS alone
    FROM occurrence WHERE confidence < 1 GROUP BY 1 ORDER BY 1
    """,
    "rules": """
    SELECT
        rule, number, substr(text, max(1, pos + 1 - :longest_url / 20), min(pos, :longest_url / 20)) AS before,
        substr(text, pos + 1, :longest_url / 20) AS after, times
    FROM (
        SELECT
            rule, text, pos, count(*) AS times, sum(count(*)) OVER (PARTITION BY rule) AS number,
            row_number() OVER (PARTITION BY rule ORDER BY count(*) DESC, min(id)) AS place
        FROM reject GROUP BY rule, text, pos
    )
    WHERE place <= :most_examples
    ORDER BY number DESC, rule, place
    """,
    "urls": f"""
    WITH most AS (
        SELECT key, {_LETTERS} AS letters, count(*) AS occurrences, sum(breaks IS NOT NULL) AS broken
        FROM linked GROUP BY key ORDER BY letters DESC, occurrences DESC, key LIMIT :most_urls
    )
    SELECT
        substr(linked.url, 1, :longest_url + 1) AS url, host, letters, occurrences, broken, min(day) AS first,
        max(day) AS last, most.key AS key
    FROM most JOIN linked ON linked.key = most.key
    GROUP BY most.key ORDER BY letters DESC, occurrences DESC, linked.url
    """,  # noqa: S608 -- all of it is ours
}
"""The lists of the report, by name, and the query for each."""
