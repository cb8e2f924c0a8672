"""The queries of a report. `output/database/schema.sql` explains the columns."""

LEFT_OUT = "CREATE TEMP TABLE left_out (id INTEGER PRIMARY KEY)"
"""The ids of messages outside the selection, and 0, for text outside messages, if there is a selection."""

LINKED = """
CREATE TEMP VIEW linked AS
SELECT
    *, coalesce(CASE WHEN NOT {occurrences} THEN letter || ' ' || key END, id) AS link,
    CASE WHEN substr(sent, 1, 7) BETWEEN '{first}' AND '{last}' THEN substr(sent, 1, 10) END AS day
FROM (
    SELECT
        occurrence.id AS id, occurrence.source AS source, key, counted.url AS url, scheme, host, signature, breaks,
        author, subject, sent, CASE WHEN identity IS NULL OR NOT {copies} THEN identity ELSE message.id END AS letter
    FROM counted JOIN occurrence ON occurrence.url = counted.id LEFT JOIN message ON message.id = occurrence.message
    WHERE coalesce(message, 0) NOT IN left_out AND NOT ({no_signature} AND signature) AND NOT ({no_quoted} AND quoted)
        AND ({header_fields} OR NOT in_header)
)
"""
"""A view of the occurrences that count: what each counts as, its message, and the message's day if that is plausible.

Messages with the same `letter` count as one: copies, unless each is to count. Text that belongs to no message, and a
value of JSON Lines, have none. Occurrences with the same `link` count as one.
"""
# One pass over all occurrences. Most counts are made from the rows of this table. In JSON, line ends are escapes, and
# what is removed within a line has no letters.
LINK = """
CREATE TEMP TABLE link AS
SELECT
    key, min(url) AS url, scheme, host, letter, min(day) AS day, max(day) AS last_day, min(sent) AS sent,
    min(signature) AS signature, count(*) AS occurrences, max(breaks IS NOT NULL) AS mended,
    max(breaks IS NOT NULL AND breaks GLOB '*\\[nr]*') AS broken
FROM linked GROUP BY link
"""
PLACE = "CREATE TEMP TABLE place (id INTEGER PRIMARY KEY, folder)"
"""The name of each file; where there are many, its folder."""

TOTALS = """
SELECT
    (SELECT count(*) FROM source) AS sources,
    (SELECT count(*) FROM source WHERE EXISTS (SELECT 1 FROM linked WHERE linked.source = source.id)) AS linked_sources,
    EXISTS (SELECT 1 FROM main.url) AS stored,
    (SELECT count(*) FROM source WHERE NOT complete OR fault IS NOT NULL) AS unfinished,
    count(DISTINCT letter) AS messages,
    (
        SELECT count(*) - count(DISTINCT identity) FROM message WHERE digest IS NOT NULL AND id NOT IN left_out
    ) AS copies,
    count(*) AS links, coalesce(sum(occurrences), 0) AS occurrences, count(DISTINCT key) AS urls,
    count(DISTINCT host) AS hosts, coalesce(sum(broken), 0) AS broken,
    substr(min(day), 1, 7) AS first, substr(max(day), 1, 7) AS last,
    coalesce(sum(sent IS NULL), 0) AS undated,
    coalesce(sum(day IS NULL AND sent IS NOT NULL), 0) AS misdated
FROM link
"""
# Of a long line, `text_before` is the beginning.
_BEFORE = """coalesce(text_before, '') || CASE WHEN "column" > :most_left + 1 THEN '…' ELSE '' END"""
# Beside an aggregate min(), SQLite takes the other columns from the row that has the minimum.
_MESSAGES = f"""
SELECT
    substr(sent, 1, 10) AS date, substr(CAST(author AS TEXT), 1, 100) AS author,
    substr(CAST(subject AS TEXT), 1, 200) AS subject, source.name AS source, line,
    CASE WHEN length(message_id) < 1000 THEN CAST(message_id AS TEXT) END AS message_id,
    substr({_BEFORE}, -100) AS before, substr(coalesce(raw, url.url), 1, :longest_url / 4) AS raw,
    substr(coalesce(text_after, ''), 1, 100) AS after
FROM (
    SELECT min(id) AS shown, sent AS time, min(signature) AS beside
    FROM linked WHERE {{0}} = :{{0}} GROUP BY coalesce(letter, -source), author, subject
    ORDER BY beside, time IS NULL, time, shown LIMIT :most_messages
)
JOIN occurrence ON occurrence.id = shown
JOIN url ON url.id = occurrence.url
JOIN source ON source.id = occurrence.source
LEFT JOIN message ON message.id = occurrence.message
ORDER BY beside, time IS NULL, time, shown
"""  # noqa: S608 -- all of it is ours
MESSAGES_OF_HOST, MESSAGES_OF_URL = _MESSAGES.format("host"), _MESSAGES.format("key")
"""The first messages of a host, and of a URL; those that have it in their signature only come last.

Copies are listed once for each author and subject.
"""

LISTS = {
    # Each file has a row; where there are many, each folder.
    "sources": """
    WITH counts AS (
        SELECT folder, count(DISTINCT link) AS links FROM linked JOIN place ON place.id = linked.source GROUP BY folder
    )
    SELECT
        folder AS source, count(*) AS files, coalesce(links, 0) AS links,
        sum(NOT complete OR fault IS NOT NULL) AS unfinished, count(*) OVER () AS in_all
    FROM source JOIN place USING (id) LEFT JOIN counts USING (folder)
    GROUP BY folder ORDER BY 3 DESC, 1 LIMIT :most_sources
    """,
    "months": """
    SELECT substr(day, 1, 7) AS period, count(*) AS links, sum(broken) AS broken
    FROM link WHERE day IS NOT NULL GROUP BY 1 ORDER BY 1
    """,
    "schemes": """
    WITH most AS (
        SELECT scheme FROM link WHERE day IS NOT NULL
        GROUP BY scheme ORDER BY count(*) DESC, scheme LIMIT :most_schemes
    )
    SELECT substr(day, 1, :period) AS period, CASE WHEN scheme IN most THEN scheme ELSE 'others' END AS scheme,
        count(*) AS links
    FROM link WHERE day IS NOT NULL GROUP BY 1, 2
    ORDER BY 1, 2
    """,
    "hosts": """
    SELECT host AS name, count(*) AS links, count(DISTINCT key) AS urls
    FROM link WHERE host > ''
    GROUP BY host ORDER BY links DESC, host LIMIT :most_hosts
    """,
    "urls": """
    SELECT
        substr(min(url), 1, :longest_url + 1) AS url, host, sum(NOT signature) AS links,
        sum(occurrences) AS occurrences, sum(mended) AS broken, min(day) AS first, max(last_day) AS last, key
    FROM link GROUP BY key ORDER BY links DESC, occurrences DESC, 1 LIMIT :most_urls
    """,
}
"""The lists of the report, by name, and the query for each."""
