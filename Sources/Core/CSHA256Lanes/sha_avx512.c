// SHA-256 with the SHA instructions of x86 for the rounds, and vectors of 16 lanes for the schedules of the blocks.
//
// If both units work at the same time, a name takes little more than the instructions for its rounds. So the work on
// three blocks overlaps: in each step of the loop, the inner rounds of a block and the outer rounds of the block two
// before it alternate with the schedule of the block between them. For the midstates of keys, the rounds of a padded
// key alternate with the schedule of the next.

#if defined(__x86_64__)

#include <immintrin.h>

#include "kernels.h"

#define TARGET __attribute__((target("avx512f,avx512vl,sha,sse4.1,ssse3")))

enum {
    /// The lanes whose rounds are interleaved, and the number of such groups.
    LANES = 4,
    GROUPS = SHA256_LANES / LANES,
    /// The words of a schedule that do not come from the block itself.
    COMPUTED = 48,
    /// The places where a word can be computed in the rounds of 16 lanes: after four rounds of a group.
    PLACES = GROUPS * 16,
};

/// States in the order that the instructions require: words F E B A and H G D C, lowest first. Group `g` holds the
/// lanes g, g + 4, g + 8 and g + 12, as a transposition inside each quarter of a vector yields them.
typedef struct {
    __m128i feba[GROUPS][LANES], hgdc[GROUPS][LANES];
} states16;

/// The schedules of 16 lanes with the round constants added, in pairs, as the instructions take them.
typedef struct {
    uint64_t pairs[32][SHA256_LANES];
} schedules16;

/// The memory between the steps. Of two elements, one is for even-numbered blocks.
typedef struct {
    states16 inner_before, inner, outer_before[2], outer;
    schedules16 schedules[2];
} __attribute__((aligned(64))) workspace;

/// Two words in memory as an operand of 8 bytes.
typedef uint64_t pair __attribute__((aligned(4), may_alias));

/// Two rounds on a lane. Written in assembler because compilers move the operand through other registers, and sort by
/// lane the instructions that alternate here.
#define TWO_ROUNDS(changed, other, added)                                                                \
    __asm__ volatile("vmovq %2, %%xmm0\n\tsha256rnds2 %1, %0" : "+x"(changed) : "x"(other), "m"(added) : "xmm0")

/// Two rounds on four lanes with the same words.
#define TWO_SHARED_ROUNDS(changed, other, added)                                                         \
    __asm__ volatile(                                                                                    \
        "vmovq %8, %%xmm0\n\tsha256rnds2 %4, %0\n\tsha256rnds2 %5, %1\n\t"                               \
        "sha256rnds2 %6, %2\n\tsha256rnds2 %7, %3"                                                       \
        : "+x"((changed)[0]), "+x"((changed)[1]), "+x"((changed)[2]), "+x"((changed)[3])                 \
        : "x"((other)[0]), "x"((other)[1]), "x"((other)[2]), "x"((other)[3]), "m"(added)                 \
        : "xmm0")

/// Keeps the compiler from moving or combining the computation of `x`.
#define HERE(x) __asm__ volatile("" : "+v"(x))

// Between rows of words and lanes

ALWAYS_INLINE TARGET void transpose(__m512i rows[4]) {
    const __m512i low01 = _mm512_unpacklo_epi32(rows[0], rows[1]), low23 = _mm512_unpacklo_epi32(rows[2], rows[3]);
    const __m512i high01 = _mm512_unpackhi_epi32(rows[0], rows[1]), high23 = _mm512_unpackhi_epi32(rows[2], rows[3]);
    rows[0] = _mm512_unpacklo_epi64(low01, low23);
    rows[1] = _mm512_unpackhi_epi64(low01, low23);
    rows[2] = _mm512_unpacklo_epi64(high01, high23);
    rows[3] = _mm512_unpackhi_epi64(high01, high23);
}

ALWAYS_INLINE TARGET void load(const sha256_lanes_block *block, states16 *states) {
    __m512i w[8];
    UNROLL for (int i = 0; i < 8; i++) w[i] = _mm512_loadu_si512(block->words[i]);
    __m512i feba[4] = {w[5], w[4], w[1], w[0]}, hgdc[4] = {w[7], w[6], w[3], w[2]};
    transpose(feba);
    transpose(hgdc);
    UNROLL for (int g = 0; g < GROUPS; g++) {
        _mm512_store_si512(states->feba[g], feba[g]);
        _mm512_store_si512(states->hgdc[g], hgdc[g]);
    }
}

ALWAYS_INLINE TARGET void add(const states16 *states, const states16 *before, __m512i feba[4], __m512i hgdc[4]) {
    UNROLL for (int g = 0; g < GROUPS; g++) {
        feba[g] = _mm512_add_epi32(_mm512_load_si512(states->feba[g]), _mm512_load_si512(before->feba[g]));
        hgdc[g] = _mm512_add_epi32(_mm512_load_si512(states->hgdc[g]), _mm512_load_si512(before->hgdc[g]));
    }
}

/// Adds the states before the rounds, and returns rows of words.
ALWAYS_INLINE TARGET void rows_of(const states16 *states, const states16 *before, __m512i words[8]) {
    __m512i feba[4], hgdc[4];
    add(states, before, feba, hgdc);
    transpose(feba);
    transpose(hgdc);
    words[0] = feba[3], words[1] = feba[2], words[2] = hgdc[3], words[3] = hgdc[2];
    words[4] = feba[1], words[5] = feba[0], words[6] = hgdc[1], words[7] = hgdc[0];
}

ALWAYS_INLINE TARGET void write(
    const states16 *states, const states16 *before, const sha256_lanes_output *output, size_t block) {
    __m512i words[8];
    if (output->pairs) {
        __m512i feba[4], hgdc[4];
        add(states, before, feba, hgdc);
        uint64_t *pairs = output->pairs + 2 * block * SHA256_LANES;
        UNROLL for (int g = 0; g < GROUPS; g++) {
            // The words B A and D C of each lane, which are its two numbers.
            const __m512i both = _mm512_unpackhi_epi64(feba[g], hgdc[g]);
            _mm_storeu_si128((__m128i *)(pairs + 2 * g), _mm512_castsi512_si128(both));
            _mm_storeu_si128((__m128i *)(pairs + 2 * (g + 4)), _mm512_extracti32x4_epi32(both, 1));
            _mm_storeu_si128((__m128i *)(pairs + 2 * (g + 8)), _mm512_extracti32x4_epi32(both, 2));
            _mm_storeu_si128((__m128i *)(pairs + 2 * (g + 12)), _mm512_extracti32x4_epi32(both, 3));
        }
        return;
    }
    rows_of(states, before, words);
    if (output->numbers) {
        _mm256_storeu_si256(
            (__m256i *)(output->numbers + block * SHA256_LANES), _mm512_cvtepi32_epi16(_mm512_srli_epi32(words[0], 16)));
    } else {
        UNROLL for (int i = 0; i < 8; i++) _mm512_storeu_si512(output->digests[block].words[i], words[i]);
    }
}

// Schedules

/// The place of the pairs of lane `lane` of group `group` in a row, as they are interleaved.
#define PLACE(group, lane) (((group) & 2) * 4 + 2 * (lane) + ((group) & 1))

/// Writes words `t` and `t + 1` of the schedules.
ALWAYS_INLINE TARGET void write_pair(schedules16 *schedules, const __m512i w[16], int t) {
    const __m512i even = _mm512_add_epi32(w[t & 15], _mm512_set1_epi32((int)sha256_lanes_constants[t]));
    const __m512i odd = _mm512_add_epi32(w[(t + 1) & 15], _mm512_set1_epi32((int)sha256_lanes_constants[t + 1]));
    _mm512_store_si512(&schedules->pairs[t / 2][0], _mm512_unpacklo_epi32(even, odd));
    _mm512_store_si512(&schedules->pairs[t / 2][8], _mm512_unpackhi_epi32(even, odd));
}

/// Returns a ^ b ^ c without the one instruction for it, which takes the SHA unit's time on the processors measured.
ALWAYS_INLINE TARGET __m512i xor_of(__m512i a, __m512i b, __m512i c) {
    __m512i both = _mm512_xor_si512(a, b);
    HERE(both);
    return _mm512_xor_si512(both, c);
}

/// Computes the next words of the schedules that are due at a place of `places`, and counts them in `t`.
ALWAYS_INLINE TARGET void advance(__m512i w[16], schedules16 *schedules, int place, int places, int *t) {
    if ((place + 1) * COMPUTED / places <= *t - 16) return;
    const __m512i late = w[(*t + 14) & 15], early = w[(*t + 1) & 15];
    const __m512i from_early =
        xor_of(_mm512_ror_epi32(early, 7), _mm512_ror_epi32(early, 18), _mm512_srli_epi32(early, 3));
    const __m512i from_late =
        xor_of(_mm512_ror_epi32(late, 17), _mm512_ror_epi32(late, 19), _mm512_srli_epi32(late, 10));
    __m512i word = _mm512_add_epi32(
        _mm512_add_epi32(w[*t & 15], from_early), _mm512_add_epi32(w[(*t + 9) & 15], from_late));
    HERE(word);
    w[*t & 15] = word;
    if (*t & 1) write_pair(schedules, w, *t - 1);
    ++*t;
}

// The steps

ALWAYS_INLINE TARGET void mac_in(
    workspace *space, const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    const sha256_lanes_output *output) {
    static const uint32_t padding[8] = {OUTER_PADDING};
    __m512i w[16];
    UNROLL for (int t = 0; t < 8; t++) w[t] = _mm512_setzero_si512();
    UNROLL for (int t = 8; t < 16; t++) w[t] = _mm512_set1_epi32((int)padding[t - 8]);
    // The same for all blocks.
    UNROLL for (int t = 8; t < 16; t += 2) {
        write_pair(&space->schedules[0], w, t);
        write_pair(&space->schedules[1], w, t);
    }
    for (size_t step = 0; step < blocks + 2; step++) {
        // In the first and last steps there is no block for a part of the step. It then works on the memory as it is,
        // and its result is not used.
        const sha256_lanes_states *next = &states[step < blocks ? step : blocks - 1];
        schedules16 *written = &space->schedules[step & 1];
        const schedules16 *read = &space->schedules[~step & 1];
        const states16 *outer_before = &space->outer_before[~step & 1];
        if (step > 0) {
            rows_of(&space->inner, &space->inner_before, w);
            UNROLL for (int t = 8; t < 16; t++) w[t] = _mm512_set1_epi32((int)padding[t - 8]);
            UNROLL for (int t = 0; t < 8; t += 2) write_pair(written, w, t);
            load(&states[step <= blocks ? step - 1 : blocks - 1].outer, &space->outer_before[step & 1]);
        }
        prefetch(next + 1, sizeof *next);
        load(&next->inner, &space->inner_before);
        int place = 0, t = 16;
        UNROLL for (int g = 0; g < GROUPS; g++) {
            __m128i feba[LANES], hgdc[LANES];
            UNROLL for (int l = 0; l < LANES; l++) feba[l] = space->inner_before.feba[g][l];
            UNROLL for (int l = 0; l < LANES; l++) hgdc[l] = space->inner_before.hgdc[g][l];
            UNROLL for (int i = 0; i < 64; i += 4) {
                TWO_SHARED_ROUNDS(hgdc, feba, *(const pair *)&message->schedule[i]);
                TWO_SHARED_ROUNDS(feba, hgdc, *(const pair *)&message->schedule[i + 2]);
                advance(w, written, place++, 2 * PLACES, &t);
            }
            UNROLL for (int l = 0; l < LANES; l++) space->inner.feba[g][l] = feba[l];
            UNROLL for (int l = 0; l < LANES; l++) space->inner.hgdc[g][l] = hgdc[l];
        }
        UNROLL for (int g = 0; g < GROUPS; g++) {
            __m128i feba[LANES], hgdc[LANES];
            UNROLL for (int l = 0; l < LANES; l++) feba[l] = outer_before->feba[g][l];
            UNROLL for (int l = 0; l < LANES; l++) hgdc[l] = outer_before->hgdc[g][l];
            UNROLL for (int i = 0; i < 32; i += 2) {
                UNROLL for (int l = 0; l < LANES; l++) TWO_ROUNDS(hgdc[l], feba[l], read->pairs[i][PLACE(g, l)]);
                UNROLL for (int l = 0; l < LANES; l++) TWO_ROUNDS(feba[l], hgdc[l], read->pairs[i + 1][PLACE(g, l)]);
                advance(w, written, place++, 2 * PLACES, &t);
            }
            UNROLL for (int l = 0; l < LANES; l++) space->outer.feba[g][l] = feba[l];
            UNROLL for (int l = 0; l < LANES; l++) space->outer.hgdc[g][l] = hgdc[l];
        }
        if (step >= 2) write(&space->outer, outer_before, output, step - 2);
    }
}

static TARGET void mac(
    const sha256_lanes_states *states, size_t blocks, const sha256_lanes_message *message,
    const sha256_lanes_output *output) {
    workspace space;
    mac_in(&space, states, blocks, message, output);
    sha256_lanes_wipe(&space, sizeof space);
}

/// The words of the padding of a key for the inner hash, 0, or the outer one, 1.
ALWAYS_INLINE TARGET __m512i padding_of(size_t kind) {
    return _mm512_set1_epi32(kind == 0 ? 0x36363636 : 0x5c5c5c5c);
}

ALWAYS_INLINE TARGET void states_in(
    workspace *space, const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states) {
    __m512i w[16];
    sha256_lanes_block start;
    UNROLL for (int i = 0; i < 8; i++) {
        _mm512_storeu_si512(start.words[i], _mm512_set1_epi32((int)sha256_lanes_start[i]));
    }
    load(&start, &space->inner_before);
    // Each schedule has one kind of padding, whose words are the same for all keys.
    UNROLL for (int kind = 0; kind < 2; kind++) {
        UNROLL for (int t = 8; t < 16; t++) w[t] = padding_of(kind);
        UNROLL for (int t = 8; t < 16; t += 2) write_pair(&space->schedules[kind], w, t);
    }
    // The rounds of a step are those of the padded key before the one whose schedule it computes.
    for (size_t step = 0; step <= 2 * blocks; step++) {
        const sha256_lanes_block *key = &keys[step < 2 * blocks ? step / 2 : blocks - 1];
        const __m512i padding = padding_of(step & 1);
        schedules16 *written = &space->schedules[step & 1];
        const schedules16 *read = &space->schedules[~step & 1];
        UNROLL for (int t = 0; t < 8; t++) w[t] = _mm512_xor_si512(_mm512_loadu_si512(key->words[t]), padding);
        UNROLL for (int t = 8; t < 16; t++) w[t] = padding;
        UNROLL for (int t = 0; t < 8; t += 2) write_pair(written, w, t);
        int place = 0, t = 16;
        UNROLL for (int g = 0; g < GROUPS; g++) {
            __m128i feba[LANES], hgdc[LANES];
            UNROLL for (int l = 0; l < LANES; l++) feba[l] = space->inner_before.feba[g][l];
            UNROLL for (int l = 0; l < LANES; l++) hgdc[l] = space->inner_before.hgdc[g][l];
            UNROLL for (int i = 0; i < 32; i += 2) {
                UNROLL for (int l = 0; l < LANES; l++) TWO_ROUNDS(hgdc[l], feba[l], read->pairs[i][PLACE(g, l)]);
                UNROLL for (int l = 0; l < LANES; l++) TWO_ROUNDS(feba[l], hgdc[l], read->pairs[i + 1][PLACE(g, l)]);
                advance(w, written, place++, PLACES, &t);
            }
            UNROLL for (int l = 0; l < LANES; l++) space->inner.feba[g][l] = feba[l];
            UNROLL for (int l = 0; l < LANES; l++) space->inner.hgdc[g][l] = hgdc[l];
        }
        if (step == 0) continue;
        __m512i words[8];
        rows_of(&space->inner, &space->inner_before, words);
        sha256_lanes_states *of_block = &states[(step - 1) / 2];
        sha256_lanes_block *state = step & 1 ? &of_block->inner : &of_block->outer;
        UNROLL for (int i = 0; i < 8; i++) _mm512_storeu_si512(state->words[i], words[i]);
    }
}

static TARGET void states_of(const sha256_lanes_block *keys, size_t blocks, sha256_lanes_states *states) {
    workspace space;
    if (blocks > 0) states_in(&space, keys, blocks, states);
    sha256_lanes_wipe(&space, sizeof space);
}

const sha256_lanes_kernel sha256_lanes_kernel_sha_avx512 = {1, DEPTH(14 << 10, 88 << 10), states_of, mac};

#endif
