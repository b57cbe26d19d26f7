// SHA-256 in vectors of WIDTH lanes. GROUPS vectors are interleaved, so that the processor need not wait for the result
// of each instruction.
//
// One file for each width includes this header and defines WIDTH, GROUPS, KERNEL (the name of the kernel) and TARGET
// (an attribute, or nothing). The code is C with the vector extensions of GCC and Clang; the compiler selects the
// instructions.

#include "kernels.h"

typedef uint32_t vector __attribute__((vector_size(4 * WIDTH)));
// A vector in memory of the caller, which need not be aligned; alignment to 64 bytes is faster.
typedef uint32_t stored __attribute__((vector_size(4 * WIDTH), aligned(4), may_alias));

// The lanes of `group` within a unit of GROUPS * WIDTH lanes, in an array of structures with 16 lanes each.
#define LANES_OF(array, member, unit, group, word)                                                       \
    (*(stored *)&(array)[((unit) * GROUPS + (group)) * WIDTH / SHA256_LANES]                              \
         .member[word][((unit) * GROUPS + (group)) * WIDTH % SHA256_LANES])

#define ROTATED(x, n) ((x) >> (n) | (x) << (32 - (n)))

/// Computes round `t`; `added` is the word of the schedule plus the round constant. Instead of moving the words of the
/// state, each round rotates their indices by one.
ALWAYS_INLINE TARGET void round_of(vector v[8], int t, vector added) {
    const vector a = v[(64 - t) & 7], b = v[(65 - t) & 7], c = v[(66 - t) & 7];
    const vector e = v[(68 - t) & 7], f = v[(69 - t) & 7], g = v[(70 - t) & 7];
    const vector first = v[(71 - t) & 7] + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25)) + ((e & f) ^ (~e & g)) + added;
    v[(67 - t) & 7] += first;
    v[(71 - t) & 7] = first + (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
}

/// Compresses one block with a schedule that all lanes share.
ALWAYS_INLINE TARGET void compress_shared(vector state[GROUPS][8], const uint32_t schedule[64]) {
    vector v[GROUPS][8];
    UNROLL for (int g = 0; g < GROUPS; g++)
        UNROLL for (int w = 0; w < 8; w++) v[g][w] = state[g][w];
    for (const uint32_t *next = schedule; next < schedule + 64; next += 8)
        UNROLL for (int t = 0; t < 8; t++)
            UNROLL for (int g = 0; g < GROUPS; g++) round_of(v[g], t, (vector){0} + next[t]);
    UNROLL for (int g = 0; g < GROUPS; g++)
        UNROLL for (int w = 0; w < 8; w++) state[g][w] += v[g][w];
}

/// Compresses one block in each lane; `words` is overwritten.
ALWAYS_INLINE TARGET void compress(vector state[GROUPS][8], vector words[GROUPS][16]) {
    vector v[GROUPS][8];
    UNROLL for (int g = 0; g < GROUPS; g++)
        UNROLL for (int w = 0; w < 8; w++) v[g][w] = state[g][w];
    for (int from = 0; from < 64; from += 16) {
        UNROLL for (int g = 0; g < GROUPS; g++) {
            UNROLL for (int t = 0; t < 16; t++)
                round_of(v[g], t, words[g][t] + sha256_lanes_constants[from + t]);
            if (from == 48) continue;
            UNROLL for (int t = 0; t < 16; t++) {
                const vector late = words[g][(t + 14) & 15], early = words[g][(t + 1) & 15];
                words[g][t] += (ROTATED(late, 17) ^ ROTATED(late, 19) ^ late >> 10) + words[g][(t + 9) & 15]
                               + (ROTATED(early, 7) ^ ROTATED(early, 18) ^ early >> 3);
            }
        }
    }
    UNROLL for (int g = 0; g < GROUPS; g++)
        UNROLL for (int w = 0; w < 8; w++) state[g][w] += v[g][w];
}

/// Computes the midstate of each key after the block of the key XOR `pad`.
ALWAYS_INLINE TARGET void absorb_key(
    const sha256_lanes_block *keys, size_t unit, uint32_t pad, vector state[GROUPS][8], vector words[GROUPS][16]) {
    for (int g = 0; g < GROUPS; g++) {
        for (int w = 0; w < 8; w++) words[g][w] = LANES_OF(keys, words, unit, g, w) ^ pad;
        for (int w = 8; w < 16; w++) words[g][w] = (vector){0} + pad;
        for (int w = 0; w < 8; w++) state[g][w] = (vector){0} + sha256_lanes_start[w];
    }
    compress(state, words);
}

// A block has 16 lanes, and a unit can have more or fewer. Callers pass a whole number of units.
#define UNITS(blocks) ((blocks) * SHA256_LANES / (GROUPS * WIDTH))

static TARGET void states_of(const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states) {
    vector state[GROUPS][8], words[GROUPS][16];
    for (size_t unit = 0; unit < UNITS(blocks); unit++) {
        absorb_key(keys, unit, 0x36363636, state, words);
        for (int g = 0; g < GROUPS; g++)
            for (int w = 0; w < 8; w++) LANES_OF(states, inner.words, unit, g, w) = state[g][w];
        absorb_key(keys, unit, 0x5c5c5c5c, state, words);
        for (int g = 0; g < GROUPS; g++)
            for (int w = 0; w < 8; w++) LANES_OF(states, outer.words, unit, g, w) = state[g][w];
    }
    sha256_lanes_wipe(state, sizeof state);
    sha256_lanes_wipe(words, sizeof words);
}

static TARGET void mac(
    const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    sha256_lanes_block *digests) {
    vector state[GROUPS][8], words[GROUPS][16];
    for (size_t unit = 0; unit < UNITS(blocks); unit++) {
        // There are too many streams for the hardware prefetcher: the rows of two midstates.
        const char *next = (const char *)&LANES_OF(states, inner.words, unit + 1, 0, 0);
        for (size_t line = 0; line < GROUPS * WIDTH; line++) __builtin_prefetch(next + 64 * line);
        for (int g = 0; g < GROUPS; g++)
            for (int w = 0; w < 8; w++) state[g][w] = LANES_OF(states, inner.words, unit, g, w);
        compress_shared(state, message->schedule);
        for (int g = 0; g < GROUPS; g++) {
            for (int w = 0; w < 8; w++) words[g][w] = state[g][w];
            words[g][8] = (vector){0} + 0x80000000u;
            for (int w = 9; w < 15; w++) words[g][w] = (vector){0};
            words[g][15] = (vector){0} + (64 + 32) * 8;
            for (int w = 0; w < 8; w++) state[g][w] = LANES_OF(states, outer.words, unit, g, w);
        }
        compress(state, words);
        for (int g = 0; g < GROUPS; g++)
            for (int w = 0; w < 8; w++) LANES_OF(digests, words, unit, g, w) = state[g][w];
    }
    sha256_lanes_wipe(state, sizeof state);
    sha256_lanes_wipe(words, sizeof words);
}

const sha256_lanes_kernel KERNEL = {states_of, mac};
