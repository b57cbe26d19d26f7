// Preloaded into the tests under ThreadSanitizer, as Tests/Rigs/c-interface/races links the same functions: it tells the sanitizer about the
// locks of the Swift library. Programs that are not built with the sanitizer load it too, and do not have its functions.

#define _GNU_SOURCE
#include "../c-interface/locks.h"

#pragma weak __tsan_acquire
#pragma weak __tsan_release
