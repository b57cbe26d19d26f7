#include "CNameLines.h"

#include <string.h>

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

// Finding

uint32_t name_lines_prefetch(const name_lines *lines, const uint64_t *names, size_t count, size_t known) {
    uint32_t candidates = 0;
    for (size_t index = 0; index < count; index++) {
        // The prefetches are spread over the work: many at a time would wait for each other.
        if (index + count < known)
            __builtin_prefetch(lines->groups + name_lines_home(lines->homes, names[2 * (index + count) + 1]));
        const name_lines_group *group = lines->groups + name_lines_home(lines->homes, names[2 * index + 1]);
        const uint32_t found = name_lines_matches(group, names[2 * index]);
        const uint32_t marked = (uint32_t)group->marks >> (names[2 * index] & 15) & 1;
        candidates |= (uint32_t)((found | marked) != 0) << index;
        if (found != 0) __builtin_prefetch(lines->entries + group->first + __builtin_ctz(found));
    }
    return candidates;
}

size_t name_lines_search(const name_lines *lines, uint64_t end, uint64_t high, uint64_t low, uint32_t *indices) {
    const uint64_t home = name_lines_home(lines->homes, low);
    size_t count = 0;
    for (uint64_t number = home; number <= home + NAME_LINES_REACH && number < end; number++) {
        const name_lines_group *group = lines->groups + number;
        for (uint32_t found = name_lines_matches(group, high); found != 0; found &= found - 1) {
            // The entry at a free place is another group's or none; it does not equal this name, or is found there.
            const uint32_t place = (uint32_t)__builtin_ctz(found), index = group->first + place;
            if (number + 1 < end && index >= group[1].first) break;
            if (lines->entries[index].high == high && lines->entries[index].low == low) indices[count++] = index;
        }
        if ((lines->groups[home].marks & name_lines_mark(high)) == 0) break;
    }
    return count;
}

// Building

size_t name_lines_choose(
    const name_lines_part *part, const name_lines_entry *names, size_t count, uint32_t kept, uint32_t *chosen) {
    const uint64_t groups = part->end - part->begin;
    size_t without = 0;
    for (size_t index = 0; index < count; index++) {
        chosen[index] = NAME_LINES_LEFT_OUT;
        if ((kept >> (names[index].id & 3) & 1) == 0) continue;
        const uint64_t home = name_lines_home(part->homes, names[index].low) - part->begin;
        uint64_t group = home;
        while (part->counts[group] == NAME_LINES_PLACES && group < home + NAME_LINES_REACH && group + 1 < groups)
            group++;
        const bool has_place = part->counts[group] < NAME_LINES_PLACES;
        if (!has_place || group != home)
            part->groups[part->begin + home].marks |= (uint16_t)name_lines_mark(names[index].high);
        part->counts[group] += has_place;
        without += !has_place;
        chosen[index] = has_place ? (uint32_t)group : NAME_LINES_NONE;
    }
    return without;
}

void name_lines_number(const name_lines_part *part, uint32_t first) {
    for (uint64_t group = 0; group < part->end - part->begin; group++) {
        part->groups[part->begin + group].first = first;
        first += part->counts[group];
        part->counts[group] = 0;
    }
}

void name_lines_store(
    const name_lines_part *part, const name_lines_entry *names, size_t count, uint32_t first_id, uint32_t step,
    const uint32_t *chosen, name_lines_entry *entries) {
    for (size_t index = 0; index < count; index++) {
        if (chosen[index] >= NAME_LINES_LEFT_OUT) continue;
        name_lines_group *group = part->groups + part->begin + chosen[index];
        name_lines_entry entry = names[index];
        const uint32_t place = part->counts[chosen[index]]++;
        // Only the first place with a tag is read without a search. A tag of zero looks like a free place.
        const uint32_t earlier = name_lines_matches(group, entry.high) & ((1u << place) - 1);
        if (earlier != 0) group->marks |= (uint16_t)name_lines_mark(entry.high);
        group->tags[place] = (uint16_t)entry.high;
        entry.id = first_id + step * entry.id;
        entries[group->first + place] = entry;
    }
}
