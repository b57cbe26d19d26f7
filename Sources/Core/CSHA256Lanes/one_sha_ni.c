// SHA-256 for one key with the SHA instructions of x86.

#if defined(__x86_64__)

#include <immintrin.h>

#include "kernels.h"

#define TARGET __attribute__((target("sha,sse4.1,ssse3")))

/// The state in the order that the instructions require: words F E B A and H G D C, lowest first.
typedef struct {
    __m128i feba, hgdc;
} halves;

ALWAYS_INLINE TARGET halves load(const uint32_t state[8]) {
    const __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);
    const __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);
    return (halves){_mm_alignr_epi8(badc, hgfe, 8), _mm_blend_epi16(hgfe, badc, 0xf0)};
}

ALWAYS_INLINE TARGET void store(halves from, uint32_t state[8]) {
    const __m128i abef = _mm_shuffle_epi32(from.feba, 0x1b), ghcd = _mm_shuffle_epi32(from.hgdc, 0xb1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(abef, ghcd, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(ghcd, abef, 8));
}

ALWAYS_INLINE TARGET void load_words(const uint8_t *block, __m128i words[4]) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    UNROLL for (int i = 0; i < 4; i++)
        words[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * i)), order);
}

ALWAYS_INLINE TARGET __m128i next_words(const __m128i words[4], int t) {
    const __m128i late = words[(t + 3) & 3];
    const __m128i sum = _mm_add_epi32(
        _mm_sha256msg1_epu32(words[t & 3], words[(t + 1) & 3]), _mm_alignr_epi8(late, words[(t + 2) & 3], 4));
    return _mm_sha256msg2_epu32(sum, late);
}

ALWAYS_INLINE TARGET void four_rounds(halves *state, __m128i words[4], int t) {
    if (t >= 4) words[t & 3] = next_words(words, t);
    const __m128i added =
        _mm_add_epi32(words[t & 3], _mm_loadu_si128((const __m128i *)&sha256_lanes_constants[4 * t]));
    state->hgdc = _mm_sha256rnds2_epu32(state->hgdc, state->feba, added);
    state->feba = _mm_sha256rnds2_epu32(state->feba, state->hgdc, _mm_shuffle_epi32(added, 0x0e));
    // Compilers would compute a whole schedule first, and the rounds of two states one after the other.
    __asm__ volatile("" : "+x"(state->feba), "+x"(words[t & 3]));
}

ALWAYS_INLINE TARGET halves sum(halves left, halves right) {
    return (halves){_mm_add_epi32(left.feba, right.feba), _mm_add_epi32(left.hgdc, right.hgdc)};
}

static TARGET void compress(uint32_t state[8], const uint8_t *blocks, size_t count) {
    halves now = load(state);
    for (; count > 0; count--, blocks += 64) {
        const halves before = now;
        __m128i words[4];
        load_words(blocks, words);
        UNROLL for (int t = 0; t < 16; t++) four_rounds(&now, words, t);
        now = sum(now, before);
    }
    store(now, state);
}

// Each instruction waits for the previous one of the same state, so that two states take hardly longer than one.
static TARGET void absorb_key(const uint8_t key[64], uint32_t inner[8], uint32_t outer[8]) {
    const __m128i inner_pad = _mm_set1_epi32(0x36363636), outer_pad = _mm_set1_epi32(0x5c5c5c5c);
    const halves start = load(sha256_lanes_start);
    halves first = start, second = start;
    __m128i words[4], others[4];
    load_words(key, words);
    UNROLL for (int i = 0; i < 4; i++) {
        others[i] = _mm_xor_si128(words[i], outer_pad);
        words[i] = _mm_xor_si128(words[i], inner_pad);
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
    const halves inner_before = load(inner), outer_before = load(outer);
    halves now = inner_before;
    __m128i words[4];
    load_words(block, words);
    UNROLL for (int t = 0; t < 16; t++) four_rounds(&now, words, t);
    now = sum(now, inner_before);
    static const uint32_t padding[8] = {OUTER_PADDING};
    const __m128i abef = _mm_shuffle_epi32(now.feba, 0x1b), ghcd = _mm_shuffle_epi32(now.hgdc, 0xb1);
    words[0] = _mm_blend_epi16(abef, ghcd, 0xf0);
    words[1] = _mm_alignr_epi8(ghcd, abef, 8);
    words[2] = _mm_loadu_si128((const __m128i *)&padding[0]);
    words[3] = _mm_loadu_si128((const __m128i *)&padding[4]);
    now = outer_before;
    UNROLL for (int t = 0; t < 16; t++) four_rounds(&now, words, t);
    store(sum(now, outer_before), outer);
}

const sha256_one_kernel sha256_one_kernel_sha_ni = {compress, absorb_key, finish_mac};

#endif
