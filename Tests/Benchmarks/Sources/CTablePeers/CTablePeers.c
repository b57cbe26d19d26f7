#include "CTablePeers.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,bmi,bmi2")))
enum { PLACES = 8, FREE = -1, TOGETHER = 32 };

typedef struct {
    int32_t prints[PLACES], ids[PLACES];
} __attribute__((aligned(64))) bucket;

typedef struct {
    uint64_t high, low;
    uint32_t owner, epoch;
} entry;

struct table_peer {
    uint64_t homes;
    bucket *buckets;
    entry *entries;
};

bool table_peer_available(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"); }

static inline bucket *home(const table_peer *table, uint64_t low) {
    return table->buckets + (uint64_t)((unsigned __int128)low * table->homes >> 64);
}

table_peer *table_peer_create(const uint64_t *names, const uint32_t *owners, size_t count) {
    table_peer *table = malloc(sizeof *table);
    if (table == NULL) abort();
    table->homes = count / (PLACES / 2) + 1;
    // A name that does not fit goes into the next bucket; some follow the last.
    const size_t bytes = (table->homes + 64) * sizeof(bucket);
    table->buckets = aligned_alloc(64, bytes);
    table->entries = malloc((count + 1) * sizeof *table->entries);
    if (table->buckets == NULL || table->entries == NULL) abort();
    memset(table->buckets, 0xff, bytes);
    for (size_t i = 0; i < count; i++) {
        table->entries[i] = (entry){names[2 * i], names[2 * i + 1], owners[i], 0};
        bucket *at = home(table, names[2 * i + 1]);
        int place = 0;
        while (at->ids[place] != FREE)
            if (++place == PLACES) at++, place = 0;
        at->prints[place] = (int32_t)names[2 * i];
        at->ids[place] = (int32_t)i;
    }
    return table;
}

AVX2 static inline uint32_t matches(const bucket *at, uint64_t high) {
    const __m256i prints = _mm256_load_si256((const __m256i *)at->prints);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(prints, _mm256_set1_epi32((int)high))));
}

AVX2 static inline uint64_t find(const table_peer *table, uint64_t high, uint64_t low) {
    for (const bucket *at = home(table, low);; at++) {
        for (uint32_t found = matches(at, high); found != 0; found &= found - 1) {
            const int32_t id = at->ids[__builtin_ctz(found)];
            if (id != FREE && table->entries[id].high == high && table->entries[id].low == low)
                return table->entries[id].owner;
        }
        if (at->ids[PLACES - 1] == FREE) return 0;
    }
}

AVX2 uint64_t table_peer_find(const table_peer *table, const uint64_t *names, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += find(table, names[2 * i], names[2 * i + 1]);
    return sum;
}

AVX2 uint64_t table_peer_find_prefetched(const table_peer *table, const uint64_t *names, size_t count) {
    uint64_t sum = 0;
    for (size_t first = 0; first < count; first += TOGETHER) {
        const size_t end = first + TOGETHER < count ? first + TOGETHER : count;
        for (size_t i = end; i < end + TOGETHER && i < count; i++) __builtin_prefetch(home(table, names[2 * i + 1]));
        for (size_t i = first; i < end; i++) {
            const bucket *at = home(table, names[2 * i + 1]);
            const uint32_t found = matches(at, names[2 * i]);
            if (found != 0) __builtin_prefetch(table->entries + (uint32_t)at->ids[__builtin_ctz(found)]);
        }
        for (size_t i = first; i < end; i++) sum += find(table, names[2 * i], names[2 * i + 1]);
    }
    return sum;
}

#else

bool table_peer_available(void) { return false; }
table_peer *table_peer_create(const uint64_t *names, const uint32_t *owners, size_t count) {
    (void)names, (void)owners, (void)count;
    abort();
}
uint64_t table_peer_find(const table_peer *table, const uint64_t *names, size_t count) {
    (void)table, (void)names, (void)count;
    return 0;
}
uint64_t table_peer_find_prefetched(const table_peer *table, const uint64_t *names, size_t count) {
    return table_peer_find(table, names, count);
}

#endif
