"""Declarations of operations and cases, and the writing and checking of files."""
