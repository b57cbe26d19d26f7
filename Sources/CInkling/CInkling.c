// Compiles the header as C wherever the package is built. Tests/Rigs/c-interface/interface.txt records the layout it has.
#include "inkling.h"

_Static_assert(sizeof(inkling_status) == 4, "a status has four bytes");
