"""One module for each part of the protocol; each has a list FAMILIES. Every module here is found by name."""
