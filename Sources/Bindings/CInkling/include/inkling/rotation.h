/* Rotation: when a device shows identifiers, when it is silent, and when it erases keys. Part of inkling.h. */

#ifndef INKLING_ROTATION_H
#define INKLING_ROTATION_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An event that changes what a device shows (Specs/rotation.md).
typedef enum inkling_rotation_event {
    /// The program started.
    INKLING_ROTATION_STARTED = 0,
    /// The clock is accepted, or is not. A device shows nothing before its clock is accepted.
    INKLING_ROTATION_TIME_ACCEPTED = 1,
    INKLING_ROTATION_TIME_REFUSED = 2,
    /// The tick of INKLING_TURN_WAKE has come.
    INKLING_ROTATION_TIMER_FIRED = 3,
    /// The addresses or the links of the network changed.
    INKLING_ROTATION_NETWORK_CHANGED = 4,
    /// The user became visible, or visible to another audience; or became invisible.
    INKLING_ROTATION_VISIBLE = 5,
    INKLING_ROTATION_INVISIBLE = 6,
    /// The machine is about to sleep, or has woken up.
    INKLING_ROTATION_FALLING_ASLEEP = 7,
    INKLING_ROTATION_WOKE_UP = 8,
    /// The operator declared the stored epoch wrong; every audience has a new generation.
    INKLING_ROTATION_HIGH_WATER_CLEARED = 10
} inkling_rotation_event;

/// What to do, to be completed before the next turn begins, and which members of inkling_turn apply.
typedef enum inkling_turn_kind {
    /// No turn is left.
    INKLING_TURN_NONE = 0,
    /// Stop sending, both responses and queries; withdraw records only if `goodbye` is 1.
    INKLING_TURN_GO_QUIET = 1,
    /// Close every link without a confirmed session.
    INKLING_TURN_CLOSE_LINKS = 2,
    /// Erase contexts and identifiers of the epochs before `epoch`.
    INKLING_TURN_RETIRE = 3,
    /// Erase the keys of the periods before `period`, also in storage: inkling_tree_forget.
    INKLING_TURN_FORGET = 4,
    /// Derive the identifiers of `epoch`, and the contexts for its calls.
    INKLING_TURN_PREPARE = 5,
    /// Write to stable storage that `epoch` is shown (the high-water mark). If that fails, show nothing.
    INKLING_TURN_HIGH_WATER = 6,
    /// Show the identifiers of `epoch`, all at once, under new addresses.
    INKLING_TURN_PUBLISH = 7,
    /// Report INKLING_ROTATION_TIMER_FIRED at `tick`; replaces the earlier wake-up.
    INKLING_TURN_WAKE = 8
} inkling_turn_kind;

/// A step of a rotation. Members that its kind does not name are zero.
typedef struct inkling_turn {
    uint32_t size;
    /// An inkling_turn_kind.
    uint32_t kind;
    uint32_t epoch;
    uint32_t period;
    uint64_t tick;
    uint32_t goodbye;
    uint32_t reserved;
} inkling_turn;

/// Creates a rotation for one transport; each transport has its own, because each draws its own silent gaps.
/// `high_water` is the last stored epoch, a null pointer if there is none; `is_visible` is 1 if there is something to
/// show.
inkling_status inkling_rotation_new(const uint32_t *high_water, uint32_t is_visible, inkling_handle *rotation_out);

/// Reports an inkling_rotation_event. INKLING_FULL if turns of the earlier event have not been taken.
inkling_status inkling_rotation_take(inkling_handle rotation, uint32_t event, const inkling_clock *now);

/// Takes the next turn, in the order in which to carry them out; its kind is INKLING_TURN_NONE if none is left.
inkling_status inkling_rotation_next(inkling_handle rotation, inkling_turn *turn_out);

/// Writes the epoch that is shown now; INKLING_UNKNOWN during silence.
inkling_status inkling_rotation_shown(inkling_handle rotation, uint32_t *epoch_out);

#ifdef __cplusplus
}
#endif

#endif
