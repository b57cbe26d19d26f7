// Headers of the C library that the toolchain's own module leaves out.
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/prctl.h>
#include <sys/resource.h>

// prctl is variadic, which Swift does not import.
/// Names the calling thread, with at most fifteen characters.
static inline void inkling_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

#include "file_names.h"
#include "hardening.h"
#include "listening_socket.h"
#include "memory.h"
#include "multicast_socket.h"
