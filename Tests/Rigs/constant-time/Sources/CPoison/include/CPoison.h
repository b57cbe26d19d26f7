#ifndef INKLING_POISON_H
#define INKLING_POISON_H

#include <stddef.h>

/// Marks bytes as secret: valgrind reports every branch and every address that depends on them.
void poison(const void *start, size_t count);

/// Marks bytes as public again.
void publish(const void *start, size_t count);

/// The number of reports so far.
unsigned poison_reports(void);

/// Whether this process runs under valgrind; without it nothing is watched.
int poison_is_watched(void);

#endif
