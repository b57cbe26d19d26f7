#if defined(__x86_64__)
#define WIDTH 8
#define GROUPS 2
#define TARGET __attribute__((target("avx2")))
#define KERNEL sha256_lanes_kernel_avx2
#include "vectors.h"
#endif
