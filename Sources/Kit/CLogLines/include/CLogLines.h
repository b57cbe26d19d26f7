// Reads the ordinary lines of a log of sightings (Specs/matching.md), many in one call. What it does not recognise, it
// leaves to the complete JSON parser of InklingMatching, which alone can refuse a line.
//
// Everything that it accepts means the same to that parser; the fuzz target `sighting-forms` compares them.

#ifndef CLOGLINES_H
#define CLOGLINES_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__)
#define _Nonnull
#endif

/// The number of bytes that must be readable, with any values, after the lines.
#define LOG_LINES_PADDING 64

/// The greatest length of a line in bytes, without its line feed.
#define LOG_LINE_LIMIT 2048

/// The kinds of lines: one for the complete parser, a blank one, a sighting.
#define LOG_LINE_OTHER 0
#define LOG_LINE_BLANK 1
#define LOG_LINE_SIGHTING 2

/// Bits of `has`: an Inkling name, a minor, and bytes in a text that must not be printed as they were written.
#define LOG_LINE_NAME 1
#define LOG_LINE_MINOR 2
#define LOG_LINE_UNPRINTABLE 4

/// A value as it was written, with its quotes: offsets from the beginning of the line. Empty if there is none.
typedef struct {
    uint16_t start, end;
} log_value;

/// A line. Of lines that are no sighting only the first three members have a meaning.
typedef struct {
    /// The offset in the block, and the number of bytes without the line feed.
    uint32_t start, count;
    uint8_t kind, has;
    uint16_t minor;
    /// In milliseconds.
    uint32_t uncertainty;
    /// Unix time in milliseconds.
    uint64_t time;
    /// The name as two numbers, the more significant first.
    uint64_t name[2];
    log_value time_text, name_text, minor_text, address_text, rssi_text;
} log_line;

/// Reads lines of a block from the offset `*place`, at most `capacity`; returns their number, and moves `*place` behind
/// them.
///
/// The last of the `count` bytes is a line feed, and LOG_LINES_PADDING bytes after it are readable. `count` is below
/// 2^32. Returns 0 at the end of the block, and for a block that does not end in a line feed.
size_t log_lines_read(
    const uint8_t *_Nonnull bytes, size_t count, size_t *_Nonnull place, log_line *_Nonnull lines, size_t capacity);

/// Returns the number of line feeds.
size_t log_lines_count(const uint8_t *_Nonnull bytes, size_t count);

#endif
