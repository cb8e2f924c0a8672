"""Public-inbox: mailing lists as git repositories (https://public-inbox.org)."""
