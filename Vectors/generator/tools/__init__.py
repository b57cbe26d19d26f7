"""How operations and cases are declared, and how files are written and checked."""
