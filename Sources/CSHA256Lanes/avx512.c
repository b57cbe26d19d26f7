#if defined(__x86_64__)
#define WIDTH 16
#define GROUPS 2
#define TARGET __attribute__((target("avx512f")))
#define KERNEL sha256_lanes_kernel_avx512
#include "vectors.h"
#endif
