"""Devices, meetings and values that several families use."""
