// Memory for secrets. By default it comes from malloc. Once a process has called `secret_memory_lock`, new memory comes
// from pages that are locked, so that the system does not write them to a swap device, and that are left out of core
// dumps and of child processes.
//
// The caller wipes memory before it releases it.

#ifndef CSECRETMEMORY_H
#define CSECRETMEMORY_H

#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__)
#define _Nonnull
#define _Nullable
#endif

/// Returns `count` bytes at a multiple of `alignment`, a power of two up to 64 and not above `count`. Their content is
/// undefined. Ends the process if there is no memory, as every allocation in Swift does.
void *_Nonnull secret_memory_allocate(size_t count, size_t alignment);

/// Takes back `count` bytes that `secret_memory_allocate` returned.
void secret_memory_release(void *_Nonnull memory, size_t count);

/// The memory that has been locked so far.
typedef struct {
    /// The number of bytes in locked pages.
    uint64_t locked;
    /// The number of bytes that had to be placed in pages that are not locked.
    uint64_t unlocked;
    /// The system's error number for the latest page that could not be locked; 0 if there was none.
    int error;
} secret_memory_state;

/// Takes new memory from locked pages from now on. Returns 0, or the system's error number if this system cannot do it;
/// memory then comes from malloc as before.
int secret_memory_lock(void);

/// Returns the state of the memory; all zero before `secret_memory_lock`.
secret_memory_state secret_memory_report(void);

#endif
