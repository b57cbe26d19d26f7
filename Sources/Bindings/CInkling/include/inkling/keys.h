/* Time, the keys of an audience, and the identifiers derived from them. Part of inkling.h. */

#ifndef INKLING_KEYS_H
#define INKLING_KEYS_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Time -------------------------------------------------------------------------------------------------- */

/// Computes the epoch, a step of 900 s of Unix time, that contains a moment. INKLING_OUT_OF_RANGE from August 2089 on.
inkling_status inkling_epoch_at(uint64_t unix_seconds, uint32_t *epoch_out);

/// Computes the Unix seconds at which an epoch and the next one begin. The period of an epoch is epoch / 4.
inkling_status inkling_epoch_bounds(uint32_t epoch, uint64_t *start_out, uint64_t *end_out);

/// Computes the epoch whose minor and tag are shown during `epoch` if they change every 15, 30 or 60 `minutes`.
inkling_status inkling_epoch_on_air(uint32_t epoch, uint32_t minutes, uint32_t *epoch_out);

/// Computes the epochs whose identifiers count at a moment, if clocks differ by at most `skew_seconds` (0 to 450,
/// normally 120). Writes one to three epochs, in ascending order, to `epochs_out`, which must have room for three.
inkling_status inkling_epochs_observed(
    uint64_t unix_seconds, uint64_t skew_seconds, uint32_t *epochs_out, size_t *count_out);

/* ---- Keys and identifiers ------------------------------------------------------------------------------------ */

/// The identifiers that a device shows in an epoch (Specs/identifiers.md).
typedef struct inkling_values {
    uint32_t size;
    /// The minor of the beacon. Minors are 16 bits and collide: a minor narrows the search but identifies no one.
    uint16_t minor;
    uint16_t reserved;
    /// The recognition tag.
    uint8_t tag[16];
    /// The bytes of the service name, which the handshake is bound to.
    uint8_t name[16];
    /// The service name and the host name as published: 32 lower-case hexadecimal digits and a zero byte.
    char name_text[33];
    char host_text[33];
    uint8_t reserved_bytes[2];
} inkling_values;

/// Creates the audience tree of a root of exactly 32 random bytes; it covers all periods up to 2089.
inkling_status inkling_tree_new(const uint8_t *root, size_t root_count, inkling_handle *tree_out);

/// Creates an audience tree with a random root.
inkling_status inkling_tree_random(inkling_handle *tree_out);

/// Derives a tree of the pair audience of two users (Specs/pair-audiences.md).
///
/// `own_presence` is the private presence key of one user, `peer_presence` the public one of the other, 32 bytes each.
/// With `advertising` 1 it is the tree of the owner of the private key, who advertises under it; with 0 the peer's.
/// Refuses a public key that makes the shared secret zero, and thus known to everyone.
inkling_status inkling_tree_of_pair(
    const uint8_t *own_presence, size_t own_count, const uint8_t *peer_presence, size_t peer_count, uint32_t advertising,
    inkling_handle *tree_out, inkling_refusal *refusal_out);

/// Creates a tree that covers only the periods `from_period` to `to_period`, both included. INKLING_NOT_HELD unless
/// `tree` covers all of them.
inkling_status inkling_tree_part(inkling_handle tree, uint32_t from_period, uint32_t to_period, inkling_handle *tree_out);

/// Writes the first and the last period whose keys are held; INKLING_NOT_HELD if none are left.
inkling_status inkling_tree_periods(inkling_handle tree, uint32_t *first_out, uint32_t *last_out);

/// Erases the keys of all periods before `before_period`. What remains does not allow them to be computed again.
inkling_status inkling_tree_forget(inkling_handle tree, uint32_t before_period);

/// Computes the identifiers of a device, 0 to 15, in an epoch.
inkling_status inkling_tree_values(inkling_handle tree, uint8_t device, uint32_t epoch, inkling_values *values_out);

/// Extracts the key of one period, which suffices for its four epochs and reveals nothing about other periods.
inkling_status inkling_period_key_of_tree(inkling_handle tree, uint32_t period, inkling_handle *key_out);

/// Creates the key of a period from its 32 bytes.
inkling_status inkling_period_key_new(
    const uint8_t *bytes, size_t count, uint32_t period, inkling_handle *key_out);

/// Computes the identifiers of a device, 0 to 15, in an epoch of the key's period.
inkling_status inkling_period_key_values(
    inkling_handle key, uint8_t device, uint32_t epoch, inkling_values *values_out);

#ifdef __cplusplus
}
#endif

#endif
