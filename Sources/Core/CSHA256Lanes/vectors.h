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

// `a` and `c` are the two words around `b`. A kernel with one instruction for a function of three bits defines MAJORITY.
#ifndef MAJORITY
#define MAJORITY(a, b, c) ((((a) ^ (b)) & ((b) ^ (c))) ^ (b))
#endif

/// Computes round `t`; `added` is the word of the schedule plus the round constant. Instead of moving the words of the
/// state, each round rotates their indices by one.
ALWAYS_INLINE TARGET void round_of(vector v[8], int t, vector added) {
    const vector a = v[(64 - t) & 7], b = v[(65 - t) & 7], c = v[(66 - t) & 7];
    const vector e = v[(68 - t) & 7], f = v[(69 - t) & 7], g = v[(70 - t) & 7];
    const vector first =
        v[(71 - t) & 7] + added + ((e & f) ^ (~e & g)) + (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25));
    v[(67 - t) & 7] += first;
    v[(71 - t) & 7] = first + (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22)) + MAJORITY(a, b, c);
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

/// Computes words 16 + `t` to 31 + `t` of the schedule from the 16 before them.
ALWAYS_INLINE TARGET void extend(vector words[16]) {
    UNROLL for (int t = 0; t < 16; t++) {
        const vector late = words[(t + 14) & 15], early = words[(t + 1) & 15];
        words[t] += words[(t + 9) & 15] + (ROTATED(early, 7) ^ ROTATED(early, 18) ^ early >> 3)
                    + (ROTATED(late, 17) ^ ROTATED(late, 19) ^ late >> 10);
    }
}

/// Compresses one block in each lane; `words` holds the first half of the blocks and is overwritten. The second half is
/// the same in all lanes and known when this is compiled, so that the compiler computes what depends on nothing else.
ALWAYS_INLINE TARGET void compress(
    vector state[GROUPS][8], vector words[GROUPS][16], const uint32_t second_half[8]) {
    vector v[GROUPS][8];
    UNROLL for (int g = 0; g < GROUPS; g++)
        UNROLL for (int w = 0; w < 8; w++) v[g][w] = state[g][w];
    UNROLL for (int g = 0; g < GROUPS; g++) {
        UNROLL for (int t = 0; t < 8; t++) round_of(v[g], t, words[g][t] + sha256_lanes_constants[t]);
        UNROLL for (int t = 8; t < 16; t++) {
            words[g][t] = (vector){0} + second_half[t - 8];
            round_of(v[g], t, (vector){0} + (second_half[t - 8] + sha256_lanes_constants[t]));
        }
        extend(words[g]);
    }
    for (int from = 16; from < 64; from += 16) {
        UNROLL for (int g = 0; g < GROUPS; g++) {
            UNROLL for (int t = 0; t < 16; t++)
                round_of(v[g], t, words[g][t] + sha256_lanes_constants[from + t]);
            if (from < 48) extend(words[g]);
        }
    }
    UNROLL for (int g = 0; g < GROUPS; g++)
        UNROLL for (int w = 0; w < 8; w++) state[g][w] += v[g][w];
}

/// Computes the midstate of each key after the block of the key XOR `pad`.
ALWAYS_INLINE TARGET void absorb_key(
    const sha256_lanes_block *keys, size_t unit, uint32_t pad, vector state[GROUPS][8], vector words[GROUPS][16]) {
    const uint32_t padding[8] = {pad, pad, pad, pad, pad, pad, pad, pad};
    for (int g = 0; g < GROUPS; g++) {
        for (int w = 0; w < 8; w++) words[g][w] = LANES_OF(keys, words, unit, g, w) ^ pad;
        for (int w = 0; w < 8; w++) state[g][w] = (vector){0} + sha256_lanes_start[w];
    }
    compress(state, words, padding);
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
    const sha256_lanes_output *output) {
    static const uint32_t padding[8] = {OUTER_PADDING};
    vector state[GROUPS][8], words[GROUPS][16];
    for (size_t unit = 0; unit < UNITS(blocks); unit++) {
        prefetch(&LANES_OF(states, inner.words, unit + 1, 0, 0), 64 * GROUPS * WIDTH);
        for (int g = 0; g < GROUPS; g++)
            for (int w = 0; w < 8; w++) state[g][w] = LANES_OF(states, inner.words, unit, g, w);
        compress_shared(state, message->schedule);
        for (int g = 0; g < GROUPS; g++) {
            for (int w = 0; w < 8; w++) words[g][w] = state[g][w];
            for (int w = 0; w < 8; w++) state[g][w] = LANES_OF(states, outer.words, unit, g, w);
        }
        compress(state, words, padding);
        for (int g = 0; g < GROUPS; g++) {
            const size_t lane = (unit * GROUPS + g) * WIDTH;
            deliver(output, lane / SHA256_LANES, lane % SHA256_LANES, WIDTH, (const uint32_t *)state[g]);
        }
    }
    sha256_lanes_wipe(state, sizeof state);
    sha256_lanes_wipe(words, sizeof words);
}

const sha256_lanes_kernel KERNEL = {
    GROUPS * WIDTH > SHA256_LANES ? 2 : 1, DEPTH(192, 384) * GROUPS * WIDTH + 1024, states_of, mac};
