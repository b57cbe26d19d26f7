/* Rotation: when a device is silent, when it shows which epoch, and when it forgets. Part of inkling.h. */

#ifndef INKLING_ROTATION_H
#define INKLING_ROTATION_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What happened to a device that shows itself.
typedef enum inkling_rotation_event {
    /// The program runs.
    INKLING_ROTATION_STARTED = 0,
    /// The clock is believed as it stands now (Specs/rotation.md says when), or is not. Nothing is shown before it is.
    INKLING_ROTATION_TIME_ACCEPTED = 1,
    INKLING_ROTATION_TIME_REFUSED = 2,
    /// The moment of INKLING_TURN_WAKE has come.
    INKLING_ROTATION_TIMER_FIRED = 3,
    /// Addresses or links are others than before.
    INKLING_ROTATION_NETWORK_CHANGED = 4,
    /// The user became visible, to this audience or to another; or invisible.
    INKLING_ROTATION_VISIBLE = 5,
    INKLING_ROTATION_INVISIBLE = 6,
    /// The machine is about to sleep; the machine slept.
    INKLING_ROTATION_FALLING_ASLEEP = 7,
    INKLING_ROTATION_WOKE_UP = 8,
    /// Somebody else claims the name that is shown.
    INKLING_ROTATION_NAME_CONFLICT = 9,
    /// The operator says that the stored epoch is false; every audience has a new generation.
    INKLING_ROTATION_HIGH_WATER_CLEARED = 10
} inkling_rotation_event;

/// What the caller must do, each before the next begins, and which members of inkling_turn say how.
typedef enum inkling_turn_kind {
    /// Nothing is left to do.
    INKLING_TURN_NONE = 0,
    /// Emit nothing any more, neither answers nor queries; withdraw records only if `goodbye` is 1.
    INKLING_TURN_GO_QUIET = 1,
    /// Close every link on which no session is confirmed.
    INKLING_TURN_CLOSE_LINKS = 2,
    /// Erase what is left of the epochs before `epoch`: contexts, and what was shown.
    INKLING_TURN_RETIRE = 3,
    /// Erase the keys of the periods before `period`, on storage too: inkling_tree_forget.
    INKLING_TURN_FORGET = 4,
    /// Derive what `epoch` shows and answers to.
    INKLING_TURN_PREPARE = 5,
    /// Store on stable storage that `epoch` is shown; without success, show nothing.
    INKLING_TURN_HIGH_WATER = 6,
    /// Show `epoch`, all of it at once, under new addresses.
    INKLING_TURN_PUBLISH = 7,
    /// Report INKLING_ROTATION_TIMER_FIRED at `tick`; replaces every earlier wish.
    INKLING_TURN_WAKE = 8
} inkling_turn_kind;

/// One thing to do. Members that its kind does not name are zero.
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

/// A machine at rest for one link technology: each draws a silent gap of its own. `high_water` is the epoch that was
/// stored last, a null pointer for none; `is_visible` is 1 when there is something to show.
inkling_status inkling_rotation_new(const uint32_t *high_water, uint32_t is_visible, inkling_handle *rotation_out);

/// Takes an inkling_rotation_event. INKLING_FULL while turns of earlier events wait to be taken.
inkling_status inkling_rotation_take(inkling_handle rotation, uint32_t event, const inkling_clock *now);

/// Takes the next turn out, in the order in which they are to be done; the kind is INKLING_TURN_NONE when none is left.
inkling_status inkling_rotation_next(inkling_handle rotation, inkling_turn *turn_out);

/// The epoch that is shown now; INKLING_UNKNOWN in silence.
inkling_status inkling_rotation_shown(inkling_handle rotation, uint32_t *epoch_out);

#ifdef __cplusplus
}
#endif

#endif
