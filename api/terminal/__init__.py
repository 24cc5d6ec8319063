"""Games in a terminal: what a seat sees as lines of text, and moves as they are typed."""
