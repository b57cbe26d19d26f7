/* The engine that decides who is near: report what is observed, and carry out its effects. Part of inkling.h. */

#ifndef INKLING_RECOGNITION_H
#define INKLING_RECOGNITION_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// When something was observed, if that was well before it is reported; a null pointer means now.
typedef struct inkling_observed_time {
    uint32_t size;
    uint32_t reserved;
    uint64_t unix_milliseconds;
    /// The uncertainty of the time in milliseconds, in either direction.
    uint64_t uncertainty;
} inkling_observed_time;

/// The configuration of an engine. A null pointer, or 0 in a member, selects the default (Specs/recognition.md).
typedef struct inkling_engine_options {
    uint32_t size;
    /// The maximum difference between clocks in seconds, up to 450; default 120.
    uint32_t skew_seconds;
    /// Milliseconds after the last evidence until a contact is stale, default 30,000, and until it is gone, default
    /// 120,000.
    uint64_t stale_after;
    uint64_t depart_after;
    /// The maximum number of attempts in any minute, default 6, and at once, default 2.
    uint32_t attempts_per_minute;
    uint32_t attempts_at_once;
    /// The probability, in 65,536ths, of calling a stranger's address in an epoch: 0 to 65,535; default 0.
    uint32_t decoys;
    uint32_t reserved;
} inkling_engine_options;

/// The user's settings for one contact. A null pointer, or 0 in a member, selects the default.
typedef struct inkling_contact_options {
    uint32_t size;
    /// The probability, in 65,536ths, that the contact is near when nothing is known, and its priority in attempts, 1
    /// to 100.
    uint32_t prior;
    uint32_t importance;
    uint32_t reserved;
    /// The milliseconds for which the contact must be present before it arrives, and absent before it leaves.
    uint64_t arrive_after;
    uint64_t depart_after;
} inkling_contact_options;

/// The kind of audience under which a contact advertises.
typedef enum inkling_audience_kind {
    /// A group audience of the contact; its id is in the grant.
    INKLING_AUDIENCE_GRANTED = 0,
    /// The pair audience of the contact and this user; it has no id.
    INKLING_AUDIENCE_PAIR = 1
} inkling_audience_kind;

/// What is known about the presence of a contact (Specs/recognition.md).
typedef enum inkling_presence {
    INKLING_PRESENCE_UNSEEN = 0,
    /// An identifier was observed that this contact may have shown, or another one.
    INKLING_PRESENCE_CANDIDATE = 1,
    /// An identifier was observed that only this contact is expected to show; anyone may have copied it.
    INKLING_PRESENCE_PROBABLE = 2,
    /// A handshake proved that the contact is near.
    INKLING_PRESENCE_CONFIRMED = 3,
    /// There has been no evidence for `stale_after` milliseconds.
    INKLING_PRESENCE_STALE = 4,
    /// There has been no evidence for `depart_after` milliseconds.
    INKLING_PRESENCE_GONE = 5
} inkling_presence;

/// Why an attempt failed. After INKLING_FAILURE_UNREACHABLE and INKLING_FAILURE_RESET it is made again in the same epoch,
/// later and at most three times.
typedef enum inkling_failure {
    /// No address was found, or no link could be opened.
    INKLING_FAILURE_UNREACHABLE = 0,
    /// The peer did not reply.
    INKLING_FAILURE_SILENT = 1,
    /// The reply of the peer was refused.
    INKLING_FAILURE_REFUSED = 2,
    /// The tag at the address was not one of the contact.
    INKLING_FAILURE_STRANGER = 3,
    /// The link was reset less than 3 s after the first message was sent. One that ends later counts as silent.
    INKLING_FAILURE_RESET = 4
} inkling_failure;

/// Over what contacts are tried: over the local network because of a name, by radio because of a tag or a minor.
typedef enum inkling_technology { INKLING_TECHNOLOGY_NETWORK = 0, INKLING_TECHNOLOGY_RADIO = 1 } inkling_technology;

/// A role in a handshake or a session: the initiator sends the first message.
typedef enum inkling_role { INKLING_ROLE_INITIATOR = 0, INKLING_ROLE_RESPONDER = 1 } inkling_role;

/// What to do, and which members of inkling_effect apply.
typedef enum inkling_effect_kind {
    /// No effect is left.
    INKLING_EFFECT_NONE = 0,
    /// An identifier was observed outside its window: it is a copy, or a clock is wrong. There is one effect for each
    /// contact that it may belong to: `contact`, `device`, `epoch`, `audience_kind`, `audience_id`; `more` others
    /// follow.
    INKLING_EFFECT_OUTSIDE_WINDOW = 1,
    /// Two addresses show the same minor at the same time. Members as above.
    INKLING_EFFECT_CONTESTED = 2,
    /// Show the change to the user: `contact`, `from_state`, `to_state` (inkling_presence).
    INKLING_EFFECT_STATE_CHANGED = 3,
    /// The contact has been present for `arrive_after`: `contact`.
    INKLING_EFFECT_ARRIVED = 4,
    /// A contact that had arrived is gone: `contact`.
    INKLING_EFFECT_LEFT = 5,
    /// Start a handshake, and report the result with `attempt` by inkling_engine_attempt_confirmed or
    /// inkling_engine_attempt_failed; one over the network and one by radio may run at the same time. `contact`,
    /// `device`, `epoch`, `audience_kind` and `audience_id` select the peer and the keys; `value_kind` says where to
    /// find it.
    INKLING_EFFECT_CONFIRM = 6,
    /// Connect to `address`, read its tag and nothing else, and report the result by inkling_engine_tag_read
    /// or inkling_engine_reading_failed.
    INKLING_EFFECT_READ_TAG = 7,
    /// Call inkling_engine_timer_fired at `tick`; replaces the earlier wake-up.
    INKLING_EFFECT_WAKE = 8,
    /// Names led to eight attempts and to no handshake: somebody shows copies. Until the end of the epoch only recently
    /// confirmed contacts are called because of a name.
    INKLING_EFFECT_REPLAYED = 9
} inkling_effect_kind;

/// Which identifier of a contact was observed, and how to reach the device.
typedef enum inkling_value_kind {
    INKLING_VALUE_NONE = 0,
    /// A service name on the local network, in `value`; connect over TCP.
    INKLING_VALUE_NAME = 1,
    /// A tag read at `address`, in `value`; connect over GATT.
    INKLING_VALUE_TAG = 2,
    /// `minor`, received from `address`; connect over GATT and read the tag first. If it is not one of the contact, the
    /// attempt fails with INKLING_FAILURE_STRANGER.
    INKLING_VALUE_MINOR = 3
} inkling_value_kind;

/// An effect of the engine. Members that its kind does not name are zero.
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

/// The maximum number of effects that wait in an engine. Beyond it, events return INKLING_FULL and do nothing.
#define INKLING_EFFECT_LIMIT 65536

/// Creates an engine without contacts.
inkling_status inkling_engine_new(const inkling_engine_options *options, inkling_handle *engine_out);

/// Takes the next effect; its kind is INKLING_EFFECT_NONE if none is left. After each event take all effects, and carry
/// them out in this order.
inkling_status inkling_engine_next(inkling_handle engine, inkling_effect *effect_out);

/// Adds a contact, under a number that the caller chooses. A contact that is present already keeps its options.
inkling_status inkling_engine_add(
    inkling_handle engine, uint32_t contact, const inkling_contact_options *options, const inkling_clock *now);

/// Removes a contact and erases its keys.
inkling_status inkling_engine_remove(inkling_handle engine, uint32_t contact, const inkling_clock *now);

/// Sets the keys of one audience of a contact, replacing earlier ones: a copy of the whole tree, and the devices that
/// show themselves under it (bit n for device n). They take effect at the next inkling_engine_prepare.
inkling_status inkling_engine_hold(
    inkling_handle engine, uint32_t contact, uint32_t audience_kind, uint64_t audience_id, uint16_t devices,
    inkling_handle tree);

/// Computes the identifiers of all contacts in an epoch and its neighbours, and uses them from now on. Call it at the
/// beginning of each epoch and after contacts or keys have changed. The work is proportional to the number of contacts.
inkling_status inkling_engine_prepare(inkling_handle engine, uint32_t epoch, const inkling_clock *now);

/// Reports that an instance name of the service appeared or vanished. Labels that are not Inkling names are ignored.
inkling_status inkling_engine_name_appeared(
    inkling_handle engine, const char *label, size_t count, const inkling_observed_time *observed, const inkling_clock *now);
inkling_status inkling_engine_name_vanished(
    inkling_handle engine, const char *label, size_t count, const inkling_clock *now);

/// Forgets which names are present, for example after a change of network.
inkling_status inkling_engine_names_forgotten(inkling_handle engine, const inkling_clock *now);

/// Reports advertising data from an address of 48 bits, with an rssi of -127 to 20 dBm. An Inkling minor or overflow
/// bit becomes an event; other data is ignored. Refuses malformed data.
inkling_status inkling_engine_advertisement(
    inkling_handle engine, const uint8_t *data, size_t count, uint64_t address, int8_t rssi,
    const inkling_observed_time *observed, const inkling_clock *now, inkling_refusal *refusal_out);

/// Reports an Inkling minor; parameters as in inkling_engine_advertisement.
inkling_status inkling_engine_beacon_heard(
    inkling_handle engine, uint16_t minor, uint64_t address, int8_t rssi, const inkling_observed_time *observed,
    const inkling_clock *now);

/// Reports that reading the tag of an address has ended, with a tag of 16 bytes, or without one: null and 0.
inkling_status inkling_engine_tag_read(
    inkling_handle engine, const uint8_t *tag, size_t count, uint64_t address, const inkling_observed_time *observed,
    const inkling_clock *now);

/// Reports that the link for reading the tag of an address was not made, or broke. The reading is made again in the same
/// epoch, later and at most three times.
inkling_status inkling_engine_reading_failed(inkling_handle engine, uint64_t address, const inkling_clock *now);

/// Sets for how long the radio may miss a device that is near: 1,000 to 600,000 ms.
inkling_status inkling_engine_radio_gap(inkling_handle engine, uint64_t milliseconds, const inkling_clock *now);

/// Reports that the radio hears too much, and ignores beacons that are not predicted until the next silent gap. Fewer attempts
/// are made because of a minor until the epoch ends.
inkling_status inkling_engine_radio_crowded(inkling_handle engine, const inkling_clock *now);

/// Reports that an attempt failed; `why` is an inkling_failure. INKLING_UNKNOWN for an attempt that is over.
inkling_status inkling_engine_attempt_failed(
    inkling_handle engine, uint64_t attempt, uint32_t why, const inkling_clock *now);

/// Reports that the handshake of an attempt succeeded. INKLING_UNKNOWN for an attempt that is over.
inkling_status inkling_engine_attempt_confirmed(inkling_handle engine, uint64_t attempt, const inkling_clock *now);

/// Reports that a handshake with a contact's device succeeded; `role` is this device's inkling_role in it. As the initiator
/// it ends the attempt over the network with the contact if one is running, and otherwise the one by radio;
/// inkling_engine_attempt_confirmed says which.
inkling_status inkling_engine_confirmed(
    inkling_handle engine, uint32_t contact, uint8_t device, uint32_t role, const inkling_clock *now);

/// Reports that this device has closed all its links over an inkling_technology itself: before a boundary, or because it lost
/// its network or its radio. Contacts that it had called and confirmed over it are called again in the same epoch.
inkling_status inkling_engine_links_closed(inkling_handle engine, uint32_t technology, const inkling_clock *now);

/// Reports that a record in a session with a contact's device was authentic, or that the last session with it ended.
inkling_status inkling_engine_session_heard(
    inkling_handle engine, uint32_t contact, uint8_t device, const inkling_clock *now);
inkling_status inkling_engine_session_ended(
    inkling_handle engine, uint32_t contact, uint8_t device, const inkling_clock *now);

/// Reports that the tick of INKLING_EFFECT_WAKE has come.
inkling_status inkling_engine_timer_fired(inkling_handle engine, const inkling_clock *now);

/// Writes the inkling_presence of a contact, and the probability, in 65,536ths, that it is near, from radio evidence.
/// INKLING_UNKNOWN if no contact has the number.
inkling_status inkling_engine_state(
    inkling_handle engine, uint32_t contact, const inkling_clock *now, uint32_t *state_out, uint64_t *posterior_out);

#ifdef __cplusplus
}
#endif

#endif
