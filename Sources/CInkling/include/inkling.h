/* Inkling for C: recognise devices that know each other, by identifiers that nobody else can follow.
 *
 * Every call that can fail returns an inkling_status; INKLING_OK is zero. Nothing else is reported on the side: there
 * is no errno and no "last error" of a thread. A call that fails has changed nothing and has written nothing, except
 * the needed length that goes with INKLING_BUFFER_TOO_SHORT, and the refusal that goes with INKLING_REFUSED.
 *
 * Handles are numbers. Zero is never one. A number that is freed, was never given out, or stands for another kind of
 * object is answered by a status, and numbers are not used again. Whoever gets a handle frees it by inkling_free.
 *
 * Threads: any handle may be used from any thread, but not from two at once, and not from inside a callback of a call
 * that uses it: then one of the two calls returns INKLING_BUSY and does nothing. Calls on different handles run side by
 * side. After fork(), only the process that made a handle should use it.
 *
 * Bytes come in as a pointer and a count; the pointer may be null where the count is zero. Bytes go out into a buffer
 * of the caller's: the length that is needed is always written, and when the buffer is shorter, nothing else is. A null
 * buffer of capacity zero asks for the length. Texts are UTF-8; those that come in have a count and no terminator.
 *
 * Structures begin with their size, which the caller sets to sizeof; set all else that is not used to zero. So a
 * program that was built with an older header works with a newer library. Reserved members stay zero.
 *
 * Secrets come in by pointer and are copied at once into memory that is wiped; the caller wipes its own copy. They
 * never come out in the clear. Randomness is that of the system; time is a parameter of each call.
 */

#ifndef INKLING_H
#define INKLING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Statuses ---------------------------------------------------------------------------------------------- */

/// The version of this interface: what the 1 in libinkling.so.1 counts, times 65536, and the additions since.
#define INKLING_ABI_VERSION UINT32_C(0x00010000)

/// The most bytes that a call takes in; longer inputs are out of range.
#define INKLING_INPUT_LIMIT ((size_t)1 << 20)

/// How a call ended.
typedef enum inkling_status {
    /// The call did what it says.
    INKLING_OK = 0,
    /// A pointer that must be there is null.
    INKLING_NULL_ARGUMENT = 1,
    /// A pointer is not aligned for what it points to.
    INKLING_MISALIGNED = 2,
    /// A number, or the count of an input, is outside the range that the call names.
    INKLING_OUT_OF_RANGE = 3,
    /// An input does not have the length that it must have.
    INKLING_WRONG_LENGTH = 4,
    /// The buffer is shorter than the length that was written.
    INKLING_BUFFER_TOO_SHORT = 5,
    /// The member `size` is none that this library knows, or what it does not know of the structure is not zero.
    INKLING_WRONG_SIZE = 6,
    /// No object has this handle: it was freed, or never given out.
    INKLING_NO_SUCH_HANDLE = 7,
    /// The handle stands for another kind of object.
    INKLING_WRONG_KIND = 8,
    /// The object is in use: by another thread, or further up on this one.
    INKLING_BUSY = 9,
    /// There is no room: a million handles are out, or too many effects wait to be taken.
    INKLING_FULL = 10,
    /// The input must be refused; the refusal says at which stage and why.
    INKLING_REFUSED = 11,
    /// The keys for this hour are not, or no longer, held.
    INKLING_NOT_HELD = 12,
    /// What was named (a contact, an attempt) is not known to the object.
    INKLING_UNKNOWN = 13,
    /// Not a status: makes the type four bytes wide with every compiler option.
    INKLING_STATUS_WIDTH = 0x7fffffff
} inkling_status;

/// What a status means, in one line of English; a text without end of life, for every number.
const char *inkling_status_text(inkling_status status);

/// INKLING_ABI_VERSION of the library that is loaded; a program may ask that its upper half is that of its header.
uint32_t inkling_abi_version(void);

/// Why an input was refused, in the codes of the tables in Specs/: for logs of the local user, never for a peer.
typedef struct inkling_refusal {
    uint32_t size;
    /// The check that failed first, for example `signature`; ends with a zero byte.
    char stage[30];
    /// How it failed, for example `invalid`; ends with a zero byte.
    char reason[30];
} inkling_refusal;

/* ---- Handles ----------------------------------------------------------------------------------------------- */

/// An object of the library.
typedef uint64_t inkling_handle;

/// Frees an object and wipes its secrets; objects that were made of it live on.
inkling_status inkling_free(inkling_handle handle);

/// How many handles are out, so that a test can find a leak.
inkling_status inkling_handle_count(uint64_t *count_out);

/* ---- Time -------------------------------------------------------------------------------------------------- */

/// The epoch, a quarter hour of Unix time, that contains a moment. Out of range from August 2089 on.
inkling_status inkling_epoch_at(uint64_t unix_seconds, uint32_t *epoch_out);

/// The Unix seconds at which an epoch begins and at which the next one does. The hour of an epoch is epoch / 4.
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

/// The keys of one audience from a root of exactly 32 random bytes: a tree of the hours up to 2089.
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

/// The part of a tree that covers the hours `from_hour` to `to_hour`, both included, as a tree of its own.
inkling_status inkling_tree_part(inkling_handle tree, uint32_t from_hour, uint32_t to_hour, inkling_handle *tree_out);

/// The first and the last hour whose keys are held; INKLING_NOT_HELD when everything was forgotten.
inkling_status inkling_tree_hours(inkling_handle tree, uint32_t *first_out, uint32_t *last_out);

/// Forgets every hour before this one, so that no earlier key can be computed of what remains.
inkling_status inkling_tree_forget(inkling_handle tree, uint32_t before_hour);

/// What a device, 0 to 15, shows in an epoch under this audience.
inkling_status inkling_tree_values(inkling_handle tree, uint8_t device, uint32_t epoch, inkling_values *values_out);

/// The key of one hour: enough for its four epochs, and nothing about other hours follows from it.
inkling_status inkling_period_key_of_tree(inkling_handle tree, uint32_t hour, inkling_handle *key_out);

/// The key of one hour from its 32 bytes.
inkling_status inkling_period_key_new(
    const uint8_t *bytes, size_t count, uint32_t hour, inkling_handle *key_out);

/// What a device, 0 to 15, shows in an epoch of the key's hour.
inkling_status inkling_period_key_values(
    inkling_handle key, uint8_t device, uint32_t epoch, inkling_values *values_out);

#ifdef __cplusplus
}
#endif

#endif
