// Two vectors of 16 lanes.

#if defined(__x86_64__)
#include <immintrin.h>

#define WIDTH 16
#define GROUPS 2
#define TARGET __attribute__((target("avx512f")))
#define KERNEL sha256_lanes_kernel_avx512
// Compilers find this instruction for the other functions of the rounds, and need two for this one.
#define MAJORITY(a, b, c) ((vector)_mm512_ternarylogic_epi32((__m512i)(a), (__m512i)(b), (__m512i)(c), 0xe8))
#include "vectors.h"
#endif
