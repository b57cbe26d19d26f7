"""Specs/lifecycle.md, machine by machine."""
