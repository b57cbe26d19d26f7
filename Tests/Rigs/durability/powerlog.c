// Preloaded into a process, writes what it does to its files into a log: for the rig, which makes from it what a disk may
// hold after a power cut. Every record is written in one call: kind, descriptor, offset, length, and the bytes.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int log_file = -1;

struct head { char kind; int32_t descriptor; int64_t offset; uint32_t length; } __attribute__((packed));

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static void note(char kind, int descriptor, int64_t offset, const void *bytes, size_t length) {
    if (log_file < 0 || descriptor == log_file) return;
    int error = errno;
    struct head head = {kind, descriptor, offset, (uint32_t)length};
    struct iovec parts[] = {{&head, sizeof head}, {(void *)bytes, length}};
    if (writev(log_file, parts, 2) < 0) abort();
    errno = error;
}

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("POWER_LOG");
    if (path) log_file = REAL(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int opened(int directory, const char *path, int flags, int made) {
    char text[5000];
    int length = snprintf(text, sizeof text, "%d %s", directory, path);
    if (made >= 0) note('o', made, flags, text, (size_t)length);
    return made;
}

#define MODE(flags, mode) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *path, int flags, ...) { MODE(flags, mode); return opened(AT_FDCWD, path, flags, REAL(open)(path, flags, mode)); }
int open64(const char *path, int flags, ...) { MODE(flags, mode); return opened(AT_FDCWD, path, flags, REAL(open64)(path, flags, mode)); }
int openat(int directory, const char *path, int flags, ...) { MODE(flags, mode); return opened(directory, path, flags, REAL(openat)(directory, path, flags, mode)); }
int openat64(int directory, const char *path, int flags, ...) { MODE(flags, mode); return opened(directory, path, flags, REAL(openat64)(directory, path, flags, mode)); }

ssize_t write(int file, const void *bytes, size_t count) {
    int64_t offset = file > 2 ? lseek(file, 0, SEEK_CUR) : 0;
    // What is said to the rig is noted first: an acknowledgement counts only when it has been read.
    ssize_t done = REAL(write)(file, bytes, count);
    if (done > 0) note('w', file, offset, bytes, (size_t)done);
    return done;
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    ssize_t done = REAL(pwrite)(file, bytes, count, offset);
    if (done > 0) note('w', file, offset, bytes, (size_t)done);
    return done;
}
ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    ssize_t done = REAL(pwrite64)(file, bytes, count, offset);
    if (done > 0) note('w', file, offset, bytes, (size_t)done);
    return done;
}
int ftruncate(int file, off_t length) { int done = REAL(ftruncate)(file, length); if (!done) note('t', file, length, "", 0); return done; }
int ftruncate64(int file, off64_t length) { int done = REAL(ftruncate64)(file, length); if (!done) note('t', file, length, "", 0); return done; }
int fsync(int file) { int done = REAL(fsync)(file); if (!done) note('s', file, 0, "", 0); return done; }
int fdatasync(int file) { int done = REAL(fdatasync)(file); if (!done) note('s', file, 0, "", 0); return done; }
int unlinkat(int directory, const char *path, int flags) {
    int done = REAL(unlinkat)(directory, path, flags);
    if (!done) note('u', directory, 0, path, strlen(path));
    return done;
}
int unlink(const char *path) { int done = REAL(unlink)(path); if (!done) note('u', AT_FDCWD, 0, path, strlen(path)); return done; }
int renameat(int from, const char *old, int to, const char *new) {
    int done = REAL(renameat)(from, old, to, new);
    char text[5000];
    int length = snprintf(text, sizeof text, "%s%c%s", old, 0, new);
    if (!done) note('r', from, 0, text, (size_t)length);
    return done;
}

// With POWER_SEED every random byte follows from it, so that the keys of a home, and with them the order of rows in its
// database, are the same in every run. libsodium calls getrandom or getentropy; the runtime of Swift makes the system call.
ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    static uint64_t state;
    const char *seed = getenv("POWER_SEED");
    if (!seed) return REAL(getrandom)(bytes, count, flags);
    if (!state) state = strtoull(seed, NULL, 10) | 1;
    for (size_t i = 0; i < count; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        ((unsigned char *)bytes)[i] = (unsigned char)(state >> 56);
    }
    return (ssize_t)count;
}
int getentropy(void *bytes, size_t count) { return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1; }
long syscall(long number, ...) {
    va_list list;
    long word[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++) word[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_getrandom && getenv("POWER_SEED")) return getrandom((void *)word[0], (size_t)word[1], (unsigned)word[2]);
    return REAL(syscall)(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}
