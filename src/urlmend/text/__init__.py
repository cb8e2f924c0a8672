"""What lines and schemes look like: the tables that finding and mending share."""
