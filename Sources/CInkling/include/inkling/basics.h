/* Statuses, refusals and handles: what every other part needs. Part of inkling.h. */

#ifndef INKLING_BASICS_H
#define INKLING_BASICS_H

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
    /// The keys for this period are not, or no longer, held.
    INKLING_NOT_HELD = 12,
    /// What was named (a contact, an attempt, a device) is not known to the object.
    INKLING_UNKNOWN = 13,
    /// The object did what it was for, or failed at it, and can only be freed.
    INKLING_SPENT = 14,
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

/* ---- Clocks ------------------------------------------------------------------------------------------------- */

/// The clocks at one moment.
typedef struct inkling_clock {
    uint32_t size;
    /// Protocol milliseconds that pass in one real millisecond; 0 stands for 1, and more are for demonstrations.
    uint32_t rate;
    /// A clock that counts sleep and never steps, in milliseconds since any moment (CLOCK_BOOTTIME).
    uint64_t tick;
    /// Milliseconds since 1970-01-01T00:00:00Z.
    uint64_t unix_milliseconds;
} inkling_clock;

/* ---- Randomness -------------------------------------------------------------------------------------------- */

/// Fills `count` bytes that nobody can guess. May be called from every thread that makes calls, and from two at once; it
/// cannot fail, and must make no call that uses it.
typedef void (*inkling_fill)(uint8_t *out, size_t count, void *user);

/// Takes the randomness of all later calls of the process from the caller, who can then repeat a run; a null pointer
/// stands for the system's again. Whoever knows what the source gives knows every secret.
inkling_status inkling_use_randomness(inkling_fill fill, void *user);

/* ---- Link technologies -------------------------------------------------------------------------------------- */

/// The numbers of the link technologies, and a bit for each.
#define INKLING_TRANSPORT_GATT 0
#define INKLING_TRANSPORT_TCP 2
#define INKLING_TRANSPORT_NAN 3
#define INKLING_TRANSPORT_BIT(transport) (1u << (transport))

#ifdef __cplusplus
}
#endif

#endif
