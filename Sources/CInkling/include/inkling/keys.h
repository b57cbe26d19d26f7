/* Time, the keys of an audience, and what is derived of them. Part of inkling.h. */

#ifndef INKLING_KEYS_H
#define INKLING_KEYS_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Time -------------------------------------------------------------------------------------------------- */

/// The epoch, a quarter hour of Unix time, that contains a moment. Out of range from August 2089 on.
inkling_status inkling_epoch_at(uint64_t unix_seconds, uint32_t *epoch_out);

/// The Unix seconds at which an epoch begins and at which the next one does. The period of an epoch is epoch / 4.
inkling_status inkling_epoch_bounds(uint32_t epoch, uint64_t *start_out, uint64_t *end_out);

/// The epoch whose minor and tag are on air during `epoch` when they change every `minutes`: 15, 30 or 60.
inkling_status inkling_epoch_on_air(uint32_t epoch, uint32_t minutes, uint32_t *epoch_out);

/// The epochs whose identifiers count at a moment when clocks may differ by `skew_seconds`, 0 to 450 (120 is usual):
/// one to three, ascending, written to the array of three.
inkling_status inkling_epochs_observed(
    uint64_t unix_seconds, uint64_t skew_seconds, uint32_t *epochs_out, size_t *count_out);

/* ---- Keys and what is derived of them ---------------------------------------------------------------------- */

/// What one device shows in one epoch.
typedef struct inkling_values {
    uint32_t size;
    /// The minor of the beacon. Sixteen bits collide: it narrows a search and names nobody.
    uint16_t minor;
    uint16_t reserved;
    /// The recognition tag.
    uint8_t tag[16];
    /// The bytes of the service name; they bind a handshake.
    uint8_t name[16];
    /// The service and the host name as they are published: 32 lowercase hexadecimal digits and a zero byte.
    char name_text[33];
    char host_text[33];
    uint8_t reserved_bytes[2];
} inkling_values;

/// The keys of one audience from a root of exactly 32 random bytes: a tree of the periods up to 2089.
inkling_status inkling_tree_new(const uint8_t *root, size_t root_count, inkling_handle *tree_out);

/// The keys of a new audience, under a root of the system's randomness.
inkling_status inkling_tree_random(inkling_handle *tree_out);

/// The pair audience of two users: under which the one of them who advertises shows itself to the other.
///
/// `own_presence` is the private presence key, `peer_presence` the peer's public one, 32 bytes each; `advertising` is
/// 1 for the tree under which the owner of the private key shows itself, 0 for that of the peer. Refuses a point that
/// would make the secret public.
inkling_status inkling_tree_of_pair(
    const uint8_t *own_presence, size_t own_count, const uint8_t *peer_presence, size_t peer_count, uint32_t advertising,
    inkling_handle *tree_out, inkling_refusal *refusal_out);

/// The part of a tree that covers the periods `from_period` to `to_period`, both included, as a tree of its own.
inkling_status inkling_tree_part(inkling_handle tree, uint32_t from_period, uint32_t to_period, inkling_handle *tree_out);

/// The first and the last period whose keys are held; INKLING_NOT_HELD when everything was forgotten.
inkling_status inkling_tree_periods(inkling_handle tree, uint32_t *first_out, uint32_t *last_out);

/// Forgets every period before this one, so that no earlier key can be computed of what remains.
inkling_status inkling_tree_forget(inkling_handle tree, uint32_t before_period);

/// What a device, 0 to 15, shows in an epoch under this audience.
inkling_status inkling_tree_values(inkling_handle tree, uint8_t device, uint32_t epoch, inkling_values *values_out);

/// The key of one period: enough for its four epochs, and nothing about other periods follows from it.
inkling_status inkling_period_key_of_tree(inkling_handle tree, uint32_t period, inkling_handle *key_out);

/// The key of one period from its 32 bytes.
inkling_status inkling_period_key_new(
    const uint8_t *bytes, size_t count, uint32_t period, inkling_handle *key_out);

/// What a device, 0 to 15, shows in an epoch of the key's period.
inkling_status inkling_period_key_values(
    inkling_handle key, uint8_t device, uint32_t epoch, inkling_values *values_out);

#ifdef __cplusplus
}
#endif

#endif
