"""What is weighed at a line end: clues, their weights, and guards for what is certain."""
