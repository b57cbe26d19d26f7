// The declarations that the kernels share, and the interface that each of them implements.

#ifndef KERNELS_H
#define KERNELS_H

#include "CSHA256Lanes.h"

// The number of blocks computed at a time: their digests stay in the first-level cache until they are copied out.
enum { PIECE = 4 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

extern const uint32_t sha256_lanes_constants[64];
extern const uint32_t sha256_lanes_start[8];

/// A kernel: computes the midstates of keys, and HMACs under given midstates.
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
