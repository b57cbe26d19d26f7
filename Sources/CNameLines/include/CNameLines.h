// Names of 16 bytes: read from their digits, and looked up many at a time in the buckets of an index, one cache line each,
// with the lines asked for ahead of their use.
//
// InklingEngine's NameIndex builds the buckets and answers what is not said here; callers check every count.

#ifndef CNAMELINES_H
#define CNAMELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__)
#define _Nonnull
#endif

/// Reads 32 lowercase hexadecimal digits as two numbers, the more significant first; false, and numbers that mean
/// nothing, when they are something else.
bool name_lines_parse(const uint8_t *_Nonnull digits, uint64_t *_Nonnull numbers);

/// Asks for the cache line of an address, which need not be readable.
static inline void name_lines_ask(const void *_Nonnull address) { __builtin_prefetch(address); }

/// How many places a bucket has.
#define NAME_LINES_PLACES 5

/// In the place of an id: there is none. Also in a free place.
#define NAME_LINES_NOBODY UINT32_MAX

/// In the place of an id: this bucket alone does not tell.
#define NAME_LINES_UNKNOWN (UINT32_MAX - 1)

/// Set in `control` of a home of which the index holds more than the buckets do.
#define NAME_LINES_HAS_MORE (UINT32_C(1) << 16)

/// Where in `control` the places' distances from home begin, 3 bits each. Bits 0 to 15 are marks, see `name_line`.
#define NAME_LINES_DISTANCES 17

/// A bucket. 64 bits that mix all of a name's (`Octets16.mixed`) and its id have the same place; the name's last
/// 64 bits say which bucket is its home.
///
/// A name that is not at home has set, in the control bits of its home, the bit that its mixed bits modulo 16 name.
typedef struct {
    uint64_t bits[NAME_LINES_PLACES];
    uint32_t ids[NAME_LINES_PLACES];
    uint32_t control;
} __attribute__((aligned(64))) name_line;

/// All buckets: `homes` of them, in parts of 2^shift, of which `parts` says where they begin.
typedef struct {
    const void *_Nonnull const *_Nonnull parts;
    uint64_t homes;
    uint32_t shift;
} name_lines;

/// What was found for the name with an index: its id, or `NAME_LINES_UNKNOWN`.
typedef struct {
    uint32_t index, id;
} name_lines_hit;

/// Looks up `count` names, fewer than 2^32, and writes what was found, in the order of the names; answers how many were.
///
/// Names are two numbers each, the more significant first; `known` of them, at least `count`, can be read, so that the
/// lines of those behind are asked for too. There is room for `count` hits.
size_t name_lines_find(
    const name_lines *_Nonnull lines, const uint64_t *_Nonnull names, size_t count, size_t known,
    name_lines_hit *_Nonnull found);

#endif
