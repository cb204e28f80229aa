"""Which commands a shell text runs, with which words and in which folders."""
