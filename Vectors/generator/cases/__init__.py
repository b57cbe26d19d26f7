"""The cases of every vector file: one module or folder for each page of Specs, with a list FAMILIES."""

from .. import reference

# Some cases need results of the models while the lists are built.
reference.load()
