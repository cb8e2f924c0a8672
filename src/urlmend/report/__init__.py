"""The page of a report about a harvest (the extra `report`)."""
