// Headers of the C library that the toolchain's own module leaves out.
#include <sys/eventfd.h>
#include <sys/timex.h>
#include <sys/prctl.h>
#include <sys/resource.h>

// prctl is variadic, which Swift does not import.
/// Keeps other processes of the same user from reading this one's memory, and the kernel from dumping it.
static inline int inkling_forbid_inspection(void) {
    const struct rlimit none = {0, 0};
    return setrlimit(RLIMIT_CORE, &none) | prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/// Names the calling thread, with at most fifteen characters.
static inline void inkling_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#include "multicast_socket.h"
