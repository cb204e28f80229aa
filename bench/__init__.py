"""What xun costs, measured in one run against a bare loop that does the same work."""
