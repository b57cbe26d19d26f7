/* The engine that decides who is near: feed it what is seen, and do what it asks for. Part of inkling.h. */

#ifndef INKLING_RECOGNITION_H
#define INKLING_RECOGNITION_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// When something was observed, if that was long before it is reported; a null pointer stands for now.
typedef struct inkling_observed_time {
    uint32_t size;
    uint32_t reserved;
    uint64_t unix_milliseconds;
    /// By how many milliseconds the moment may be wrong, either way.
    uint64_t uncertainty;
} inkling_observed_time;

/// How an engine is to judge; a null pointer, and each member that is zero, stands for what the specification says.
typedef struct inkling_engine_options {
    uint32_t size;
    /// By how many seconds clocks may differ: up to 450; 120.
    uint32_t skew_seconds;
    /// Milliseconds after the last evidence until a contact is stale, and until it has left: 30,000 and 120,000.
    uint64_t stale_after;
    uint64_t depart_after;
    /// Attempts in any minute, and at once: 6 and 2.
    uint32_t attempts_per_minute;
    uint32_t attempts_at_once;
    /// With what chance, in 65,536ths, a stranger's address is called in an epoch: 0 to 65,535.
    uint32_t decoys;
    uint32_t reserved;
} inkling_engine_options;

/// What the user wants of one contact; a null pointer, and each member that is zero, stands for the usual.
typedef struct inkling_contact_options {
    uint32_t size;
    /// How likely the contact is near when nothing is known, in 65,536ths, and how much sooner it is tried: 1 to 100.
    uint32_t prior;
    uint32_t importance;
    uint32_t reserved;
    /// For how many milliseconds the contact must be present before it has arrived, and absent before it has left.
    uint64_t arrive_after;
    uint64_t depart_after;
} inkling_contact_options;

/// Under which audience a contact shows itself.
typedef enum inkling_audience_kind {
    /// A group of the contact's making, with the number in its grant.
    INKLING_AUDIENCE_GRANTED = 0,
    /// The pair audience of the contact and us; it has no number.
    INKLING_AUDIENCE_PAIR = 1
} inkling_audience_kind;

/// What is known about the presence of a contact.
typedef enum inkling_presence {
    INKLING_PRESENCE_UNSEEN = 0,
    /// Something is seen that this contact, or another one, might show.
    INKLING_PRESENCE_CANDIDATE = 1,
    /// Something is seen that only this contact is expected to show; anybody can have copied it.
    INKLING_PRESENCE_PROBABLE = 2,
    /// A handshake proved the contact there.
    INKLING_PRESENCE_CONFIRMED = 3,
    /// Nothing was seen for a while, and for longer than the departure timer.
    INKLING_PRESENCE_STALE = 4,
    INKLING_PRESENCE_GONE = 5
} inkling_presence;

/// Why an attempt came to nothing.
typedef enum inkling_failure {
    /// No address was found, or no link could be made.
    INKLING_FAILURE_UNREACHABLE = 0,
    /// The other side did not answer.
    INKLING_FAILURE_SILENT = 1,
    /// We refused the other side.
    INKLING_FAILURE_REFUSED = 2,
    /// The tag at the address was not the contact's.
    INKLING_FAILURE_STRANGER = 3
} inkling_failure;

/// Which side of a handshake we were.
typedef enum inkling_role { INKLING_ROLE_INITIATOR = 0, INKLING_ROLE_RESPONDER = 1 } inkling_role;

/// What the caller must do, and which members of inkling_effect say how.
typedef enum inkling_effect_kind {
    /// Nothing is left to do.
    INKLING_EFFECT_NONE = 0,
    /// A value turned up outside its time: a copy, or a clock that is wrong. Of each contact it may have been, one
    /// effect: `contact`, `device`, `epoch`, `audience_kind`, `audience`; `more` of the same follow.
    INKLING_EFFECT_OUTSIDE_WINDOW = 1,
    /// Two addresses show one minor at the same time. Members as above.
    INKLING_EFFECT_CONTESTED = 2,
    /// Tell the user: `contact`, `from_state`, `to_state` (inkling_presence).
    INKLING_EFFECT_STATE_CHANGED = 3,
    /// The contact has been present for its arrival timer: `contact`.
    INKLING_EFFECT_ARRIVED = 4,
    /// The presence of a contact that had arrived has ended: `contact`.
    INKLING_EFFECT_LEFT = 5,
    /// Start a handshake and report inkling_engine_confirmed or inkling_engine_attempt_failed with `attempt`: whom to
    /// expect and the keys in `contact`, `device`, `epoch`, `audience_kind`, `audience`; where, by `value_kind`.
    INKLING_EFFECT_CONFIRM = 6,
    /// Connect to `address`, read its tag and nothing else, and report inkling_engine_tag_read.
    INKLING_EFFECT_READ_TAG = 7,
    /// Call inkling_engine_timer_fired at `tick`; replaces every earlier wish.
    INKLING_EFFECT_WAKE = 8
} inkling_effect_kind;

/// What was seen of a contact, and where.
typedef enum inkling_value_kind {
    INKLING_VALUE_NONE = 0,
    /// A name on the local network, to be called by TCP: its bytes in `value`.
    INKLING_VALUE_NAME = 1,
    /// A tag read at `address`, to be called by GATT: its bytes in `value`.
    INKLING_VALUE_TAG = 2,
    /// `minor`, heard from `address`, to be called by GATT; the tag is to be read first, and when it is not the
    /// contact's, the attempt ends as INKLING_FAILURE_STRANGER.
    INKLING_VALUE_MINOR = 3
} inkling_value_kind;

/// One thing to do. Members that its kind does not name are zero.
typedef struct inkling_effect {
    uint32_t size;
    uint32_t kind;
    uint32_t contact;
    uint32_t epoch;
    uint32_t from_state;
    uint32_t to_state;
    uint64_t tick;
    uint64_t attempt;
    uint64_t address;
    uint64_t audience_id;
    uint32_t audience_kind;
    uint32_t value_kind;
    uint16_t minor;
    uint8_t device;
    uint8_t reserved[1];
    uint32_t more;
    uint8_t value[16];
} inkling_effect;

/// The most effects that wait in an engine. While more do, events are answered by INKLING_FULL and do nothing.
#define INKLING_EFFECT_LIMIT 65536

/// An engine that knows nobody yet.
inkling_status inkling_engine_new(const inkling_engine_options *options, inkling_handle *engine_out);

/// Takes the next effect out of an engine, in the order in which they are to be done; the kind is
/// INKLING_EFFECT_NONE when none is left. Take all effects after each event.
inkling_status inkling_engine_next(inkling_handle engine, inkling_effect *effect_out);

/// A contact is to be recognised, by a number of the caller's; one that is there keeps its options.
inkling_status inkling_engine_add(
    inkling_handle engine, uint32_t contact, const inkling_contact_options *options, const inkling_clock *now);

/// A contact is not to be recognised any more; its keys are forgotten.
inkling_status inkling_engine_remove(inkling_handle engine, uint32_t contact, const inkling_clock *now);

/// Gives the engine the keys under which a contact's devices, bit n of `devices` for device n, show themselves: the
/// whole of a tree, which is copied. Takes the place of earlier keys of the same audience. In force from the next
/// inkling_engine_prepare on.
inkling_status inkling_engine_hold(
    inkling_handle engine, uint32_t contact, uint32_t audience_kind, uint64_t audience_id, uint16_t devices,
    inkling_handle tree);

/// Computes what all contacts show in an epoch and its neighbours, and recognises by it from now on: to be called at
/// the beginning of each epoch and after changes of contacts and keys. The work grows with the number of contacts.
inkling_status inkling_engine_prepare(inkling_handle engine, uint32_t epoch, const inkling_clock *now);

/// An instance name of the service is there, or there no more. Labels that are no names of Inkling are ignored.
inkling_status inkling_engine_name_appeared(
    inkling_handle engine, const char *label, size_t count, const inkling_observed_time *observed, const inkling_clock *now);
inkling_status inkling_engine_name_vanished(
    inkling_handle engine, const char *label, size_t count, const inkling_clock *now);

/// Nothing is known any more about which names are there.
inkling_status inkling_engine_names_forgotten(inkling_handle engine, const inkling_clock *now);

/// Advertising data was heard from an address of 48 bits with an RSSI of -127 to 20 dBm: feeds a minor or an overflow
/// bit of ours to the engine, and ignores the rest. Refuses data that is malformed.
inkling_status inkling_engine_advertisement(
    inkling_handle engine, const uint8_t *data, size_t count, uint64_t address, int8_t rssi,
    const inkling_observed_time *observed, const inkling_clock *now, inkling_refusal *refusal_out);

/// A minor of ours was heard.
inkling_status inkling_engine_beacon_heard(
    inkling_handle engine, uint16_t minor, uint64_t address, int8_t rssi, const inkling_observed_time *observed,
    const inkling_clock *now);

/// The reading of an address's tag ended, with a tag of 16 bytes, or with none: a null pointer and zero.
inkling_status inkling_engine_tag_read(
    inkling_handle engine, const uint8_t *tag, size_t count, uint64_t address, const inkling_observed_time *observed,
    const inkling_clock *now);

/// For how long the radio may be silent about a device that is near: 1,000 to 600,000 ms.
inkling_status inkling_engine_radio_gap(inkling_handle engine, uint64_t milliseconds, const inkling_clock *now);

/// An attempt came to nothing; `why` is an inkling_failure. INKLING_UNKNOWN for an attempt that is over.
inkling_status inkling_engine_attempt_failed(
    inkling_handle engine, uint64_t attempt, uint32_t why, const inkling_clock *now);

/// A handshake with a contact's device succeeded; `role` is an inkling_role.
inkling_status inkling_engine_confirmed(
    inkling_handle engine, uint32_t contact, uint8_t device, uint32_t role, const inkling_clock *now);

/// A record of a session with a contact's device authenticated; the last session with it ended.
inkling_status inkling_engine_session_heard(
    inkling_handle engine, uint32_t contact, uint8_t device, const inkling_clock *now);
inkling_status inkling_engine_session_ended(
    inkling_handle engine, uint32_t contact, uint8_t device, const inkling_clock *now);

/// The moment of INKLING_EFFECT_WAKE has come.
inkling_status inkling_engine_timer_fired(inkling_handle engine, const inkling_clock *now);

/// What is known about a contact (inkling_presence), and how likely it is near by what the radio heard, in 65,536ths.
/// INKLING_UNKNOWN for nobody's number.
inkling_status inkling_engine_state(
    inkling_handle engine, uint32_t contact, const inkling_clock *now, uint32_t *state_out, uint64_t *posterior_out);

#ifdef __cplusplus
}
#endif

#endif
