// Names are parsed and looked up, for processors on which the Swift tests do not run: each digit at each place, and look-ups
// in prepared buckets, compared with a search through all of them.

#include <stdio.h>
#include <string.h>

#include "CNameLines.h"

enum { HOMES = 40, SHIFT = 4, PARTS = 3, NAMES = 150, QUERIES = 1000 };

static int checked, wrong;

static void expect(bool holds) {
    checked++;
    wrong += !holds;
}

static uint64_t random_number(void) {
    static uint64_t state = 1;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static void check_digits(void) {
    uint8_t digits[32];
    uint64_t numbers[2];
    for (int place = 0; place < 32; place++) {
        for (int byte = 0; byte < 256; byte++) {
            memset(digits, '0', sizeof digits);
            digits[place] = (uint8_t)byte;
            const bool is_decimal = byte >= '0' && byte <= '9', is_letter = byte >= 'a' && byte <= 'f';
            const uint64_t value = (uint64_t)(is_decimal ? byte - '0' : is_letter ? byte - 'a' + 10 : 0)
                                   << 4 * (15 - place % 16);
            const bool is_read = name_lines_parse(digits, numbers);
            expect(is_read == (is_decimal || is_letter));
            if (is_read) expect(numbers[place / 16] == value && numbers[1 - place / 16] == 0);
        }
    }
}

/// The hash that the header defines: 64 bits that depend on all bits of a name.
static uint64_t mixed(const uint64_t *name) {
    return name[0] ^ (name[1] ^ name[1] >> 32) * UINT64_C(0x9e3779b97f4a7c15);
}

static void check_look_up(void) {
    static name_line buckets[PARTS][1 << SHIFT];
    static uint64_t names[NAMES + QUERIES][2];
    static name_lines_hit hits[NAMES + QUERIES];
    const void *const parts[PARTS] = {buckets[0], buckets[1], buckets[2]};
    const name_lines lines = {parts, HOMES, SHIFT};
    memset(buckets, 0, sizeof buckets);
    for (int part = 0; part < PARTS; part++)
        for (int bucket = 0; bucket < 1 << SHIFT; bucket++)
            for (int place = 0; place < NAME_LINES_PLACES; place++) buckets[part][bucket].ids[place] = NAME_LINES_NONE;
    for (uint32_t i = 0; i < NAMES + QUERIES; i++) {
        names[i][0] = random_number();
        names[i][1] = random_number();
        if (i >= NAMES) continue;
        const uint64_t home = (uint64_t)((unsigned __int128)names[i][1] * HOMES >> 64);
        name_line *line = &buckets[home >> SHIFT][home & ((1 << SHIFT) - 1)];
        int place = 0;
        while (place < NAME_LINES_PLACES && line->ids[place] != NAME_LINES_NONE) place++;
        if (place == NAME_LINES_PLACES) {
            // A full bucket does not show whether the name is elsewhere.
            line->control |= i % 2 == 0 ? NAME_LINES_HAS_MORE : 1u << (mixed(names[i]) & 15);
        } else {
            line->bits[place] = mixed(names[i]);
            line->ids[place] = i;
            // Some entries as if their home were an earlier bucket.
            if (i % 10 == 0) line->control |= 1u << (NAME_LINES_DISTANCES + 3 * place);
        }
    }
    const size_t found = name_lines_find(&lines, names[0], NAMES + QUERIES, NAMES + QUERIES, hits);
    size_t next = 0;
    for (uint32_t i = 0; i < NAMES + QUERIES; i++) {
        const uint64_t home = (uint64_t)((unsigned __int128)names[i][1] * HOMES >> 64);
        const name_line *line = &buckets[home >> SHIFT][home & ((1 << SHIFT) - 1)];
        uint32_t id = NAME_LINES_NONE;
        if (line->control & 1u << (mixed(names[i]) & 15)) id = NAME_LINES_UNKNOWN;
        for (int place = 0; place < NAME_LINES_PLACES; place++)
            if (line->bits[place] == mixed(names[i]))
                id = line->control >> (NAME_LINES_DISTANCES + 3 * place) & 7 ? NAME_LINES_UNKNOWN : line->ids[place];
        if (line->control & NAME_LINES_HAS_MORE) id = NAME_LINES_UNKNOWN;
        if (id == NAME_LINES_NONE) continue;
        expect(next < found && hits[next].index == i && hits[next].id == id);
        next++;
    }
    expect(next == found && found > NAMES / 2);
    // The same for look-ups of several names at a time.
    for (size_t count = 1; count <= 70; count += 23) {
        size_t sum = 0;
        for (size_t first = 0; first < NAMES + QUERIES; first += count) {
            const size_t known = NAMES + QUERIES - first, now = count < known ? count : known;
            sum += name_lines_find(&lines, names[first], now, known, hits);
        }
        expect(sum == found);
    }
}

int main(void) {
    check_digits();
    check_look_up();
    printf("%d results about names checked, %d wrong\n", checked, wrong);
    return wrong != 0 || checked == 0;
}
