// Settings of the C library's memory.
#ifndef INKLING_MEMORY_H
#define INKLING_MEMORY_H

#include <features.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Makes glibc return each freed block of this size or more to the system. By default, glibc raises the limit to the size of
// the largest such block that was freed, and keeps smaller ones. With other C libraries this does nothing.
static inline void inkling_return_large_blocks(int bytes) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}

// Makes glibc use one heap for all threads that begin from now on. By default, each of up to eight threads for each processor
// has one of its own, and keeps there what was freed. With other C libraries this does nothing.
static inline void inkling_share_heap(void) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);
#endif
}

#endif
