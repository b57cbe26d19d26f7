// Vectors of 4 lanes, which the compiler maps to SSE2, NEON or scalar instructions.

#define WIDTH 4
#define GROUPS 1
#define TARGET
#define KERNEL sha256_lanes_kernel_portable
#include "vectors.h"
