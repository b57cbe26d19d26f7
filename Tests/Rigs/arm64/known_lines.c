// Lines of logs are read, for processors on which the Swift tests do not run: known answers, each line at each offset, and
// each byte of a line changed to every other, which must not be read as a longer line than it is.

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "CLogLines.h"

static int checked, wrong;

static void expect(bool holds) {
    checked++;
    wrong += !holds;
}

typedef struct {
    const char *text;
    uint8_t kind, has;
    uint16_t minor;
    uint32_t uncertainty;
    uint64_t time, high, low;
    /// The offsets of the time and of the address.
    log_value time_text, address_text;
} known;

static const known answers[] = {
    {"{\"time\":1785600240.25,\"name\":\"ee86ffa399825968e402a6832c863656\",\"address\":\"aa:bb:cc\",\"rssi\":-61}", LOG_LINE_SIGHTING,
     LOG_LINE_NAME, 0, 0, 1785600240250, 0xee86ffa399825968, 0xe402a6832c863656, {8, 21}, {74, 84}},
    {" { \"minor\" : 65535 , \"uncertainty\":3599.9999, \"time\" : \"2024-02-29 23:59:60.5-01:30\" } \t\r", LOG_LINE_SIGHTING,
     LOG_LINE_MINOR, 65535, 3599999, 1709256600500, 0, 0, {55, 84}, {0, 0}},
    {"{\"x\":\"\xc3\xa9\xf0\x9f\x98\x80\",\"time\":0,\"y\":-1.5e+3,\"name\":\"Ada\",\"address\":\"\x7f\",\"minor\":7}", LOG_LINE_SIGHTING,
     LOG_LINE_MINOR | LOG_LINE_UNPRINTABLE, 7, 0, 0, 0, 0, {21, 22}, {58, 61}},
    {" \t\r", LOG_LINE_BLANK, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"", LOG_LINE_BLANK, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"{\"time\":1,\"minor\":1,\"time\":1}", LOG_LINE_OTHER, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"{\"time\":1,\"minor\":1,\"x\":\"\\u0041\"}", LOG_LINE_OTHER, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"{\"time\":1,\"minor\":1,\"x\":\"\xed\xa0\x80\"}", LOG_LINE_OTHER, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"{\"time\":1,\"minor\":1,\"x\":[]}", LOG_LINE_OTHER, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"{\"time\":1,\"minor\":01}", LOG_LINE_OTHER, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"{\"time\":\"2023-02-29T00:00:00Z\",\"minor\":1}", LOG_LINE_OTHER, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"{\"time\":1}", LOG_LINE_OTHER, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
    {"{\"time\":1,\"minor\":1", LOG_LINE_OTHER, 0, 0, 0, 0, 0, 0, {0, 0}, {0, 0}},
};
enum { ANSWERS = sizeof answers / sizeof *answers };

static bool is_same(log_value value, log_value other) { return value.start == other.start && value.end == other.end; }

static void check_line(const log_line *line, const known *answer, size_t start) {
    expect(line->kind == answer->kind && line->start == start && line->count == strlen(answer->text));
    if (line->kind != LOG_LINE_SIGHTING) return;
    expect(line->has == answer->has && line->minor == answer->minor && line->uncertainty == answer->uncertainty);
    expect(line->time == answer->time && line->name[0] == answer->high && line->name[1] == answer->low);
    expect(is_same(line->time_text, answer->time_text) && is_same(line->address_text, answer->address_text));
}

/// All lines in one block, after lines that move them to each offset in a word, and read in parts.
static void check_answers(void) {
    static uint8_t block[4096];
    log_line lines[ANSWERS + 1];
    for (size_t shift = 0; shift < 16; shift++) {
        for (size_t capacity = 1; capacity <= ANSWERS + 1; capacity++) {
            memset(block, 'x', sizeof block);
            size_t count = shift, place = 0, found = 0, start = shift + 1, read;
            block[count++] = '\n';
            for (size_t index = 0; index < ANSWERS; index++) {
                memcpy(block + count, answers[index].text, strlen(answers[index].text));
                count += strlen(answers[index].text);
                block[count++] = '\n';
            }
            expect(log_lines_count(block, count) == ANSWERS + 1);
            while ((read = log_lines_read(block, count, &place, lines, capacity)) > 0) {
                for (size_t index = 0; index < read; index++, found++) {
                    if (found == 0) continue;
                    check_line(lines + index, answers + found - 1, start);
                    start += lines[index].count + 1;
                }
            }
            expect(found == ANSWERS + 1 && place == count);
        }
    }
    size_t place = 0;
    expect(log_lines_read(block, 0, &place, lines, 1) == 0);
    expect(log_lines_read((const uint8_t *)answers[0].text, 5, &place, lines, 1) == 0);
}

static void check_changes(void) {
    static uint8_t block[4096];
    log_line lines[4];
    for (int which = 0; which < 3; which++) {
        const size_t count = strlen(answers[which].text);
        for (size_t changed = 0; changed < count; changed++) {
            for (int byte = 0; byte < 256; byte++) {
                memset(block, '"', sizeof block);
                memcpy(block, answers[which].text, count);
                block[changed] = (uint8_t)byte;
                block[count] = '\n';
                size_t place = 0;
                const size_t read = log_lines_read(block, count + 1, &place, lines, 4);
                expect(read == log_lines_count(block, count + 1) && place == count + 1);
                for (size_t index = 0; index < read; index++) {
                    const log_line *line = lines + index;
                    expect(line->start + line->count <= count && block[line->start + line->count] == '\n');
                    expect(line->time_text.end <= line->count && line->address_text.end <= line->count);
                }
            }
        }
    }
}

int main(void) {
    check_answers();
    check_changes();
    printf("%d results about lines checked, %d wrong\n", checked, wrong);
    return wrong != 0 || checked == 0;
}
