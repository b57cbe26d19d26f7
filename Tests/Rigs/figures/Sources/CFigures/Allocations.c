#define _GNU_SOURCE
#include "CFigures.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

// Replaces the functions of the C library, so that it also sees what the Swift runtime and libsodium allocate.

extern void *__libc_malloc(size_t count);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *place, size_t count);
extern void *__libc_memalign(size_t alignment, size_t count);
extern void __libc_free(void *place);

static __thread long held, largest;

void begin_counting(void) { held = largest = 0; }
long largest_count(void) { return largest; }

static void *counted(void *place) {
    if (place != NULL) held += (long)malloc_usable_size(place);
    if (held > largest) largest = held;
    return place;
}

static void forget(void *place) {
    if (place != NULL) held -= (long)malloc_usable_size(place);
}

void *malloc(size_t count) { return counted(__libc_malloc(count)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *memalign(size_t alignment, size_t count) { return counted(__libc_memalign(alignment, count)); }
void *aligned_alloc(size_t alignment, size_t count) { return counted(__libc_memalign(alignment, count)); }

int posix_memalign(void **result, size_t alignment, size_t count) {
    void *place = counted(__libc_memalign(alignment, count));
    if (place == NULL) return ENOMEM;
    *result = place;
    return 0;
}

void *realloc(void *place, size_t count) {
    forget(place);
    return counted(__libc_realloc(place, count));
}

void free(void *place) {
    forget(place);
    __libc_free(place);
}
