#ifndef CFIGURES_H
#define CFIGURES_H

#include <stddef.h>

// Faults for the planted runs. They replace functions of libsodium in this program alone.

/// From now on a ciphertext is accepted when only the first `count` bytes of its tag are right.
void plant_short_tags(int count);
/// From now on every ciphertext has the same nonce, so that a cipher does not count.
void plant_constant_nonces(void);
/// From now on the comparison of secrets ends at the first byte that differs.
void plant_early_exit(void);

/// Nanoseconds of the monotonic clock.
unsigned long nanoseconds(void);
/// Nanoseconds of processor time of this thread.
unsigned long processor_nanoseconds(void);

/// From now on the processor time of agreements with public keys is counted, as that between the calls of `watch_check`.
void watch_agreements(void);
/// Begins (1) or ends (0) a check whose time is counted.
void watch_check(int begins);
/// Nanoseconds of processor time in checks since `forget_checks`.
unsigned long checked_nanoseconds(void);
void forget_checks(void);

/// Begins to count what this thread allocates.
void begin_counting(void);
/// Returns the largest number of bytes that were allocated and not yet freed, above those at the beginning.
long largest_count(void);

#endif
