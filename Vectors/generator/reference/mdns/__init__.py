"""Specs/mdns.md: packets that are sent and read, and the machine."""
