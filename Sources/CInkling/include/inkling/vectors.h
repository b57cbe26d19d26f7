/* Test vectors, answered by the library. Part of inkling.h. */

#ifndef INKLING_VECTORS_H
#define INKLING_VECTORS_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The most bytes of a vector file.
#define INKLING_VECTOR_FILE_LIMIT ((size_t)1 << 26)

/// Told of each case that is answered otherwise than the file says; the texts end with a zero byte and live as long as
/// the call. `expected` and `got` are one line of JSON each.
typedef void (*inkling_on_difference)(
    const char *id, const char *comment, const char *expected, const char *got, void *user);

/// Answers every case of a vector file, given as its bytes, and reports the differences; `on_difference` may be null.
/// Refuses what is no such file.
inkling_status inkling_vectors_verify(
    const uint8_t *file, size_t count, inkling_on_difference on_difference, void *user, uint64_t *agreed_out,
    uint64_t *differing_out, inkling_refusal *refusal_out);

#ifdef __cplusplus
}
#endif

#endif
