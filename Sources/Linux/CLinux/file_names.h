#pragma once
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

// syscall is variadic, which Swift does not import, and musl has no renameat2.
/// Renames a file, and fails with EEXIST where the new name is taken.
static inline int inkling_rename_new(int from_folder, const char *from, int to_folder, const char *to) {
    return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, 1u /* RENAME_NOREPLACE */);
}
