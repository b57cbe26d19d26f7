// Parses names of 16 bytes, and finds them in a table that is read with vector instructions. NameIndex of InklingEngine
// builds the tables and finds the names that have no place in them.
//
// A name is two numbers, the more significant first. Nothing here checks counts; callers do.

#ifndef CNAMELINES_H
#define CNAMELINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__)
#define _Nonnull
#endif

/// Parses 32 lowercase hexadecimal digits as a name. Returns false, with unspecified numbers, if there is any other
/// character.
bool name_lines_parse(const uint8_t *_Nonnull digits, uint64_t *_Nonnull numbers);

/// The number of names for which a group has places. With the two other members it fills half a cache line.
#define NAME_LINES_PLACES 13

/// The number of groups after its home in which a name can be.
#define NAME_LINES_REACH 6

/// In place of an index: no such name. In place of a group number: no place for the name.
#define NAME_LINES_NONE 0xffffffffu

/// In place of an index: the home does not suffice to find the name; call `name_lines_search`.
#define NAME_LINES_SEARCH 0xfffffffeu

/// In place of a group number: the name is left out.
#define NAME_LINES_LEFT_OUT 0xfffffffeu

/// A group of names, with enough of each to distinguish it from nearly every other name.
///
/// The second number of a name determines its home, the group where it is looked for first. The last 16 bits of the
/// first number are its tag. `marks` has the bit for a tag, see `name_lines_mark`, if the first place of the home with
/// this tag does not suffice: a name of this home is elsewhere, or two names have the same tag.
typedef struct {
    uint16_t tags[NAME_LINES_PLACES];
    uint16_t marks;
    /// The index of the first name of the group among all names of the table.
    uint32_t first;
} name_lines_group;

/// A name and the values stored with it.
typedef struct {
    uint64_t high, low;
    uint32_t id, label;
} name_lines_entry;

/// A table: groups, at a multiple of 64 in memory, and the names, group by group. `NAME_LINES_PLACES` more entries can
/// be read after the last.
typedef struct {
    const name_lines_group *_Nonnull groups;
    const name_lines_entry *_Nonnull entries;
    /// The number of groups.
    uint64_t homes;
} name_lines;

/// Returns the number of the group where a name is looked for first.
static inline uint64_t name_lines_home(uint64_t homes, uint64_t low) {
    return (uint64_t)((unsigned __int128)low * homes >> 64);
}

/// Returns the bit of a name in the marks of its home.
static inline uint32_t name_lines_mark(uint64_t high) { return UINT32_C(1) << (high & 15); }

/// Returns a bit for each place of a group whose tag is that of a name. Free places have the tag 0.
static inline uint32_t name_lines_matches(const name_lines_group *_Nonnull group, uint64_t high) {
    const uint16_t tag = (uint16_t)high;
#if (defined(__SSE2__) || defined(__aarch64__)) && !defined(NAME_LINES_PORTABLE)
    typedef uint16_t tags8 __attribute__((vector_size(16)));
    const tags8 wanted = {tag, tag, tag, tag, tag, tag, tag, tag};
    const tags8 *tags = (const tags8 *)(const void *)group;
#if defined(__SSE2__)
    typedef short words8 __attribute__((vector_size(16)));
    typedef char bytes16 __attribute__((vector_size(16)));
    const bytes16 both = (bytes16)__builtin_ia32_packsswb128((words8)(tags[0] == wanted), (words8)(tags[1] == wanted));
    const uint32_t found = (uint32_t)__builtin_ia32_pmovmskb128(both);
#else
    const tags8 places = {1, 2, 4, 8, 16, 32, 64, 128};
    const tags8 lower = (tags8)(tags[0] == wanted) & places, upper = (tags8)(tags[1] == wanted) & places;
    uint32_t found = 0;
    for (int place = 0; place < 8; place++) found |= lower[place] | (uint32_t)upper[place] << 8;
#endif
    return found & ((1u << NAME_LINES_PLACES) - 1);
#else
    uint32_t found = 0;
    for (uint32_t place = 0; place < NAME_LINES_PLACES; place++) found |= (uint32_t)(group->tags[place] == tag) << place;
    return found;
#endif
}

/// Returns the index of a name among the entries, `NAME_LINES_NONE`, or `NAME_LINES_SEARCH`.
static inline uint32_t name_lines_find(const name_lines *_Nonnull lines, uint64_t high, uint64_t low) {
    const name_lines_group *group = lines->groups + name_lines_home(lines->homes, low);
    const uint32_t found = name_lines_matches(group, high);
    const bool is_marked = (uint32_t)group->marks >> (high & 15) & 1;
    if (found == 0) return __builtin_expect(is_marked, 0) ? NAME_LINES_SEARCH : NAME_LINES_NONE;
    const uint32_t index = group->first + (uint32_t)__builtin_ctz(found);
    // There are fewer entries, so a caller's comparison with the two special values is left out here.
    if (index >= NAME_LINES_SEARCH) __builtin_unreachable();
    const name_lines_entry *entry = lines->entries + index;
    const bool is_equal = __builtin_expect(entry->high == high, 1) && __builtin_expect(entry->low == low, 1);
    return is_equal && __builtin_expect(!is_marked, 1) ? index : NAME_LINES_SEARCH;
}

/// Prefetches the memory that finding `count` names, at most 32, reads, in two steps, so that the waits overlap.
/// `known` is the number of names that can be read, at least `count`; for those after the first `count`, only the homes
/// are prefetched. Returns a bit for each name that the table may have.
uint32_t name_lines_prefetch(
    const name_lines *_Nonnull lines, const uint64_t *_Nonnull names, size_t count, size_t known);

/// Writes the indices of all entries with a name to `found`, which has room for every place of `NAME_LINES_REACH + 1`
/// groups, and returns their number. The part of the table that contains the home ends before group `end`.
size_t name_lines_search(
    const name_lines *_Nonnull lines, uint64_t end, uint64_t high, uint64_t low, uint32_t *_Nonnull found);

/// A part of a table that is being built: the groups from `begin` to before `end`.
typedef struct {
    name_lines_group *_Nonnull groups;
    uint64_t homes, begin, end;
    /// The number of names that have a place in each group of the part; later, the number already stored.
    uint8_t *_Nonnull counts;
} name_lines_part;

/// Gives a place to each of `count` names of the part if `kept` has the bit for the last two bits of its id. Writes the
/// number of its group to `chosen`, counted from the beginning of the part, or `NAME_LINES_NONE`, or
/// `NAME_LINES_LEFT_OUT`. Returns the number of names without a place. The groups are zero before the first call.
size_t name_lines_choose(
    const name_lines_part *_Nonnull part, const name_lines_entry *_Nonnull names, size_t count, uint32_t kept,
    uint32_t *_Nonnull chosen);

/// Sets where the names of each group begin, the first of the part at index `first`, and the counts to zero; called
/// after all names have a place.
void name_lines_number(const name_lines_part *_Nonnull part, uint32_t first);

/// Stores names at their places, each with the id `first_id` plus `step` times its own. `entries` is the table's.
void name_lines_store(
    const name_lines_part *_Nonnull part, const name_lines_entry *_Nonnull names, size_t count, uint32_t first_id,
    uint32_t step, const uint32_t *_Nonnull chosen, name_lines_entry *_Nonnull entries);

/// Claims a part of memory that several threads could write. Returns true to the first caller only.
static inline bool name_lines_claim(uint8_t *_Nonnull flag) {
    return __atomic_exchange_n(flag, 1, __ATOMIC_ACQ_REL) == 0;
}

#endif
