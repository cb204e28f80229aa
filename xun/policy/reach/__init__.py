"""What the words of a command touch, change, read and run."""
