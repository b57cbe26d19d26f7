"""The scenarios of Specs/recognition.md, by subject."""
