#include "CPoison.h"

#include <valgrind/memcheck.h>

void poison(const void *start, size_t count) { (void)VALGRIND_MAKE_MEM_UNDEFINED(start, count); }

void publish(const void *start, size_t count) { (void)VALGRIND_MAKE_MEM_DEFINED(start, count); }

unsigned poison_reports(void) { return (unsigned)VALGRIND_COUNT_ERRORS; }

int poison_is_watched(void) { return RUNNING_ON_VALGRIND != 0; }
