"""A model server that plays scripted replies over real HTTP."""
