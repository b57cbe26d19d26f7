/* Verification of test vectors. Part of inkling.h. */

#ifndef INKLING_VECTORS_H
#define INKLING_VECTORS_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The maximum size of a vector file, in bytes.
#define INKLING_VECTOR_FILE_LIMIT ((size_t)1 << 26)

/// Called for each case whose result differs from the file. `expected` and `got` are one line of JSON each. The strings
/// end with a zero byte and are valid only during the call.
typedef void (*inkling_on_difference)(
    const char *id, const char *comment, const char *expected, const char *got, void *user);

/// Runs every case of a vector file, given as its bytes, and counts the results that agree and those that differ;
/// `on_difference` may be null. Refuses bytes that are not a vector file.
inkling_status inkling_vectors_verify(
    const uint8_t *file, size_t count, inkling_on_difference on_difference, void *user, uint64_t *agreed_out,
    uint64_t *differing_out, inkling_refusal *refusal_out);

#ifdef __cplusplus
}
#endif

#endif
