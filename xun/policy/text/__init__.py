"""Characters of shell text to words and operators, twice: by a decoder of our own and by a grammar."""
