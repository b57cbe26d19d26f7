/* Tells ThreadSanitizer about the locks of the Swift library, whose slow paths are in a part that is not built with it. These
 * three functions replace the originals and call them. The names are those of Swift's Synchronization module on Linux; if
 * they change, the program does not link. */

#ifndef LOCKS_H
#define LOCKS_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT _Bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (found == NULL) abort();
    return found;
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    ((SWIFT void (*)(uint32_t, SELF))real(LOCK))(thread, self);
    __tsan_acquire(self);
}

SWIFT _Bool try_lock_slow(SELF) {
    _Bool is_taken = ((SWIFT _Bool (*)(SELF))real(TRY_LOCK))(self);
    if (is_taken) __tsan_acquire(self);
    return is_taken;
}

SWIFT void unlock_slow(SELF) {
    __tsan_release(self);
    ((SWIFT void (*)(SELF))real(UNLOCK))(self);
}

#endif
