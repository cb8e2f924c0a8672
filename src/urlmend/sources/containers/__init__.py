"""Files that hold files: each member is a file with a name of its own, and recognised from its content."""


def member_name(container: str | None, member: str) -> str:
    """Return what *member* of the file called *container* is called: `archive.zip!member`; `-` for no name.

    The name is only shown. Nothing is opened or written under it, whatever is in it.
    """
    return f"{'-' if container is None else container}!{member}"
