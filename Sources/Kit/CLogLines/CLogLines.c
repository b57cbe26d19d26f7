#include "CLogLines.h"

#include <CNameLines.h>
#include <stdbool.h>
#include <string.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

// No function here moves past a line feed, except `log_lines_read` itself to the next line, and a block ends with one:
// so every place that is read begins before the end of the block, and the longest read, of 16 bytes, ends within the
// padding.

/// The most members with names that are not known.
#define MOST_OTHERS 16

/// The first second that is rejected (`LogTime.limit`).
#define TIME_LIMIT UINT64_C(3774873600)

/// The greatest uncertainty in milliseconds.
#define UNCERTAINTY_LIMIT 3600000

enum { IS_TIME = 1, IS_UNCERTAINTY = 2, IS_NAME = 4, IS_MINOR = 8, IS_ADDRESS = 16, IS_RSSI = 32 };

ALWAYS_INLINE const uint8_t *skip_space(const uint8_t *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return at;
}

ALWAYS_INLINE bool is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

// Texts

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/// Returns a number whose lowest set bit is in the first of eight bytes that does not stand for itself: a quote, a
/// backslash, a control character or a byte above ASCII. 0 if there is none.
ALWAYS_INLINE uint64_t special(uint64_t word) {
    const uint64_t quote = word ^ EACH('"'), backslash = word ^ EACH('\\');
    // Borrows reach only bytes after one that is found.
    return ((quote - EACH(1)) | (backslash - EACH(1)) | (word - EACH(0x20)) | word) & EACH(0x80);
}

/// Returns the number of bytes of the UTF-8 sequence that begins here; 0 for a byte below 0x80, and for what is not UTF-8.
static size_t sequence(const uint8_t *at) {
    const uint8_t first = at[0];
    if (first < 0xc2 || first > 0xf4) return 0;
    const size_t count = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    uint8_t lowest = 0x80, highest = 0xbf;
    if (first == 0xe0) lowest = 0xa0;
    if (first == 0xed) highest = 0x9f;
    if (first == 0xf0) lowest = 0x90;
    if (first == 0xf4) highest = 0x8f;
    for (size_t index = 1; index < count; index++) {
        if (at[index] < lowest || at[index] > highest) return 0;
        lowest = 0x80;
        highest = 0xbf;
    }
    return count;
}

/// Returns the end of the bytes that stand for themselves: the first quote, backslash, control character or byte above
/// ASCII.
ALWAYS_INLINE const uint8_t *skip_plain(const uint8_t *at) {
    while (true) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        const uint64_t found = special(word);
        // A line feed is among those found, so that this ends in the line.
        if (found != 0) return at + __builtin_ctzll(found) / 8;
        at += sizeof word;
    }
}

/// Returns the place of the quote that ends a text, whose first byte after the opening quote is at `at`; NULL for a text with
/// an escape or anything that is not allowed. Sets `*is_unprintable` if there is anything but printable ASCII.
static const uint8_t *text_end(const uint8_t *at, bool *is_unprintable) {
    while (true) {
        at = skip_plain(at);
        if (*at == '"') return at;
        const size_t count = sequence(at);
        if (count == 0) return NULL;
        *is_unprintable = true;
        at += count;
    }
}

// Numbers and times

/// Parses digits, at least one and at most `most`, without a zero before others. Returns the end, or NULL.
ALWAYS_INLINE const uint8_t *whole(const uint8_t *at, int most, uint64_t *value) {
    if (!is_digit(*at) || (*at == '0' && is_digit(at[1]))) return NULL;
    uint64_t read = 0;
    for (int count = 0; is_digit(*at); count++, at++) {
        if (count == most) return NULL;
        read = read * 10 + (uint8_t)(*at - '0');
    }
    *value = read;
    return at;
}

/// Parses a fraction, if there is one, and cuts it off after milliseconds. Returns the end, or NULL for a point without
/// digits.
ALWAYS_INLINE const uint8_t *fraction(const uint8_t *at, uint64_t *milliseconds) {
    *milliseconds = 0;
    if (*at != '.') return at;
    at++;
    if (!is_digit(*at)) return NULL;
    for (uint64_t scale = 100; is_digit(*at); scale /= 10, at++) *milliseconds += scale * (uint8_t)(*at - '0');
    return at;
}

/// Parses a number of seconds below `TIME_LIMIT`, with or without a fraction. Returns the end, or NULL.
ALWAYS_INLINE const uint8_t *seconds(const uint8_t *at, uint64_t *milliseconds) {
    uint64_t count, part;
    if ((at = whole(at, 10, &count)) == NULL || (at = fraction(at, &part)) == NULL || count >= TIME_LIMIT) return NULL;
    *milliseconds = count * 1000 + part;
    return at;
}

/// Parses two digits. Returns false for anything else.
ALWAYS_INLINE bool two(const uint8_t *at, int most, int *value) {
    if (!is_digit(at[0]) || !is_digit(at[1])) return false;
    *value = (at[0] - '0') * 10 + (at[1] - '0');
    return *value <= most;
}

static int days_of(int month, int year) {
    if (month == 2) return (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

/// Days since 1970-01-01. Years are counted from March, so that the leap day is the last day of its year.
static int64_t days_from_epoch(int year, int month, int day) {
    const int64_t shifted = month <= 2 ? year - 1 : year;
    const int64_t era = (shifted >= 0 ? shifted : shifted - 399) / 400, year_of_era = shifted - era * 400;
    const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

/// Parses a time of RFC 3339 up to the quote that ends it. Returns the place of the quote, or NULL.
static const uint8_t *calendar_time(const uint8_t *at, uint64_t *milliseconds) {
    int century, rest, month, day, hours, minutes, count;
    uint64_t part;
    // Each condition reads only when the one before has found no line feed.
    if (!two(at, 99, &century) || !two(at + 2, 99, &rest) || at[4] != '-' || !two(at + 5, 12, &month) || month == 0 ||
        at[7] != '-' || !two(at + 8, days_of(month, century * 100 + rest), &day) || day == 0 ||
        (at[10] != 'T' && at[10] != ' ') || !two(at + 11, 23, &hours) || at[13] != ':' || !two(at + 14, 59, &minutes) ||
        at[16] != ':' || !two(at + 17, 60, &count))
        return NULL;
    if ((at = fraction(at + 19, &part)) == NULL) return NULL;
    int64_t offset = 0;
    if (*at == 'Z') {
        at++;
    } else {
        int east, more;
        if ((*at != '+' && *at != '-') || !two(at + 1, 23, &east) || at[3] != ':' || !two(at + 4, 59, &more)) return NULL;
        offset = (east * 3600 + more * 60) * (*at == '+' ? 1 : -1);
        at += 6;
    }
    const int64_t total =
        days_from_epoch(century * 100 + rest, month, day) * 86400 + hours * 3600 + minutes * 60 + count - offset;
    if (*at != '"' || total < 0 || total >= (int64_t)TIME_LIMIT) return NULL;
    *milliseconds = (uint64_t)total * 1000 + part;
    return at;
}

/// Skips a value that is ignored: a text, a number or a word. Returns the end, or NULL.
static const uint8_t *skip_value(const uint8_t *at) {
    bool ignored = false;
    switch (*at) {
    case '"': return (at = text_end(at + 1, &ignored)) == NULL ? NULL : at + 1;
    // `memcmp` may read all bytes, which is within the padding.
    case 't': return memcmp(at, "true", 4) == 0 ? at + 4 : NULL;
    case 'n': return memcmp(at, "null", 4) == 0 ? at + 4 : NULL;
    case 'f': return memcmp(at, "false", 5) == 0 ? at + 5 : NULL;
    }
    if (*at == '-') at++;
    if (!is_digit(*at) || (*at == '0' && is_digit(at[1]))) return NULL;
    while (is_digit(*at)) at++;
    if (*at == '.') {
        at++;
        if (!is_digit(*at)) return NULL;
        while (is_digit(*at)) at++;
    }
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '+' || *at == '-') at++;
        if (!is_digit(*at)) return NULL;
        while (is_digit(*at)) at++;
    }
    return at;
}

// Lines

/// Names of members that are not known: what is between the quotes.
typedef struct {
    const uint8_t *starts[MOST_OTHERS];
    size_t counts[MOST_OTHERS];
    int count;
} other_names;

/// Adds a name. Returns false if it is there already, and when there are too many.
static bool add(other_names *names, const uint8_t *start, size_t count) {
    if (names->count == MOST_OTHERS) return false;
    for (int index = 0; index < names->count; index++)
        if (names->counts[index] == count && memcmp(names->starts[index], start, count) == 0) return false;
    names->starts[names->count] = start;
    names->counts[names->count++] = count;
    return true;
}

#define IS(name) (memcmp(at, name "\"", sizeof name) == 0)

/// Returns which member begins after the quote at `at - 1`, and the length of its name; 0 for one that is not known.
ALWAYS_INLINE int member(const uint8_t *at, size_t *count) {
    switch (*at) {
    case 't': return *count = 4, IS("time") ? IS_TIME : 0;
    case 'n': return *count = 4, IS("name") ? IS_NAME : 0;
    case 'm': return *count = 5, IS("minor") ? IS_MINOR : 0;
    case 'r': return *count = 4, IS("rssi") ? IS_RSSI : 0;
    case 'a': return *count = 7, IS("address") ? IS_ADDRESS : 0;
    case 'u': return *count = 11, IS("uncertainty") ? IS_UNCERTAINTY : 0;
    }
    return 0;
}

/// Parses the value of a member that is known. Returns the end, or NULL.
ALWAYS_INLINE const uint8_t *value(int which, const uint8_t *at, log_line *line) {
    uint64_t number;
    bool is_unprintable = false;
    switch (which) {
    case IS_TIME:
        if (*at != '"') return seconds(at, &line->time);
        return (at = calendar_time(at + 1, &line->time)) == NULL ? NULL : at + 1;
    case IS_UNCERTAINTY:
        if ((at = seconds(at, &number)) == NULL || number > UNCERTAINTY_LIMIT) return NULL;
        line->uncertainty = (uint32_t)number;
        return at;
    case IS_NAME: {
        if (*at != '"') return NULL;
        const uint8_t *end = text_end(at + 1, &is_unprintable);
        if (end == NULL) return NULL;
        // Any other text is the name of another service.
        if (end - at == 33 && name_lines_parse(at + 1, line->name)) line->has |= LOG_LINE_NAME;
        return end + 1;
    }
    case IS_MINOR:
        if ((at = whole(at, 5, &number)) == NULL || number > 65535) return NULL;
        line->minor = (uint16_t)number;
        line->has |= LOG_LINE_MINOR;
        return at;
    case IS_ADDRESS: {
        if (*at != '"') return NULL;
        const uint8_t *end = text_end(at + 1, &is_unprintable);
        if (end == NULL || end - at > 65) return NULL;
        if (is_unprintable || memchr(at, 0x7f, (size_t)(end - at)) != NULL) line->has |= LOG_LINE_UNPRINTABLE;
        return end + 1;
    }
    default: {
        const bool is_negative = *at == '-';
        if ((at = whole(at + is_negative, 3, &number)) == NULL || number > (is_negative ? 127 : 20)) return NULL;
        return at;
    }
    }
}

/// Reads the line at `start`. Returns the place of its line feed, or NULL if it is for the complete parser.
ALWAYS_INLINE const uint8_t *read_line(const uint8_t *start, log_line *line) {
    const uint8_t *at = skip_space(start);
    if (*at == '\n') {
        line->kind = LOG_LINE_BLANK;
        return at;
    }
    if (*at != '{') return NULL;
    other_names others;
    others.count = 0;
    int seen = 0;
    do {
        at = skip_space(at + 1);
        if (*at != '"') return NULL;
        at++;
        size_t count = 0;
        const int which = member(at, &count);
        if (which != 0) {
            if ((seen & which) != 0) return NULL;
            seen |= which;
        } else {
            const uint8_t *end = skip_plain(at);
            if (*end != '"') return NULL;
            count = (size_t)(end - at);
            if (!add(&others, at, count)) return NULL;
        }
        at = skip_space(at + count + 1);
        if (*at != ':') return NULL;
        at = skip_space(at + 1);
        const uint8_t *begin = at;
        at = which != 0 ? value(which, at, line) : skip_value(at);
        // Longer lines are no sightings, and offsets in them need not be right.
        if (at == NULL || at - start > LOG_LINE_LIMIT) return NULL;
        const log_value text = {(uint16_t)(begin - start), (uint16_t)(at - start)};
        switch (which) {
        case IS_TIME: line->time_text = text; break;
        case IS_NAME: line->name_text = text; break;
        case IS_MINOR: line->minor_text = text; break;
        case IS_ADDRESS: line->address_text = text; break;
        case IS_RSSI: line->rssi_text = text; break;
        }
        at = skip_space(at);
    } while (*at == ',');
    if (*at != '}' || (seen & IS_TIME) == 0 || (seen & (IS_NAME | IS_MINOR)) == 0) return NULL;
    at = skip_space(at + 1);
    if (*at != '\n') return NULL;
    line->kind = LOG_LINE_SIGHTING;
    return at;
}

size_t log_lines_read(const uint8_t *bytes, size_t count, size_t *place, log_line *lines, size_t capacity) {
    if (count == 0 || count > UINT32_MAX || bytes[count - 1] != '\n') return 0;
    size_t found = 0;
    const uint8_t *at = bytes + *place, *const end = bytes + count;
    for (; found < capacity && at < end; found++) {
        log_line *line = lines + found;
        *line = (log_line){.start = (uint32_t)(at - bytes)};
        const uint8_t *feed = read_line(at, line);
        if (feed == NULL || feed - at > LOG_LINE_LIMIT) {
            line->kind = LOG_LINE_OTHER;
            feed = memchr(at, '\n', (size_t)(end - at));
        }
        line->count = (uint32_t)(feed - at);
        at = feed + 1;
    }
    *place = (size_t)(at - bytes);
    return found;
}

typedef uint8_t bytes16 __attribute__((vector_size(16)));

size_t log_lines_count(const uint8_t *bytes, size_t count) {
    size_t found = 0, at = 0;
    while (count - at >= sizeof(bytes16)) {
        // A byte counts at most 255.
        bytes16 counts = {0};
        for (int round = 0; round < 255 && count - at >= sizeof(bytes16); round++, at += sizeof(bytes16)) {
            bytes16 read;
            memcpy(&read, bytes + at, sizeof read);
            counts -= (bytes16)(read == '\n');
        }
        for (size_t index = 0; index < sizeof counts; index++) found += counts[index];
    }
    for (; at < count; at++) found += bytes[at] == '\n';
    return found;
}
