"""HTML parts: the URLs of their attributes and their visible text, as the HTML parser lexbor reads them."""
