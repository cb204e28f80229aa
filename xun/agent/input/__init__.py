"""What comes from the person: prompts, and the files that they mention or show."""
