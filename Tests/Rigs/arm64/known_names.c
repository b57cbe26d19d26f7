// Names are parsed and looked up, for processors on which the Swift tests do not run: each digit at each place, and tables
// compared with a search through all names.

#include <stdio.h>
#include <string.h>

#include "CNameLines.h"

enum { HOMES = 60, NAMES = 900, QUERIES = 300 };

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

static const name_lines_entry no_name = {1, 0, 0, 0};

/// Builds a table of two parts, the first with a third of the groups, from names that are given in two calls. Returns
/// how many names have no place.
static size_t build(name_lines_group *groups, uint64_t homes, name_lines_entry *entries, const name_lines_entry *names,
                    size_t count, uint32_t kept) {
    static name_lines_entry mine[NAMES];
    static uint32_t chosen[NAMES];
    static uint8_t counts[HOMES];
    memset(groups, 0, homes * sizeof *groups);
    for (size_t i = 0; i < NAMES + NAME_LINES_PLACES; i++) entries[i] = no_name;
    const uint64_t ends[] = {0, homes / 3, homes};
    size_t without = 0;
    uint32_t first = 0;
    for (int number = 0; number < 2; number++) {
        const name_lines_part part = {groups, homes, ends[number], ends[number + 1], counts};
        size_t all = 0;
        memset(counts, 0, sizeof counts);
        for (size_t i = 0; i < count; i++) {
            const uint64_t home = name_lines_home(homes, names[i].low);
            if (home >= part.begin && home < part.end) mine[all++] = names[i];
        }
        without += name_lines_choose(&part, mine, all / 2, kept, chosen);
        without += name_lines_choose(&part, mine + all / 2, all - all / 2, kept, chosen + all / 2);
        name_lines_number(&part, first);
        name_lines_store(&part, mine, all / 2, 7, 2, chosen, entries);
        name_lines_store(&part, mine + all / 2, all - all / 2, 7, 2, chosen + all / 2, entries);
        first += (uint32_t)all;
    }
    return without;
}

/// Finds a name as the header says, and compares with a search through all names.
static void check_name(const name_lines *lines, const name_lines_entry *names, size_t count, uint32_t kept,
                       size_t without, uint64_t high, uint64_t low) {
    uint32_t found[NAME_LINES_PLACES * (NAME_LINES_REACH + 1)];
    const uint64_t third = lines->homes / 3;
    const uint64_t end = name_lines_home(lines->homes, low) < third ? third : lines->homes;
    const uint32_t index = name_lines_find(lines, high, low);
    size_t hits = index < NAME_LINES_SEARCH;
    if (hits) found[0] = index;
    if (index == NAME_LINES_SEARCH) hits = name_lines_search(lines, end, high, low, found);
    for (size_t hit = 0; hit < hits; hit++) {
        const name_lines_entry *entry = &lines->entries[found[hit]];
        expect(entry->high == high && entry->low == low && entry->id % 2 == 1 && entry->label == (entry->id - 7) / 2);
        for (size_t other = 0; other < hit; other++) expect(found[other] != found[hit]);
    }
    size_t expected = 0;
    for (size_t i = 0; i < count; i++)
        expected += names[i].high == high && names[i].low == low && (kept >> (names[i].id & 3) & 1);
    // Where names have no place, some of them may be this one.
    expect(hits <= expected && hits + without >= expected);
}

static void check_table(uint64_t homes, size_t count, uint32_t kept, uint64_t high_bits, uint64_t low_bits) {
    static _Alignas(64) name_lines_group groups[HOMES];
    static name_lines_entry entries[NAMES + NAME_LINES_PLACES], names[NAMES];
    const name_lines lines = {groups, entries, homes};
    for (size_t i = 0; i < count; i++) {
        names[i] = (name_lines_entry){random_number() & high_bits, random_number() & low_bits, (uint32_t)i, (uint32_t)i};
        if (i % 50 == 49) names[i].high = names[i - 1].high, names[i].low = names[i - 1].low;
    }
    const size_t without = build(groups, homes, entries, names, count, kept);
    uint64_t asked[2 * QUERIES];
    for (size_t i = 0; i < QUERIES; i++) {
        asked[2 * i] = random_number() & high_bits;
        asked[2 * i + 1] = random_number() & low_bits;
        check_name(&lines, names, count, kept, without, asked[2 * i], asked[2 * i + 1]);
    }
    for (size_t i = 0; i < count; i++) check_name(&lines, names, count, kept, without, names[i].high, names[i].low);
    name_lines_prefetch(&lines, asked, 32, QUERIES);
}

static void check_tables(void) {
    for (uint64_t homes = 3; homes <= HOMES; homes += 19) {
        for (size_t count = 0; count <= NAMES; count += 100) {
            check_table(homes, count, 15, UINT64_MAX, UINT64_MAX);
            check_table(homes, count, 5, UINT64_MAX, UINT64_MAX);
            // Few different tags, few different homes, and the tag that free places have.
            check_table(homes, count, 15, 3, UINT64_MAX);
            check_table(homes, count, 15, UINT64_MAX, UINT64_C(1) << 63);
            check_table(homes, count, 11, ~UINT64_C(0xffff), UINT64_C(7) << 61);
        }
    }
    check_table(1 + 2, 1, 15, 0, 0);
}

int main(void) {
    check_digits();
    check_tables();
    printf("%d results about names checked, %d wrong\n", checked, wrong);
    return wrong != 0 || checked == 0;
}
