// Parses names of 16 bytes, and looks up many of them at a time in the buckets of an index. A bucket is one cache line,
// and is prefetched before it is used.
//
// NameIndex of InklingEngine builds the buckets and resolves the names that the buckets alone cannot. Nothing here
// checks counts; callers do.

#ifndef CNAMELINES_H
#define CNAMELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__)
#define _Nonnull
#endif

/// Parses 32 lowercase hexadecimal digits as two numbers, the more significant first. Returns false, with unspecified
/// numbers, if there is any other character.
bool name_lines_parse(const uint8_t *_Nonnull digits, uint64_t *_Nonnull numbers);

/// Prefetches the cache line of an address, which need not be readable.
static inline void name_lines_ask(const void *_Nonnull address) { __builtin_prefetch(address); }

/// The number of places in a bucket.
#define NAME_LINES_PLACES 5

/// Instead of an id: no name was found. Free places also contain it.
#define NAME_LINES_NONE UINT32_MAX

/// Instead of an id: the bucket alone cannot tell, and the index has to be searched.
#define NAME_LINES_UNKNOWN (UINT32_MAX - 1)

/// The bit of `control` that is set if the index holds names of this home that are in no bucket.
#define NAME_LINES_HAS_MORE (UINT32_C(1) << 16)

/// The bit of `control` at which the distances of the places from their home buckets begin, 3 bits each. Bits 0 to 15
/// are marks, see `name_line`.
#define NAME_LINES_DISTANCES 17

/// A bucket. A name occupies the same place in `bits`, with a 64-bit mix of all its bits (`Octets16.mixed`), and in
/// `ids`. The last 64 bits of the name determine its home bucket.
///
/// For each name that is stored outside its home, the mark with the number of its mixed bits modulo 16 is set in
/// `control` of the home.
typedef struct {
    uint64_t bits[NAME_LINES_PLACES];
    uint32_t ids[NAME_LINES_PLACES];
    uint32_t control;
} __attribute__((aligned(64))) name_line;

/// All buckets: `homes` of them, in parts of 2^shift buckets that begin at the addresses in `parts`.
typedef struct {
    const void *_Nonnull const *_Nonnull parts;
    uint64_t homes;
    uint32_t shift;
} name_lines;

/// A result: the index of a name in the input, and its id or `NAME_LINES_UNKNOWN`.
typedef struct {
    uint32_t index, id;
} name_lines_hit;

/// Looks up `count` names, fewer than 2^32, writes the results in the order of the names, and returns their number.
///
/// A name is two numbers, the more significant first. `known` is the number of names that can be read, at least
/// `count`; those after `count` are only prefetched. `found` has room for `count` results.
size_t name_lines_find(
    const name_lines *_Nonnull lines, const uint64_t *_Nonnull names, size_t count, size_t known,
    name_lines_hit *_Nonnull found);

#endif
