/* Statuses, refusals, handles, clocks and randomness, which all other parts use. Part of inkling.h. */

#ifndef INKLING_BASICS_H
#define INKLING_BASICS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Statuses ---------------------------------------------------------------------------------------------- */

/// The version of this interface: the major version, which is the 1 in libinkling.so.1, in the upper 16 bits, and the
/// number of later additions in the lower 16 bits.
#define INKLING_ABI_VERSION UINT32_C(0x00010000)

/// The maximum number of bytes in one input; longer inputs are INKLING_OUT_OF_RANGE.
#define INKLING_INPUT_LIMIT ((size_t)1 << 20)

/// The result of a call.
typedef enum inkling_status {
    /// Success.
    INKLING_OK = 0,
    /// A required pointer is null.
    INKLING_NULL_ARGUMENT = 1,
    /// A pointer is not aligned for what it points to.
    INKLING_MISALIGNED = 2,
    /// A number, or the count of an input, is outside its range.
    INKLING_OUT_OF_RANGE = 3,
    /// An input does not have the required length.
    INKLING_WRONG_LENGTH = 4,
    /// The buffer is shorter than the needed length, which was written.
    INKLING_BUFFER_TOO_SHORT = 5,
    /// The member `size` is not a size that this library supports, or members that it does not know are not zero.
    INKLING_WRONG_SIZE = 6,
    /// No object has this handle: it was freed or never existed.
    INKLING_NO_SUCH_HANDLE = 7,
    /// The handle belongs to another kind of object.
    INKLING_WRONG_KIND = 8,
    /// The object is in use by another thread, or by the call that invoked this callback.
    INKLING_BUSY = 9,
    /// A limit is reached: 1,048,576 handles exist, or too much output is waiting to be taken.
    INKLING_FULL = 10,
    /// The input must be refused; the refusal has the stage and the reason.
    INKLING_REFUSED = 11,
    /// The keys for this period are not held, or no longer held.
    INKLING_NOT_HELD = 12,
    /// The object does not know the contact, attempt, device or index that was named.
    INKLING_UNKNOWN = 13,
    /// The object is used up, by success or by failure, and can only be freed.
    INKLING_SPENT = 14,
    /// Not a status: makes the type four bytes wide whatever the compiler options.
    INKLING_STATUS_WIDTH = 0x7fffffff
} inkling_status;

/// Returns a description of a status in one line of English. The text is valid forever, also for unknown numbers.
const char *inkling_status_text(inkling_status status);

/// Returns the INKLING_ABI_VERSION of the loaded library. Its upper 16 bits must equal those of the header.
uint32_t inkling_abi_version(void);

/// Why an input was refused, in the words of the refusal tables in Specs/. For local logs; never send it to a peer.
typedef struct inkling_refusal {
    uint32_t size;
    /// The check that failed first, for example `signature`; ends with a zero byte.
    char stage[30];
    /// How it failed, for example `invalid`; ends with a zero byte.
    char reason[30];
} inkling_refusal;

/* ---- Handles ----------------------------------------------------------------------------------------------- */

/// The number of an object of the library.
typedef uint64_t inkling_handle;

/// Frees an object and wipes its secrets. Objects that were derived from it remain valid.
inkling_status inkling_free(inkling_handle handle);

/// Writes the number of handles that are not freed, so that a test can find leaks.
inkling_status inkling_handle_count(uint64_t *count_out);

/* ---- Clocks ------------------------------------------------------------------------------------------------- */

/// A reading of the clocks.
typedef struct inkling_clock {
    uint32_t size;
    /// Protocol milliseconds per real millisecond; 0 means 1. Values above 1 are for demonstrations.
    uint32_t rate;
    /// A monotonic clock that also runs while the machine sleeps (CLOCK_BOOTTIME), in milliseconds since any moment.
    uint64_t tick;
    /// Milliseconds since 1970-01-01T00:00:00Z.
    uint64_t unix_milliseconds;
} inkling_clock;

/* ---- Randomness -------------------------------------------------------------------------------------------- */

/// Fills `count` bytes with unpredictable values. Any thread that calls the library may call it, also several at once.
/// It cannot fail, and must not call a function that needs randomness.
typedef void (*inkling_fill)(uint8_t *out, size_t count, void *user);

/// Sets the source of randomness for all later calls of the process, for example to make a run repeatable; a null
/// pointer restores the randomness of the system. Anyone who can predict the source can compute every secret.
inkling_status inkling_use_randomness(inkling_fill fill, void *user);

/* ---- Transports ---------------------------------------------------------------------------------------------- */

/// The numbers of the transports (Specs/README.md, Terms), and the bit of each in a set.
#define INKLING_TRANSPORT_GATT 0
#define INKLING_TRANSPORT_TCP 2
#define INKLING_TRANSPORT_NAN 3
#define INKLING_TRANSPORT_BIT(transport) (1u << (transport))

#ifdef __cplusplus
}
#endif

#endif
