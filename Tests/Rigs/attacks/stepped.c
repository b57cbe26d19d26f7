// Steps the clock of one process, as if somebody had set the clock of the machine. Loaded with LD_PRELOAD.
//
// INKLING_OFFSET names a file of 8 bytes, a signed number of seconds that is added to CLOCK_REALTIME. When it changes, each
// timerfd that was set with TFD_TIMER_CANCEL_ON_SET becomes readable and its next read fails with ECANCELED, as timerfd_create(2)
// describes it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { FILES = 4096 };

static const volatile int64_t *offset;
static atomic_bool watched[FILES], cancelled[FILES];

static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_timerfd_settime)(int, int, const struct itimerspec *, struct itimerspec *);
static ssize_t (*real_read)(int, void *, size_t);
static int (*real_close)(int);

static void find(void) {
    if (real_close) return;
    real_clock_gettime = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    real_timerfd_settime =
        (int (*)(int, int, const struct itimerspec *, struct itimerspec *))dlsym(RTLD_NEXT, "timerfd_settime");
    real_read = (ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
    real_close = (int (*)(int))dlsym(RTLD_NEXT, "close");
}

static void *watch(void *unused) {
    (void)unused;
    int64_t before = *offset;
    for (;;) {
        struct timespec pause = {.tv_nsec = 5000000};
        nanosleep(&pause, NULL);
        if (*offset == before) continue;
        before = *offset;
        for (int file = 0; file < FILES; file++) {
            if (!watched[file]) continue;
            cancelled[file] = true;
            struct itimerspec now = {.it_value = {.tv_nsec = 1}};
            real_timerfd_settime(file, 0, &now, NULL);
        }
    }
    return NULL;
}

__attribute__((constructor)) static void begin(void) {
    find();
    const char *path = getenv("INKLING_OFFSET");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, 8, PROT_READ, MAP_SHARED, file, 0);
    real_close(file);
    if (page == MAP_FAILED) return;
    offset = page;
    pthread_t thread;
    if (pthread_create(&thread, NULL, watch, NULL) == 0) pthread_detach(thread);
}

int clock_gettime(clockid_t clock, struct timespec *result) {
    find();
    int code = real_clock_gettime(clock, result);
    if (code == 0 && offset && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) result->tv_sec += *offset;
    return code;
}

int gettimeofday(struct timeval *restrict result, void *restrict zone) {
    (void)zone;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *result = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int timerfd_settime(int file, int flags, const struct itimerspec *new, struct itimerspec *old) {
    find();
    if (file >= 0 && file < FILES) {
        cancelled[file] = false;
        watched[file] = (flags & TFD_TIMER_CANCEL_ON_SET) != 0;
    }
    // A time far away is one that the step must not bring nearer; the flag itself needs no real clock.
    struct itimerspec moved = *new;
    if (offset && (flags & TFD_TIMER_ABSTIME) && (flags & TFD_TIMER_CANCEL_ON_SET) && moved.it_value.tv_sec > *offset)
        moved.it_value.tv_sec -= *offset;
    return real_timerfd_settime(file, flags, &moved, old);
}

ssize_t read(int file, void *buffer, size_t count) {
    find();
    ssize_t result = real_read(file, buffer, count);
    if (result > 0 && file >= 0 && file < FILES && atomic_exchange(&cancelled[file], false)) {
        errno = ECANCELED;
        return -1;
    }
    return result;
}

int close(int file) {
    find();
    if (file >= 0 && file < FILES) watched[file] = cancelled[file] = false;
    return real_close(file);
}
