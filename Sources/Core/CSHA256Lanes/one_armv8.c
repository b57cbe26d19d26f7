// SHA-256 for one key with the SHA instructions of ARMv8.

#if defined(__aarch64__)

#include <arm_neon.h>

#include "kernels.h"

#if defined(__ARM_FEATURE_SHA2) || defined(__ARM_FEATURE_CRYPTO)
#define TARGET
#else
#define TARGET __attribute__((target("arch=armv8-a+crypto")))
#endif

/// Words A B C D and E F G H of a state.
typedef struct {
    uint32x4_t abcd, efgh;
} halves;

ALWAYS_INLINE TARGET halves load(const uint32_t state[8]) { return (halves){vld1q_u32(state), vld1q_u32(state + 4)}; }

ALWAYS_INLINE TARGET void store(halves from, uint32_t state[8]) {
    vst1q_u32(state, from.abcd);
    vst1q_u32(state + 4, from.efgh);
}

ALWAYS_INLINE TARGET void load_words(const uint8_t *block, uint32x4_t words[4]) {
    UNROLL for (int i = 0; i < 4; i++) words[i] = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(block + 16 * i)));
}

ALWAYS_INLINE TARGET void four_rounds(halves *state, uint32x4_t words[4], int t) {
    if (t >= 4)
        words[t & 3] = vsha256su1q_u32(
            vsha256su0q_u32(words[t & 3], words[(t + 1) & 3]), words[(t + 2) & 3], words[(t + 3) & 3]);
    const uint32x4_t added = vaddq_u32(words[t & 3], vld1q_u32(&sha256_lanes_constants[4 * t]));
    const uint32x4_t abcd = state->abcd;
    state->abcd = vsha256hq_u32(abcd, state->efgh, added);
    state->efgh = vsha256h2q_u32(state->efgh, abcd, added);
    // Compilers would compute a whole schedule first, and the rounds of two states one after the other.
    __asm__ volatile("" : "+w"(state->efgh), "+w"(words[t & 3]));
}

ALWAYS_INLINE TARGET halves sum(halves left, halves right) {
    return (halves){vaddq_u32(left.abcd, right.abcd), vaddq_u32(left.efgh, right.efgh)};
}

static TARGET void compress(uint32_t state[8], const uint8_t *blocks, size_t count) {
    halves now = load(state);
    for (; count > 0; count--, blocks += 64) {
        const halves before = now;
        uint32x4_t words[4];
        load_words(blocks, words);
        UNROLL for (int t = 0; t < 16; t++) four_rounds(&now, words, t);
        now = sum(now, before);
    }
    store(now, state);
}

// Each instruction waits for the previous one of the same state, so that two states take hardly longer than one.
static TARGET void absorb_key(const uint8_t key[64], uint32_t inner[8], uint32_t outer[8]) {
    const halves start = load(sha256_lanes_start);
    halves first = start, second = start;
    uint32x4_t words[4], others[4];
    load_words(key, words);
    UNROLL for (int i = 0; i < 4; i++) {
        others[i] = veorq_u32(words[i], vdupq_n_u32(0x5c5c5c5c));
        words[i] = veorq_u32(words[i], vdupq_n_u32(0x36363636));
    }
    UNROLL for (int t = 0; t < 16; t++) {
        four_rounds(&first, words, t);
        four_rounds(&second, others, t);
    }
    store(sum(first, start), inner);
    store(sum(second, start), outer);
}

// The digest goes from the registers of one block to those of the next.
static TARGET void finish_mac(const uint32_t inner[8], const uint8_t block[64], uint32_t outer[8]) {
    static const uint32_t padding[8] = {OUTER_PADDING};
    const halves inner_before = load(inner), outer_before = load(outer);
    halves now = inner_before;
    uint32x4_t words[4];
    load_words(block, words);
    UNROLL for (int t = 0; t < 16; t++) four_rounds(&now, words, t);
    now = sum(now, inner_before);
    words[0] = now.abcd;
    words[1] = now.efgh;
    words[2] = vld1q_u32(&padding[0]);
    words[3] = vld1q_u32(&padding[4]);
    now = outer_before;
    UNROLL for (int t = 0; t < 16; t++) four_rounds(&now, words, t);
    store(sum(now, outer_before), outer);
}

const sha256_one_kernel sha256_one_kernel_armv8 = {compress, absorb_key, finish_mac};

#endif
