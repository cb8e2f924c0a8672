"""From bytes to characters, and back to where they stood: charsets, encoded words, the steps of decoding."""
