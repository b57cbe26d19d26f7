// mmap, madvise and posix_memalign are extensions.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "CSecretMemory.h"

#include <stdlib.h>

static void *from_malloc(size_t count, size_t alignment) {
    void *memory = NULL;
    if (alignment <= _Alignof(max_align_t)) {
        memory = malloc(count ? count : 1);
    } else if (posix_memalign(&memory, alignment, count ? count : 1) != 0) {
        memory = NULL;
    }
    if (memory == NULL) abort();
    return memory;
}

#if defined(__linux__)

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

// One reserved range of addresses, so that a comparison tells whether memory came from it or from malloc. Pieces of it
// become usable as they are needed and are divided into blocks of one size, a power of two.
#define RANGE ((size_t)1 << 30)
#define PIECE ((size_t)1 << 16)

enum {
    SMALLEST = 5,
    LARGEST = 26,
    SIZES = LARGEST - SMALLEST + 1,
    // From this size on, released blocks give their pages back to the system.
    RETURNED = 17,
};

typedef struct free_block {
    struct free_block *next;
} free_block;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
// Zero until the range is reserved.
static _Atomic(uintptr_t) range_start;
static size_t used;
static free_block *free_blocks[SIZES];
static secret_memory_state state;
// Whether the pages of each piece are locked.
static unsigned char is_locked[RANGE / PIECE];

static unsigned size_class(size_t count) {
    unsigned bits = SMALLEST;
    while (((size_t)1 << bits) < count) bits++;
    return bits;
}

static int is_in_range(const void *memory) {
    const uintptr_t start = atomic_load_explicit(&range_start, memory_order_acquire);
    return start != 0 && (uintptr_t)memory - start < RANGE;
}

static unsigned char *lock_of(const void *piece) {
    return &is_locked[((uintptr_t)piece - atomic_load_explicit(&range_start, memory_order_relaxed)) / PIECE];
}

// Locks the pages of pieces that are about to be used, and counts them.
static void lock_pages(void *start, size_t count) {
    *lock_of(start) = mlock(start, count) == 0;
    if (*lock_of(start)) {
        state.locked += count;
    } else {
        state.error = errno;
        state.unlocked += count;
    }
}

// Gives the pages of a released block back to the system.
static void unlock_pages(void *start, size_t count) {
    if (*lock_of(start)) {
        munlock(start, count);
        state.locked -= count;
    } else {
        state.unlocked -= count;
    }
    madvise(start, count, MADV_DONTNEED);
}

// Makes the next `count` bytes of the range usable; returns a null pointer at the end of the range.
static void *take_piece(size_t count) {
    if (count > RANGE - used) return NULL;
    char *piece = (char *)atomic_load_explicit(&range_start, memory_order_relaxed) + used;
    if (mprotect(piece, count, PROT_READ | PROT_WRITE) != 0) return NULL;
    used += count;
    lock_pages(piece, count);
    return piece;
}

static void *take_block(unsigned bits) {
    free_block **first = &free_blocks[bits - SMALLEST];
    const size_t size = (size_t)1 << bits;
    if (*first == NULL) {
        char *piece = take_piece(size < PIECE ? PIECE : size);
        if (piece == NULL) return NULL;
        for (size_t offset = size < PIECE ? PIECE : size; offset > 0; offset -= size) {
            free_block *block = (free_block *)(piece + offset - size);
            block->next = *first;
            *first = block;
        }
    } else if (bits >= RETURNED) {
        // Its pages were unlocked when it was released.
        lock_pages(*first, size);
    }
    free_block *block = *first;
    *first = block->next;
    return block;
}

void *secret_memory_allocate(size_t count, size_t alignment) {
    if (atomic_load_explicit(&range_start, memory_order_acquire) == 0) return from_malloc(count, alignment);
    const unsigned bits = size_class(count);
    void *block = NULL;
    pthread_mutex_lock(&mutex);
    if (bits <= LARGEST) block = take_block(bits);
    if (block == NULL) {
        state.unlocked += count;
        state.error = ENOMEM;
    }
    pthread_mutex_unlock(&mutex);
    return block != NULL ? block : from_malloc(count, alignment);
}

void secret_memory_release(void *memory, size_t count) {
    if (!is_in_range(memory)) {
        free(memory);
        return;
    }
    const unsigned bits = size_class(count);
    pthread_mutex_lock(&mutex);
    if (bits >= RETURNED) unlock_pages(memory, (size_t)1 << bits);
    free_block *block = memory;
    block->next = free_blocks[bits - SMALLEST];
    free_blocks[bits - SMALLEST] = block;
    pthread_mutex_unlock(&mutex);
}

int secret_memory_lock(void) {
    int error = 0;
    pthread_mutex_lock(&mutex);
    if (atomic_load_explicit(&range_start, memory_order_relaxed) == 0) {
        void *range = mmap(NULL, RANGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (range == MAP_FAILED) {
            error = errno;
        } else {
            madvise(range, RANGE, MADV_DONTDUMP);
            madvise(range, RANGE, MADV_WIPEONFORK);
            atomic_store_explicit(&range_start, (uintptr_t)range, memory_order_release);
        }
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

secret_memory_state secret_memory_report(void) {
    pthread_mutex_lock(&mutex);
    const secret_memory_state copy = state;
    pthread_mutex_unlock(&mutex);
    return copy;
}

#else

#include <errno.h>

void *secret_memory_allocate(size_t count, size_t alignment) { return from_malloc(count, alignment); }

void secret_memory_release(void *memory, size_t count) {
    (void)count;
    free(memory);
}

int secret_memory_lock(void) { return ENOTSUP; }

secret_memory_state secret_memory_report(void) { return (secret_memory_state){0, 0, 0}; }

#endif
