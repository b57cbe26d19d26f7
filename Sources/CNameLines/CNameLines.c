#include "CNameLines.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// So many lines are under way at a time: about as many as processors have room for, and half as many again.
#define AHEAD 24

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE const name_line *home_of(const name_lines *lines, const uint64_t *name) {
    const uint64_t home = (uint64_t)((unsigned __int128)name[1] * lines->homes >> 64);
    return (const name_line *)lines->parts[home >> lines->shift] + (home & ((UINT64_C(1) << lines->shift) - 1));
}

/// A bit for each place that holds these bits.
ALWAYS_INLINE uint32_t matches(const name_line *line, uint64_t bits) {
    uint32_t found = 0;
    for (uint32_t place = 0; place < NAME_LINES_PLACES; place++) found |= (uint32_t)(line->bits[place] == bits) << place;
    return found;
}

/// What the bucket tells, without a branch that would have to be guessed.
ALWAYS_INLINE uint32_t id_in(const name_line *line, uint64_t bits, uint32_t found) {
    const uint32_t control = line->control;
    const uint32_t place = (uint32_t)__builtin_ctz(found | 1u << (NAME_LINES_PLACES - 1));
    const uint32_t id = line->ids[place];
    const uint32_t left = control & (NAME_LINES_HAS_MORE | 1u << (bits & 15));
    const uint32_t away = control & (NAME_LINES_HAS_MORE | 7u << (NAME_LINES_DISTANCES + 3 * place));
    const uint32_t missed = left ? NAME_LINES_UNKNOWN : NAME_LINES_NOBODY;
    const uint32_t met = away ? NAME_LINES_UNKNOWN : id;
    return found ? met : missed;
}

#define FIND(matches)                                                                                         \
    for (size_t index = 0; index < AHEAD && index < known; index++)                                           \
        __builtin_prefetch(home_of(lines, names + 2 * index));                                                \
    for (size_t index = 0; index < count; index++) {                                                          \
        if (index + AHEAD < known) __builtin_prefetch(home_of(lines, names + 2 * (index + AHEAD)));           \
        const name_line *line = home_of(lines, names + 2 * index);                                            \
        ids[index] = id_in(line, names[2 * index], matches(line, names[2 * index]));                          \
    }

#if defined(__x86_64__)

/// All places at once; what lies behind them in the line is masked away.
__attribute__((target("avx512f"))) ALWAYS_INLINE uint32_t matches_avx512(const name_line *line, uint64_t bits) {
    return _mm512_mask_cmpeq_epi64_mask(
        (1 << NAME_LINES_PLACES) - 1, _mm512_load_si512(line), _mm512_set1_epi64((long long)bits));
}

__attribute__((target("avx512f"))) static void find_avx512(
    const name_lines *lines, const uint64_t *names, size_t count, size_t known, uint32_t *ids) {
    FIND(matches_avx512)
}

#endif

void name_lines_find(
    const name_lines *lines, const uint64_t *names, size_t count, size_t known, uint32_t *ids) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return find_avx512(lines, names, count, known, ids);
#endif
    FIND(matches)
}
