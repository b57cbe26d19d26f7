// Settings of the C library's memory.
#ifndef INKLING_MEMORY_H
#define INKLING_MEMORY_H

#include <features.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

// Blocks of at least so many bytes are given back to the system when they are freed. Without a setting of its own, glibc
// begins with this size and raises it to that of the largest block that was freed, up to 32 MiB. Returns whether the C
// library has such a setting.
static inline int inkling_return_large_blocks(int bytes) {
#if defined(__GLIBC__)
    return mallopt(M_MMAP_THRESHOLD, bytes);
#else
    (void)bytes;
    return 0;
#endif
}

#endif
