// The declarations that the kernels share, and the interface that each implements.

#ifndef KERNELS_H
#define KERNELS_H

#include <string.h>

#include "CSHA256Lanes.h"
#include "CSHA256One.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 64")
#endif

// Defined in each file, so that the compiler adds them to words that it knows.
static const uint32_t sha256_lanes_start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static const uint32_t sha256_lanes_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/// The second half of the outer block of HMAC: the padding of a digest after a block for the key.
#define OUTER_PADDING 0x80000000u, 0, 0, 0, 0, 0, 0, (64 + 32) * 8

// Without optimisation, each variable of each inlined function has its own place on the stack.
#if defined(__OPTIMIZE__)
#define DEPTH(optimised, other) (optimised)
#else
#define DEPTH(optimised, other) (other)
#endif

/// The destination of HMACs. Exactly one pointer is not null.
typedef struct {
    /// All words, in blocks of lanes.
    sha256_lanes_block *digests;
    /// The first 16 bytes as two big-endian numbers: 32 numbers for each block.
    uint64_t *pairs;
    /// The first two bytes as a big-endian number: 16 numbers for each block.
    uint16_t *numbers;
} sha256_lanes_output;

/// A kernel: computes the midstates of keys, and HMACs under given midstates.
typedef struct {
    /// The number of blocks that it works on at a time, 1 or 2; it is called with multiples.
    size_t unit;
    /// A number of bytes, more than its functions take on the stack.
    size_t depth;
    void (*states_of)(const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states);
    void (*mac)(
        const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
        const sha256_lanes_output *output);
} sha256_lanes_kernel;

extern const sha256_lanes_kernel sha256_lanes_kernel_portable;
#if defined(__x86_64__)
extern const sha256_lanes_kernel sha256_lanes_kernel_avx2;
extern const sha256_lanes_kernel sha256_lanes_kernel_sha_ni;
extern const sha256_lanes_kernel sha256_lanes_kernel_avx512;
extern const sha256_lanes_kernel sha256_lanes_kernel_sha_avx512;
#elif defined(__aarch64__)
extern const sha256_lanes_kernel sha256_lanes_kernel_armv8;
#endif

/// Returns the kernel of a path for a number of blocks: the portable one if the processor does not support the path.
const sha256_lanes_kernel *sha256_lanes_kernel_of(sha256_lanes_path path, size_t blocks);

/// Writes `lanes` digests from lane `first` of `block` on, whose words are in rows of `lanes` words.
ALWAYS_INLINE void deliver(
    const sha256_lanes_output *output, size_t block, size_t first, size_t lanes, const uint32_t *rows) {
    if (output->pairs) {
        uint64_t *pairs = output->pairs + 2 * (block * SHA256_LANES + first);
        for (size_t lane = 0; lane < lanes; lane++) {
            pairs[2 * lane] = (uint64_t)rows[lane] << 32 | rows[lanes + lane];
            pairs[2 * lane + 1] = (uint64_t)rows[2 * lanes + lane] << 32 | rows[3 * lanes + lane];
        }
    } else if (output->numbers) {
        uint16_t *numbers = output->numbers + block * SHA256_LANES + first;
        for (size_t lane = 0; lane < lanes; lane++) numbers[lane] = (uint16_t)(rows[lane] >> 16);
    } else {
        for (size_t word = 0; word < 8; word++)
            memcpy(&output->digests[block].words[word][first], rows + word * lanes, lanes * sizeof *rows);
    }
}

/// Overwrites a variable whose size the compiler knows.
#define WIPE(variable)                                                                                   \
    do {                                                                                                 \
        memset(&(variable), 0, sizeof(variable));                                                        \
        __asm__ volatile("" : : "r"(&(variable)) : "memory");                                            \
    } while (0)

/// Prefetches the next midstates: there are too many streams for the hardware prefetcher. The address can be after the
/// last block, because a prefetch does not fault.
ALWAYS_INLINE void prefetch(const void *states, size_t count) {
    for (size_t line = 0; line < count / 64; line++) __builtin_prefetch((const char *)states + 64 * line);
}

/// The functions for one key: the interface of the kernels of `CSHA256One.h`.
typedef struct {
    /// Compresses `count` blocks, one after the other.
    void (*compress)(uint32_t state[8], const uint8_t *blocks, size_t count);
    /// Compresses the two padded keys of HMAC into the initial state.
    void (*absorb_key)(const uint8_t key[64], uint32_t inner[8], uint32_t outer[8]);
    /// Compresses the last block of the message, and the digest into `outer`.
    void (*finish_mac)(const uint32_t inner[8], const uint8_t block[64], uint32_t outer[8]);
} sha256_one_kernel;

/// Returns the kernel of a path: the portable one if the processor does not support the path.
const sha256_one_kernel *sha256_one_kernel_of(sha256_one_path path);

extern const sha256_one_kernel sha256_one_kernel_portable;
#if defined(__x86_64__)
extern const sha256_one_kernel sha256_one_kernel_sha_ni;
#elif defined(__aarch64__)
extern const sha256_one_kernel sha256_one_kernel_armv8;
#endif

#endif
