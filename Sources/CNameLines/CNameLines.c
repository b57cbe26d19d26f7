#include "CNameLines.h"

#include <string.h>

#if defined(__x86_64__) && !defined(NAME_LINES_PORTABLE)
#include <immintrin.h>
#endif

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// Digits

typedef uint8_t digits16 __attribute__((vector_size(16)));

/// Returns the values of 16 digits, and clears the byte in `are_digits` of each character that is not a digit.
ALWAYS_INLINE digits16 values_of(const uint8_t *digits, digits16 *are_digits) {
    digits16 read;
    memcpy(&read, digits, sizeof read);
    const digits16 is_letter = (digits16)(read - 'a' < 6);
    *are_digits &= (digits16)(read - '0' < 10) | is_letter;
    return (read & 15) + (is_letter & 9);
}

bool name_lines_parse(const uint8_t *digits, uint64_t *numbers) {
    digits16 are_digits = (digits16){0} == 0;
    const digits16 a = values_of(digits, &are_digits), b = values_of(digits + 16, &are_digits);
    const digits16 upper = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const digits16 lower = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    const digits16 bytes = upper << 4 | lower;
    uint64_t halves[2];
    memcpy(halves, &bytes, sizeof halves);
    for (int half = 0; half < 2; half++) numbers[half] = __builtin_bswap64(halves[half]);
    memcpy(halves, &are_digits, sizeof halves);
    return (halves[0] & halves[1]) == UINT64_MAX;
}

// Buckets

/// The number of lines that are prefetched ahead: more than processors can load at the same time.
#define AHEAD 32

ALWAYS_INLINE const name_line *home_of(const name_lines *lines, const uint64_t *name) {
    const uint64_t home = (uint64_t)((unsigned __int128)name[1] * lines->homes >> 64);
    return (const name_line *)lines->parts[home >> lines->shift] + (home & ((UINT64_C(1) << lines->shift) - 1));
}

/// Returns the mix of a name's bits that is stored in its place.
ALWAYS_INLINE uint64_t mixed(const uint64_t *name) {
    return name[0] ^ (name[1] ^ name[1] >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

/// Returns a bit mask of the places that hold these bits.
ALWAYS_INLINE uint32_t matches(const name_line *line, uint64_t bits) {
    uint32_t found = 0;
    for (uint32_t place = 0; place < NAME_LINES_PLACES; place++) found |= (uint32_t)(line->bits[place] == bits) << place;
    return found;
}

#if defined(__clang__)
#define UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define UNPREDICTABLE(condition) (condition)
#endif

/// Returns the id that a bucket gives for a name. There is no branch, because a processor could not predict it.
ALWAYS_INLINE uint32_t id_in(const name_line *line, uint64_t bits, uint32_t found) {
    const uint32_t control = line->control;
    const uint32_t place = (uint32_t)__builtin_ctz(found | 1u << (NAME_LINES_PLACES - 1));
    const uint32_t id = line->ids[place];
    const uint32_t left = control & (NAME_LINES_HAS_MORE | 1u << (bits & 15));
    const uint32_t away = control & (NAME_LINES_HAS_MORE | 7u << (NAME_LINES_DISTANCES + 3 * place));
    const uint32_t missed = UINT32_MAX - (left != 0), met = UNPREDICTABLE(away != 0) ? NAME_LINES_UNKNOWN : id;
    return UNPREDICTABLE(found != 0) ? met : missed;
}

#define FIND(matches)                                                                                         \
    size_t hits = 0;                                                                                          \
    const name_line *under_way[AHEAD];                                                                        \
    for (size_t index = 0; index < AHEAD && index < known; index++) {                                         \
        under_way[index] = home_of(lines, names + 2 * index);                                                 \
        __builtin_prefetch(under_way[index]);                                                                 \
    }                                                                                                         \
    for (size_t index = 0; index < count; index++) {                                                          \
        const name_line *line = under_way[index % AHEAD];                                                     \
        if (index + AHEAD < known) {                                                                          \
            under_way[index % AHEAD] = home_of(lines, names + 2 * (index + AHEAD));                           \
            __builtin_prefetch(under_way[index % AHEAD]);                                                     \
        }                                                                                                     \
        const uint32_t id = id_in(line, mixed(names + 2 * index), matches(line, mixed(names + 2 * index)));                \
        found[hits] = (name_lines_hit){(uint32_t)index, id};                                                  \
        hits += id != NAME_LINES_NONE;                                                                      \
    }                                                                                                         \
    return hits;

#if defined(__x86_64__) && !defined(NAME_LINES_PORTABLE)

#define WIDE __attribute__((target("avx512f,bmi,bmi2")))

/// Compares all places at once, and masks out the rest of the line.
WIDE ALWAYS_INLINE uint32_t matches_at_once(const name_line *line, uint64_t bits) {
    return _mm512_mask_cmpeq_epi64_mask(
        (1 << NAME_LINES_PLACES) - 1, _mm512_load_si512(line), _mm512_set1_epi64((long long)bits));
}

WIDE static size_t find_wide(
    const name_lines *lines, const uint64_t *names, size_t count, size_t known, name_lines_hit *found) {
    FIND(matches_at_once)
}

#endif

size_t name_lines_find(
    const name_lines *lines, const uint64_t *names, size_t count, size_t known, name_lines_hit *found) {
#if defined(__x86_64__) && !defined(NAME_LINES_PORTABLE)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("bmi2"))
        return find_wide(lines, names, count, known, found);
#endif
    FIND(matches)
}
