"""One request to a model and what comes of it."""
