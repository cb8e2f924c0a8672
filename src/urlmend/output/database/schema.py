"""The text of the schema."""


def schema_text() -> str:
    """Return the statements of `schema.sql`."""
    from importlib import resources  # noqa: PLC0415 -- slow to import, and needed once

    return resources.files("urlmend.output.database").joinpath("schema.sql").read_text("utf-8")
