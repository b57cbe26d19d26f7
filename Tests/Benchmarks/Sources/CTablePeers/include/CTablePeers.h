// A peer for look-ups: the table that a C programmer would write for names of 16 bytes. Buckets of one cache line with
// 8 fingerprints that one AVX2 instruction compares, half of the places free, and beside each name its owner.

#ifndef CTABLEPEERS_H
#define CTABLEPEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct table_peer table_peer;

/// Whether this processor has AVX2.
bool table_peer_available(void);

/// Creates the table of `count` names, each two numbers, whose owners are given in the same order.
table_peer *table_peer_create(const uint64_t *names, const uint32_t *owners, size_t count);

/// Looks names up one after the other, all bits compared. Returns the sum of the owners of those that the table has.
uint64_t table_peer_find(const table_peer *table, const uint64_t *names, size_t count);

/// The same, with the memory of the next names prefetched.
uint64_t table_peer_find_prefetched(const table_peer *table, const uint64_t *names, size_t count);

#endif
