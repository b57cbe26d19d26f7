"""Specs/recognition.md: the observer, and the operation that runs a scenario."""
