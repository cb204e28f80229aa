"""A long conversation made smaller."""
