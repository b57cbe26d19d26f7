// Compiles the header as C in every build of the package. Tests/Rigs/c-interface/interface.txt records its layout.
#include "inkling.h"

_Static_assert(sizeof(inkling_status) == 4, "a status has four bytes");
