// Memory settings of the C library.
#ifndef INKLING_MEMORY_H
#define INKLING_MEMORY_H

#include <features.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Makes glibc return each freed block of at least this size to the system. By default, glibc raises the threshold to the
// largest such block freed, and keeps smaller ones. No effect with other C libraries.
static inline void inkling_return_large_blocks(int bytes) {
#if defined(__GLIBC__)
    mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
#endif
}

// Makes glibc use one heap for all threads started from now on. By default, up to eight threads per processor have their
// own, which keep freed memory. No effect with other C libraries.
static inline void inkling_share_heap(void) {
#if defined(__GLIBC__)
    mallopt(M_ARENA_MAX, 1);
#endif
}

#endif
