"""What keeps a command from more than it was granted: bubblewrap, Landlock with seccomp, or Seatbelt.

`find` says which is at hand, `profile` what a command may do, `enter` turns both into a command line. The policy must
be right without any of them; they bound what a command does that was allowed for what it says.
"""
