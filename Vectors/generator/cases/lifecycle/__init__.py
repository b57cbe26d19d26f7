"""The cases of Specs/lifecycle.md, machine by machine."""

from . import checkpoint, execution_window, permissions, reconnection, region_wake, relaunch, restoration

FAMILIES = [
    *checkpoint.FAMILIES,
    *execution_window.FAMILIES,
    *permissions.FAMILIES,
    *reconnection.FAMILIES,
    *region_wake.FAMILIES,
    *relaunch.FAMILIES,
    *restoration.FAMILIES,
]
