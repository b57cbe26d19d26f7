// SHA-256 (FIPS 180-4) and HMAC-SHA256 (RFC 2104) of one message, for one key at a time.
//
// Everything computed from a key is as secret as the key. Copies on the stack are wiped before a call returns; the
// registers keep their values until they are used again.

#ifndef CSHA256ONE_H
#define CSHA256ONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if !defined(__clang__)
#define _Nonnull
#endif

/// The implementations, which return the same results.
typedef enum {
    /// Instructions that every processor has.
    SHA256_ONE_PORTABLE = 0,
    /// The SHA instructions of x86 or of ARMv8.
    SHA256_ONE_INSTRUCTIONS = 1,
} sha256_one_path;

/// Returns whether the processor supports an implementation.
bool sha256_one_has(sha256_one_path path);

/// Returns the implementation that was faster on this processor when it was first asked for.
sha256_one_path sha256_one_best(void);

/// A computation in progress.
typedef struct {
    /// The state after the message so far; for an HMAC, at first the first half of the key, padded with zeros.
    uint32_t inner[8];
    /// For an HMAC, the state after the outer padded key; at first the second half of the key.
    uint32_t outer[8];
    /// The end of the message, which does not yet fill a block.
    uint8_t block[64];
    /// The number of bytes so far, including the block of the key.
    uint64_t count;
    sha256_one_path path;
    bool is_mac;
    /// Whether the key has been compressed.
    bool is_absorbed;
} sha256_one_state;

/// Starts the digest of a message.
void sha256_one_start(sha256_one_state *_Nonnull state, sha256_one_path path);

/// Starts the HMAC of a message under a key of any length.
void sha256_one_start_mac(
    sha256_one_state *_Nonnull state, sha256_one_path path, const uint8_t *_Nonnull key, size_t count);

/// Appends bytes to the message.
void sha256_one_append(sha256_one_state *_Nonnull state, const uint8_t *_Nonnull bytes, size_t count);

/// Writes the first `count` bytes, at most 32, of the digest or HMAC, and wipes the state.
void sha256_one_finish(sha256_one_state *_Nonnull state, uint8_t *_Nonnull output, size_t count);

#endif
