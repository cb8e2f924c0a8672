-- The database of a harvest. It holds what a first run over the present files would write, apart from ids.

-- What the database was made with: `command` (harvest or find), and its options, such as `source` and `profile`.
CREATE TABLE setting (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
);

-- A file, or a file in a zip or tar, its `container`. `name` is its path (absolute in a harvest; a BLOB if it is not
-- UTF-8). Files of the same name in one container are sources of their own. `size` (bytes) and `mtime` (nanoseconds) are
-- from before it was read; a file in a container has a checksum as its `mtime`. If `complete` is 0, it has not been
-- read to its end yet. In an mbox, the next run begins at `next_offset` with message `next_message`; `mark` is a checksum of
-- the file's beginning and of the bytes before. In a public-inbox, `mark` is the commits up to which it was read (JSON).
-- `fault` says why a file could not be read to its end. A file that was moved is recognised by the checksum `content`.
CREATE TABLE source (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    container INTEGER REFERENCES source,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    complete INTEGER NOT NULL,
    next_message INTEGER,
    next_offset INTEGER,
    next_line INTEGER,
    mark BLOB,
    fault TEXT,
    content BLOB
);
CREATE UNIQUE INDEX source_name ON source (name) WHERE container IS NULL;
CREATE INDEX source_member ON source (container, name);
CREATE INDEX source_content ON source (content);

-- A message with URLs or rejects in it: the `number`th of its source, from 1, which begins at byte `offset`. A message
-- attached to another one (message/rfc822) has its own row with the same number. A record of a web archive is a message
-- too: `target_uri` is the requested address, `record` the id of the record. So is an HTML page, which has no number. A
-- message of a public-inbox is a file: its name is that of the source followed by `member`, which contains the commit.
--
-- Copies of a message, which have the same Message-ID and `sent`, have the same `identity`: count these to count messages.
-- An attached message without a Message-ID is identified by the message around it and its part. `digest` is one of the
-- body of a message with a Message-ID; an attached message has none. A value of JSON Lines has no identity: there, each
-- occurrence of a URL counts.
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES source,
    number INTEGER,
    "offset" INTEGER,
    message_id TEXT,
    date TEXT, -- RFC 3339, with the sender's offset from UTC
    sent TEXT, -- the same in UTC, or the date of the `From ` line if there is no other
    author TEXT,
    subject TEXT,
    newsgroups TEXT, -- separated by commas
    target_uri TEXT,
    record TEXT,
    member TEXT,
    identity INTEGER,
    digest BLOB
);
CREATE INDEX message_source ON message (source, number);
CREATE INDEX message_member ON message (source, member) WHERE member IS NOT NULL;
CREATE INDEX message_identity ON message (identity, digest);

-- A URL as it is written; its `host` is in lower case, without a final dot. `departures` (JSON) says why it does not conform to RFC 1738;
-- `warnings` (JSON) are the names of its security notes. In a database made with --unwrap, `target` is the address that
-- it wraps, and `target_host` the host of that. `domain` and `target_domain` are the registrable domains of the hosts.
CREATE TABLE url (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL UNIQUE,
    scheme TEXT NOT NULL,
    host TEXT,
    departures TEXT NOT NULL,
    target TEXT,
    target_host TEXT,
    warnings TEXT NOT NULL,
    domain TEXT,
    target_domain TEXT
);
CREATE INDEX url_host ON url (host);

-- An occurrence of a URL: the fields of the JSONL record. `raw` is NULL if it is the URL, `readings` (JSON) if the URL is
-- the only one, and `breaks` (JSON) if there are none. `text_before` and `text_after` are the beginning of the first line
-- of `raw` and what follows `raw` in its last line, at most 200 characters each. `in_header` is 1 in header fields other
-- than Subject. Within a source, ids are in the order of reading.
CREATE TABLE occurrence (
    id INTEGER PRIMARY KEY,
    url INTEGER NOT NULL REFERENCES url,
    source INTEGER NOT NULL REFERENCES source,
    message INTEGER REFERENCES message,
    in_header INTEGER NOT NULL,
    part TEXT,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    line INTEGER NOT NULL,
    "column" INTEGER NOT NULL,
    exact INTEGER NOT NULL,
    form TEXT NOT NULL,
    raw TEXT,
    readings TEXT,
    ambiguous INTEGER NOT NULL,
    breaks TEXT,
    trimmed TEXT NOT NULL,
    confidence REAL NOT NULL,
    quoted INTEGER NOT NULL,
    signature INTEGER NOT NULL,
    text_before TEXT,
    text_after TEXT
);
CREATE INDEX occurrence_url ON occurrence (url);
CREATE INDEX occurrence_source ON occurrence (source);
CREATE INDEX occurrence_message ON occurrence (message);

-- A candidate that is not a URL under the profile. `text` has its breaks mended; at the character `pos`, from 0, the BNF
-- rule `rule` does not allow it to go on. `raw` is NULL if it is the text.
CREATE TABLE reject (
    id INTEGER PRIMARY KEY,
    source INTEGER NOT NULL REFERENCES source,
    message INTEGER REFERENCES message,
    part TEXT,
    start INTEGER NOT NULL,
    "end" INTEGER NOT NULL,
    line INTEGER NOT NULL,
    "column" INTEGER NOT NULL,
    exact INTEGER NOT NULL,
    form TEXT NOT NULL,
    raw TEXT,
    text TEXT NOT NULL,
    rule TEXT NOT NULL,
    pos INTEGER NOT NULL
);
CREATE INDEX reject_source ON reject (source);
CREATE INDEX reject_message ON reject (message);
CREATE INDEX reject_rule ON reject (rule);

-- The fields of the JSONL record, and the other columns of the tables.
CREATE VIEW record AS
SELECT
    CASE WHEN member IS NULL THEN source.name ELSE source.name || member END AS source, message.number AS message, part, message_id, date, start, "end", line, "column", form,
    url.url AS url, scheme, host, coalesce(raw, url.url) AS raw, coalesce(readings, json_array(url.url)) AS readings,
    ambiguous, coalesce(breaks, '[]') AS breaks, trimmed, departures, confidence, quoted, signature, author, subject, exact,
    target, warnings, domain, newsgroups, target_uri, record, text_before, text_after, sent
FROM occurrence
JOIN url ON url.id = occurrence.url
JOIN source ON source.id = occurrence.source
LEFT JOIN message ON message.id = occurrence.message;

-- The URL that each URL counts as in the views below, by its `key`: itself or, in a database made with --unwrap, the URL
-- that it wraps.
CREATE VIEW counted AS SELECT id, id AS key, url, scheme, host, domain, departures FROM url;

-- Each occurrence that counts, with the URL that it counts as and its message: all but those in header fields other than
-- Subject. Occurrences with the same `link` are one: a link is a pair of message and URL; where there are no messages, it is
-- an occurrence. The views below count these.
CREATE VIEW counted_occurrence AS
SELECT
    key, counted.url AS url, scheme, host, domain, part, breaks, signature, identity,
    coalesce(identity || ' ' || key, occurrence.id) AS link, sent, substr(sent, 1, 7) AS month, author, newsgroups,
    target_uri, form, departures
FROM occurrence
JOIN counted ON counted.id = occurrence.url
LEFT JOIN message ON message.id = occurrence.message
WHERE NOT in_header;

-- How often each host, or each registrable domain, is linked: in all, and each host by year and month (in UTC). `links` are
-- pairs of message and URL, `occurrences` all places, in copies too, and `messages` different messages.
CREATE VIEW by_host AS
SELECT
    host, count(*) AS occurrences, count(DISTINCT key) AS urls, count(DISTINCT identity) AS messages,
    count(DISTINCT link) AS links
FROM counted_occurrence WHERE host IS NOT NULL GROUP BY host ORDER BY links DESC, host;

CREATE VIEW by_domain AS
SELECT
    domain, count(*) AS occurrences, count(DISTINCT key) AS urls, count(DISTINCT identity) AS messages,
    count(DISTINCT link) AS links
FROM counted_occurrence WHERE domain IS NOT NULL GROUP BY domain ORDER BY links DESC, domain;

CREATE VIEW by_host_and_month AS
SELECT
    substr(month, 1, 4) AS year, month, host, count(*) AS occurrences, count(DISTINCT key) AS urls,
    count(DISTINCT link) AS links
FROM counted_occurrence WHERE host IS NOT NULL AND month IS NOT NULL
GROUP BY month, host ORDER BY month, links DESC, host;

CREATE VIEW by_month AS
SELECT
    month, count(*) AS occurrences, count(DISTINCT key) AS urls, count(DISTINCT identity) AS messages,
    sum(breaks IS NOT NULL) AS mended, count(DISTINCT link) AS links
FROM counted_occurrence WHERE month IS NOT NULL GROUP BY month ORDER BY month;

-- When each URL was first and last seen, by the dates of its messages, in UTC.
CREATE VIEW first_and_last_seen AS
SELECT
    url, min(datetime(sent)) AS first, max(datetime(sent)) AS last, count(*) AS occurrences,
    count(DISTINCT link) AS links
FROM counted_occurrence WHERE sent IS NOT NULL GROUP BY key;

-- The URLs that most messages contain, and how many authors wrote them. Signatures do not count.
CREATE VIEW most_shared AS
SELECT
    url, count(DISTINCT identity) AS messages, count(DISTINCT author) AS authors, count(*) AS occurrences,
    count(DISTINCT link) AS links
FROM counted_occurrence WHERE identity IS NOT NULL AND NOT signature
GROUP BY key ORDER BY messages DESC, url;

-- The URLs that were broken, and how they were mended.
CREATE VIEW mended AS
SELECT source, message, line, form, text_before, raw, text_after, url, breaks, readings, ambiguous, confidence
FROM record
WHERE breaks <> '[]';

-- The URLs with a hyphen at a line end that may or may not belong to them.
CREATE VIEW ambiguous AS
SELECT source, message, line, form, text_before, raw, text_after, url, readings FROM record WHERE ambiguous;

-- The rejected candidates with their messages; and how many each rule has rejected, once for each message and text.
CREATE VIEW rejected AS
SELECT
    CASE WHEN member IS NULL THEN source.name ELSE source.name || member END AS source, message.number AS message, part, message_id, date, start, "end", line, "column", form,
    coalesce(raw, text) AS raw, text, rule, pos, exact
FROM reject
JOIN source ON source.id = reject.source
LEFT JOIN message ON message.id = reject.message;

CREATE VIEW by_rule AS
SELECT rule, count(DISTINCT coalesce(identity || ' ' || text, reject.id)) AS rejects
FROM reject LEFT JOIN message ON message.id = reject.message
GROUP BY rule ORDER BY rejects DESC, rule;

-- The messages that the archive has more than once: how many times in all, and with how many bodies.
CREATE VIEW copied AS
SELECT
    message_id, min(date) AS date, group_concat(DISTINCT author) AS author, group_concat(DISTINCT subject) AS subject,
    count(*) AS copies, count(DISTINCT digest) AS bodies
FROM message
WHERE digest IS NOT NULL
GROUP BY identity HAVING copies > 1
ORDER BY copies DESC, message_id;
