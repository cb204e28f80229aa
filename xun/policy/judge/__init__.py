"""The reasons for and against an action, and the verdict on shell text."""
