"""The transcript: a long conversation in one widget, of which only what is near the view is alive."""
