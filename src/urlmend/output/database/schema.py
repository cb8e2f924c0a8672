"""The text of the schema."""


def schema_text() -> str:
    """Return the statements of `schema.sql`."""
    from importlib import resources  # noqa: PLC0415 -- slow to import, and needed once

    return resources.files("urlmend.output.database").joinpath("schema.sql").read_text("utf-8")


COUNTED_UNWRAPPED = """
CREATE VIEW counted AS
SELECT
    id, coalesce(target, url) AS key, coalesce(target, url) AS url,
    CASE WHEN target IS NULL THEN scheme ELSE lower(substr(target, 1, instr(target, ':') - 1)) END AS scheme,
    CASE WHEN target IS NULL THEN host ELSE target_host END AS host
FROM url
"""
"""The view `counted` of a database in which the addresses inside of others count."""
