// Compiles the header as C wherever the package is built, and holds it to the layout that programs were built with.
#include "inkling.h"

_Static_assert(sizeof(inkling_status) == 4, "a status has four bytes");
_Static_assert(sizeof(inkling_refusal) == 64, "a refusal is what it was");
_Static_assert(sizeof(inkling_values) == 108, "values are what they were");
