// 4 lanes: SSE2, NEON, or whatever the compiler makes of it.

#define WIDTH 4
#define GROUPS 1
#define TARGET
#define KERNEL sha256_lanes_kernel_portable
#include "vectors.h"
