// What the kernels share, and what each of them provides.

#ifndef KERNELS_H
#define KERNELS_H

#include "CSHA256Lanes.h"

// Work is cut into pieces of this many blocks: their digests stay in the nearest cache on the way out.
enum { PIECE = 4 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

extern const uint32_t sha256_lanes_constants[64];
extern const uint32_t sha256_lanes_start[8];

/// Each kernel: states of keys, and HMACs under given states.
typedef struct {
    void (*states_of)(const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states);
    void (*mac)(
        const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
        sha256_lanes_block *digests);
} sha256_lanes_kernel;

extern const sha256_lanes_kernel sha256_lanes_kernel_portable;
#if defined(__x86_64__)
extern const sha256_lanes_kernel sha256_lanes_kernel_avx2;
extern const sha256_lanes_kernel sha256_lanes_kernel_sha_ni;
extern const sha256_lanes_kernel sha256_lanes_kernel_avx512;
#endif

#endif
