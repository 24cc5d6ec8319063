"""Tables: open, join, act, watch, recall."""
