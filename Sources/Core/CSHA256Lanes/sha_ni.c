// SHA-256 with the SHA instructions of x86. Four lanes are interleaved, because each instruction depends on the
// previous one of the same lane and has to wait for its result.

#if defined(__x86_64__)

#include <immintrin.h>

#include "kernels.h"

#define TARGET __attribute__((target("sha,sse4.1,ssse3")))

enum { LANES = 4 };

/// The states of four lanes in the order that the instructions require: words F E B A and H G D C, lowest first.
typedef struct {
    __m128i feba[LANES], hgdc[LANES];
} quartet;

/// Transposes four rows of words into one vector for each lane.
ALWAYS_INLINE TARGET void transpose(__m128i r0, __m128i r1, __m128i r2, __m128i r3, __m128i lanes[LANES]) {
    const __m128i low01 = _mm_unpacklo_epi32(r0, r1), low23 = _mm_unpacklo_epi32(r2, r3);
    const __m128i high01 = _mm_unpackhi_epi32(r0, r1), high23 = _mm_unpackhi_epi32(r2, r3);
    lanes[0] = _mm_unpacklo_epi64(low01, low23);
    lanes[1] = _mm_unpackhi_epi64(low01, low23);
    lanes[2] = _mm_unpacklo_epi64(high01, high23);
    lanes[3] = _mm_unpackhi_epi64(high01, high23);
}

ALWAYS_INLINE TARGET __m128i row(const sha256_lanes_block *block, int word, int lane) {
    return _mm_loadu_si128((const __m128i *)&block->words[word][lane]);
}

ALWAYS_INLINE TARGET void load(const sha256_lanes_block *block, int lane, quartet *state) {
    transpose(row(block, 5, lane), row(block, 4, lane), row(block, 1, lane), row(block, 0, lane), state->feba);
    transpose(row(block, 7, lane), row(block, 6, lane), row(block, 3, lane), row(block, 2, lane), state->hgdc);
}

ALWAYS_INLINE TARGET void store(const quartet *state, sha256_lanes_block *block, int lane) {
    __m128i rows[LANES];
    const int feba[LANES] = {5, 4, 1, 0}, hgdc[LANES] = {7, 6, 3, 2};
    transpose(state->feba[0], state->feba[1], state->feba[2], state->feba[3], rows);
    for (int i = 0; i < 4; i++) _mm_storeu_si128((__m128i *)&block->words[feba[i]][lane], rows[i]);
    transpose(state->hgdc[0], state->hgdc[1], state->hgdc[2], state->hgdc[3], rows);
    for (int i = 0; i < 4; i++) _mm_storeu_si128((__m128i *)&block->words[hgdc[i]][lane], rows[i]);
}

ALWAYS_INLINE TARGET void write(const quartet *state, const sha256_lanes_output *output, size_t block, size_t lane) {
    if (output->pairs) {
        uint64_t *pairs = output->pairs + 2 * (block * SHA256_LANES + lane);
        for (int l = 0; l < LANES; l++)
            _mm_storeu_si128((__m128i *)(pairs + 2 * l), _mm_unpackhi_epi64(state->feba[l], state->hgdc[l]));
    } else if (output->numbers) {
        uint16_t *numbers = output->numbers + block * SHA256_LANES + lane;
        for (int l = 0; l < LANES; l++) numbers[l] = (uint16_t)_mm_extract_epi16(state->feba[l], 7);
    } else {
        store(state, &output->digests[block], (int)lane);
    }
}

/// Computes two rounds on each lane with the lower half of `added[l]`: words of the schedule plus the round constants.
#define TWO_ROUNDS(changed, other, added)                                                                \
    UNROLL for (int l = 0; l < LANES; l++)(changed)[l] = _mm_sha256rnds2_epu32((changed)[l], (other)[l], (added)[l])

ALWAYS_INLINE TARGET void add(quartet *state, const quartet *other) {
    UNROLL for (int l = 0; l < LANES; l++) {
        state->feba[l] = _mm_add_epi32(state->feba[l], other->feba[l]);
        state->hgdc[l] = _mm_add_epi32(state->hgdc[l], other->hgdc[l]);
    }
}

ALWAYS_INLINE TARGET void compress_shared(quartet *state, const uint32_t schedule[64]) {
    const quartet before = *state;
    UNROLL for (int t = 0; t < 64; t += 4) {
        const __m128i low = _mm_loadl_epi64((const __m128i *)&schedule[t]);
        UNROLL for (int l = 0; l < LANES; l++)
            state->hgdc[l] = _mm_sha256rnds2_epu32(state->hgdc[l], state->feba[l], low);
        const __m128i high = _mm_loadl_epi64((const __m128i *)&schedule[t + 2]);
        UNROLL for (int l = 0; l < LANES; l++)
            state->feba[l] = _mm_sha256rnds2_epu32(state->feba[l], state->hgdc[l], high);
    }
    add(state, &before);
}

/// Compresses one block in each lane: `words[i][l]` holds words 4i to 4i + 3 of lane l and is overwritten.
ALWAYS_INLINE TARGET void compress(quartet *state, __m128i words[4][LANES], const uint32_t second_half[8]) {
    const quartet before = *state;
    const uint32_t *k = sha256_lanes_constants, *s = second_half;
    UNROLL for (int t = 0; t < 16; t++) {
        __m128i added[LANES];
        if (t == 2 || t == 3) {
            const int w = 4 * t, i = w - 8;
            UNROLL for (int l = 0; l < LANES; l++) {
                words[t][l] = _mm_setr_epi32((int)s[i], (int)s[i + 1], (int)s[i + 2], (int)s[i + 3]);
                added[l] = _mm_setr_epi32(
                    (int)(s[i] + k[w]), (int)(s[i + 1] + k[w + 1]), (int)(s[i + 2] + k[w + 2]), (int)(s[i + 3] + k[w + 3]));
            }
        } else {
            const __m128i constants = _mm_loadu_si128((const __m128i *)&k[4 * t]);
            UNROLL for (int l = 0; l < LANES; l++) {
                if (t >= 4) {
                    const __m128i late = words[(t + 3) & 3][l];
                    const __m128i middle = _mm_alignr_epi8(late, words[(t + 2) & 3][l], 4);
                    const __m128i sum = _mm_add_epi32(
                        _mm_sha256msg1_epu32(words[t & 3][l], words[(t + 1) & 3][l]), middle);
                    words[t & 3][l] = _mm_sha256msg2_epu32(sum, late);
                }
                added[l] = _mm_add_epi32(words[t & 3][l], constants);
            }
        }
        TWO_ROUNDS(state->hgdc, state->feba, added);
        UNROLL for (int l = 0; l < LANES; l++) added[l] = _mm_shuffle_epi32(added[l], 0x0e);
        TWO_ROUNDS(state->feba, state->hgdc, added);
    }
    add(state, &before);
}

ALWAYS_INLINE TARGET void absorb_key(const sha256_lanes_block *keys, int lane, uint32_t pad, quartet *state) {
    const __m128i padding = _mm_set1_epi32((int)pad);
    const uint32_t second_half[8] = {pad, pad, pad, pad, pad, pad, pad, pad};
    __m128i words[4][LANES];
    transpose(row(keys, 0, lane), row(keys, 1, lane), row(keys, 2, lane), row(keys, 3, lane), words[0]);
    transpose(row(keys, 4, lane), row(keys, 5, lane), row(keys, 6, lane), row(keys, 7, lane), words[1]);
    const uint32_t *s = sha256_lanes_start;
    UNROLL for (int l = 0; l < LANES; l++) {
        words[0][l] = _mm_xor_si128(words[0][l], padding);
        words[1][l] = _mm_xor_si128(words[1][l], padding);
        state->feba[l] = _mm_setr_epi32((int)s[5], (int)s[4], (int)s[1], (int)s[0]);
        state->hgdc[l] = _mm_setr_epi32((int)s[7], (int)s[6], (int)s[3], (int)s[2]);
    }
    compress(state, words, second_half);
}

static TARGET void states_of(const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states) {
    for (size_t block = 0; block < blocks; block++) {
        for (int lane = 0; lane < SHA256_LANES; lane += LANES) {
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
        for (int lane = 0; lane < SHA256_LANES; lane += LANES) {
            quartet state;
            __m128i words[4][LANES];
            load(&states[block].inner, lane, &state);
            compress_shared(&state, message->schedule);
            UNROLL for (int l = 0; l < LANES; l++) {
                const __m128i abef = _mm_shuffle_epi32(state.feba[l], 0x1b);
                const __m128i ghcd = _mm_shuffle_epi32(state.hgdc[l], 0xb1);
                words[0][l] = _mm_blend_epi16(abef, ghcd, 0xf0);
                words[1][l] = _mm_alignr_epi8(ghcd, abef, 8);
            }
            load(&states[block].outer, lane, &state);
            compress(&state, words, padding);
            write(&state, output, block, (size_t)lane);
        }
    }
}

// Values that the compiler spills are on the stack below the caller, which wipes it. Variables that are wiped by name
// would be kept in memory instead of registers.
const sha256_lanes_kernel sha256_lanes_kernel_sha_ni = {1, DEPTH(2 << 10, 8 << 10), states_of, mac};

#endif
