// SHA-256 with the SHA instructions of ARMv8. Four lanes are interleaved, because each instruction depends on the
// previous one of the same lane and has to wait for its result.

#if defined(__aarch64__)

#include <arm_neon.h>

#include "kernels.h"

// If the whole program is compiled for these instructions, no function needs to name them.
#if defined(__ARM_FEATURE_SHA2) || defined(__ARM_FEATURE_CRYPTO)
#define TARGET
#else
#define TARGET __attribute__((target("arch=armv8-a+crypto")))
#endif

enum { LANES = 4 };

/// The states of four lanes: words A B C D and E F G H.
typedef struct {
    uint32x4_t abcd[LANES], efgh[LANES];
} quartet;

/// Transposes four vectors of four words.
ALWAYS_INLINE TARGET void transpose(uint32x4_t v[LANES]) {
    const uint64x2_t even01 = vreinterpretq_u64_u32(vtrn1q_u32(v[0], v[1]));
    const uint64x2_t odd01 = vreinterpretq_u64_u32(vtrn2q_u32(v[0], v[1]));
    const uint64x2_t even23 = vreinterpretq_u64_u32(vtrn1q_u32(v[2], v[3]));
    const uint64x2_t odd23 = vreinterpretq_u64_u32(vtrn2q_u32(v[2], v[3]));
    v[0] = vreinterpretq_u32_u64(vtrn1q_u64(even01, even23));
    v[1] = vreinterpretq_u32_u64(vtrn1q_u64(odd01, odd23));
    v[2] = vreinterpretq_u32_u64(vtrn2q_u64(even01, even23));
    v[3] = vreinterpretq_u32_u64(vtrn2q_u64(odd01, odd23));
}

/// Loads words `word` to `word` + 3 of four lanes, one vector for each lane.
ALWAYS_INLINE TARGET void load_words(
    const sha256_lanes_block *block, size_t word, size_t lane, uint32x4_t v[LANES]) {
    UNROLL for (size_t i = 0; i < 4; i++) v[i] = vld1q_u32(&block->words[word + i][lane]);
    transpose(v);
}

ALWAYS_INLINE TARGET void load(const sha256_lanes_block *block, size_t lane, quartet *state) {
    load_words(block, 0, lane, state->abcd);
    load_words(block, 4, lane, state->efgh);
}

ALWAYS_INLINE TARGET void store(const quartet *state, sha256_lanes_block *block, size_t lane) {
    quartet rows = *state;
    transpose(rows.abcd);
    transpose(rows.efgh);
    UNROLL for (size_t i = 0; i < 4; i++) {
        vst1q_u32(&block->words[i][lane], rows.abcd[i]);
        vst1q_u32(&block->words[4 + i][lane], rows.efgh[i]);
    }
}

ALWAYS_INLINE TARGET void write(const quartet *state, const sha256_lanes_output *output, size_t block, size_t lane) {
    if (output->pairs) {
        uint64_t *pairs = output->pairs + 2 * (block * SHA256_LANES + lane);
        // Words B A and D C are the two numbers.
        UNROLL for (size_t l = 0; l < LANES; l++)
            vst1q_u64(pairs + 2 * l, vreinterpretq_u64_u32(vrev64q_u32(state->abcd[l])));
    } else if (output->numbers) {
        uint16_t *numbers = output->numbers + block * SHA256_LANES + lane;
        UNROLL for (size_t l = 0; l < LANES; l++) numbers[l] = (uint16_t)(vgetq_lane_u32(state->abcd[l], 0) >> 16);
    } else {
        store(state, &output->digests[block], lane);
    }
}

/// Computes four rounds on each lane; `added` holds words of the schedule plus the round constants.
ALWAYS_INLINE TARGET void four_rounds(quartet *state, const uint32x4_t added[LANES]) {
    UNROLL for (size_t l = 0; l < LANES; l++) {
        const uint32x4_t abcd = state->abcd[l];
        state->abcd[l] = vsha256hq_u32(abcd, state->efgh[l], added[l]);
        state->efgh[l] = vsha256h2q_u32(state->efgh[l], abcd, added[l]);
    }
}

ALWAYS_INLINE TARGET void add(quartet *state, const quartet *other) {
    UNROLL for (size_t l = 0; l < LANES; l++) {
        state->abcd[l] = vaddq_u32(state->abcd[l], other->abcd[l]);
        state->efgh[l] = vaddq_u32(state->efgh[l], other->efgh[l]);
    }
}

ALWAYS_INLINE TARGET void compress_shared(quartet *state, const uint32_t schedule[64]) {
    const quartet before = *state;
    UNROLL for (int t = 0; t < 64; t += 4) {
        const uint32x4_t words = vld1q_u32(&schedule[t]);
        const uint32x4_t added[LANES] = {words, words, words, words};
        four_rounds(state, added);
    }
    add(state, &before);
}

/// Compresses one block in each lane: `words[i][l]` holds words 4i to 4i + 3 of lane l and is overwritten.
ALWAYS_INLINE TARGET void compress(quartet *state, uint32x4_t words[4][LANES]) {
    const quartet before = *state;
    UNROLL for (int t = 0; t < 16; t++) {
        const uint32x4_t constants = vld1q_u32(&sha256_lanes_constants[4 * t]);
        uint32x4_t added[LANES];
        UNROLL for (size_t l = 0; l < LANES; l++) {
            if (t >= 4)
                words[t & 3][l] = vsha256su1q_u32(
                    vsha256su0q_u32(words[t & 3][l], words[(t + 1) & 3][l]), words[(t + 2) & 3][l],
                    words[(t + 3) & 3][l]);
            added[l] = vaddq_u32(words[t & 3][l], constants);
        }
        four_rounds(state, added);
    }
    add(state, &before);
}

ALWAYS_INLINE TARGET void absorb_key(const sha256_lanes_block *keys, size_t lane, uint32_t pad, quartet *state) {
    const uint32x4_t padding = vdupq_n_u32(pad);
    uint32x4_t words[4][LANES];
    load_words(keys, 0, lane, words[0]);
    load_words(keys, 4, lane, words[1]);
    UNROLL for (size_t l = 0; l < LANES; l++) {
        words[0][l] = veorq_u32(words[0][l], padding);
        words[1][l] = veorq_u32(words[1][l], padding);
        words[2][l] = words[3][l] = padding;
        state->abcd[l] = vld1q_u32(&sha256_lanes_start[0]);
        state->efgh[l] = vld1q_u32(&sha256_lanes_start[4]);
    }
    compress(state, words);
}

static TARGET void states_of(const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states) {
    for (size_t block = 0; block < blocks; block++) {
        for (size_t lane = 0; lane < SHA256_LANES; lane += LANES) {
            quartet state;
            absorb_key(&keys[block], lane, 0x36363636, &state);
            store(&state, &states[block].inner, lane);
            absorb_key(&keys[block], lane, 0x5c5c5c5c, &state);
            store(&state, &states[block].outer, lane);
        }
    }
}

static TARGET void mac(
    const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    const sha256_lanes_output *output) {
    static const uint32_t padding[8] = {OUTER_PADDING};
    for (size_t block = 0; block < blocks; block++) {
        prefetch(&states[block + 1], sizeof states[0]);
        for (size_t lane = 0; lane < SHA256_LANES; lane += LANES) {
            quartet state;
            uint32x4_t words[4][LANES];
            load(&states[block].inner, lane, &state);
            compress_shared(&state, message->schedule);
            UNROLL for (size_t l = 0; l < LANES; l++) {
                words[0][l] = state.abcd[l];
                words[1][l] = state.efgh[l];
                words[2][l] = vld1q_u32(&padding[0]);
                words[3][l] = vld1q_u32(&padding[4]);
            }
            load(&states[block].outer, lane, &state);
            compress(&state, words);
            write(&state, output, block, lane);
        }
    }
}

// Values that the compiler spills are on the stack below the caller, which wipes it.
const sha256_lanes_kernel sha256_lanes_kernel_armv8 = {1, DEPTH(2 << 10, 8 << 10), states_of, mac};

#endif
