/* Platforms and transports: what a system lets an app do, and which transport to choose. Part of inkling.h. */

#ifndef INKLING_TRANSPORTS_H
#define INKLING_TRANSPORTS_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The numbers in this part are positions, from 0, in the lists of Specs/platforms.md and Specs/transport-policy.md,
/// except where an enumeration here assigns them.

typedef enum inkling_family { INKLING_FAMILY_IOS = 0, INKLING_FAMILY_ANDROID = 1, INKLING_FAMILY_LINUX = 2 } inkling_family;

/// The state of an app on a phone.
typedef enum inkling_app_state {
    INKLING_STATE_FOREGROUND = 0,
    INKLING_STATE_BACKGROUND = 1,
    INKLING_STATE_LOCKED = 2,
    INKLING_STATE_SUSPENDED = 3,
    INKLING_STATE_TERMINATED = 4,
    INKLING_STATE_FORCE_QUIT = 5,
    INKLING_STATE_BEFORE_UNLOCK = 6
} inkling_app_state;

/// Bits of `traits` in inkling_app: properties of the device.
#define INKLING_TRAIT_IPHONE_12 0x01u
#define INKLING_TRAIT_IPHONE_17 0x02u
#define INKLING_TRAIT_AWARE 0x04u
#define INKLING_TRAIT_LEGACY 0x08u
#define INKLING_TRAIT_BEACON_ONLY 0x10u

/// Bits of `met` in inkling_app: which conditions of facts are met, such as permissions.
#define INKLING_MET_BLUETOOTH 0x01u
#define INKLING_MET_CENTRAL 0x02u
#define INKLING_MET_PERIPHERAL 0x04u
#define INKLING_MET_WHEN_IN_USE 0x08u
#define INKLING_MET_ALWAYS 0x10u
#define INKLING_MET_LOCAL_NETWORK 0x20u
#define INKLING_MET_LOW_POWER 0x40u

/// An app on a device at a moment. Has no member `size`, and will not grow.
typedef struct inkling_app {
    /// The version of the operating system.
    uint16_t major, minor, patch;
    /// An inkling_family and an inkling_app_state.
    uint8_t family, state;
    uint32_t traits, met;
} inkling_app;

/// What a fact is about (Specs/platforms.md).
typedef enum inkling_subject {
    INKLING_SUBJECT_ADVERTISE,
    INKLING_SUBJECT_BEACON,
    INKLING_SUBJECT_SCAN,
    INKLING_SUBJECT_DUPLICATES,
    INKLING_SUBJECT_PROMPT,
    INKLING_SUBJECT_OVERFLOW,
    INKLING_SUBJECT_CALLBACKS,
    INKLING_SUBJECT_GAP,
    INKLING_SUBJECT_ENTER,
    INKLING_SUBJECT_EXIT,
    INKLING_SUBJECT_RANGING,
    INKLING_SUBJECT_LINKS,
    INKLING_SUBJECT_CONNECT,
    INKLING_SUBJECT_RELAUNCH,
    INKLING_SUBJECT_RESTART_ADVERTISING,
    INKLING_SUBJECT_REGION_RELAUNCH,
    INKLING_SUBJECT_FIND,
    INKLING_SUBJECT_NETWORK_LINKS,
    INKLING_SUBJECT_AWDL,
    INKLING_SUBJECT_AWARE,
    INKLING_SUBJECT_DIRECT,
    INKLING_SUBJECT_MULTIPEER,
    INKLING_SUBJECT_EXCHANGE,
    INKLING_SUBJECT_BLUETOOTH_RANGE,
    INKLING_SUBJECT_AWDL_RANGE
} inkling_subject;

/// What a platform promises about a subject.
typedef enum inkling_promise {
    INKLING_PROMISE_NO = 0,
    /// Advertised in the overflow area only.
    INKLING_PROMISE_OVERFLOW = 1,
    /// Only within an execution window.
    INKLING_PROMISE_WINDOW = 2,
    /// Within `best` to `worst` milliseconds.
    INKLING_PROMISE_WITHIN = 3,
    /// Yes, as far as `worst` metres.
    INKLING_PROMISE_METRES = 4,
    INKLING_PROMISE_YES = 5
} inkling_promise;

/// The promise about a subject: the worst value of the facts that apply.
typedef struct inkling_profile {
    uint32_t size;
    /// An inkling_promise.
    uint32_t promise;
    uint64_t best, worst;
    /// The number of facts that apply; 0 when nothing is promised.
    uint32_t fact_count;
    uint32_t reserved;
} inkling_profile;

/// Writes what a platform promises an app about an inkling_subject, or the id of one of the facts behind the promise.
inkling_status inkling_profile_of(const inkling_app *app, uint32_t subject, inkling_profile *profile_out);
inkling_status inkling_profile_fact(
    const inkling_app *app, uint32_t subject, size_t index, char *out, size_t capacity, size_t *needed_out);

/// The ways to reach a peer that a plan chooses from.
typedef enum inkling_transport {
    INKLING_BY_BEACON,
    INKLING_BY_BLE,
    INKLING_BY_GATT,
    INKLING_BY_NETWORK,
    INKLING_BY_AWDL,
    INKLING_BY_AWARE_BULK,
    INKLING_BY_AWARE_REALTIME,
    INKLING_BY_WIFI_DIRECT,
    INKLING_BY_EXCHANGE,
    INKLING_BY_MULTIPEER,
    INKLING_BY_RELAY
} inkling_transport;

/// What the connection is for.
typedef enum inkling_purpose {
    INKLING_PURPOSE_PASSIVE,
    INKLING_PURPOSE_FIRST_CONTACT,
    INKLING_PURPOSE_RECOGNISE,
    INKLING_PURPOSE_MESSAGE,
    INKLING_PURPOSE_BULK
} inkling_purpose;

/// The relation between the two users.
typedef enum inkling_relation {
    INKLING_RELATION_STRANGER,
    INKLING_RELATION_INVITED,
    INKLING_RELATION_CONTACT,
    INKLING_RELATION_CONFIRMED
} inkling_relation;

/// Everything that a plan depends on, except earlier attempts.
typedef struct inkling_situation {
    uint32_t size;
    /// An inkling_relation and an inkling_purpose.
    uint8_t relation, purpose;
    /// Each 0 or 1: whether `peer` and `deadline` are set, whether the peer is heard now, whether both devices are on
    /// the same network, and whether they are paired for Wi-Fi Aware.
    uint8_t has_peer, has_deadline, is_heard, is_on_same_network, is_paired, reserved;
    /// The transports over which the devices are connected: bit n for the inkling_transport n.
    uint32_t linked;
    inkling_app own, peer;
    /// The number of bytes to send, and the milliseconds within which everything must be complete.
    uint64_t payload, deadline;
    /// The transports that this program implements, and those that the peer's is known to implement: bit n for the
    /// inkling_transport n; 0 for every transport that the platform allows.
    uint32_t own_transports, peer_transports;
} inkling_situation;

/// Creates an empty record of the attempts to reach one peer.
inkling_status inkling_memory_new(inkling_handle *memory_out);

/// Records that a transport failed, or that it worked: it took `set_up` milliseconds to set up and carried `rate` bytes
/// per second; 0 means not measured. `tick` is the monotonic clock, in milliseconds.
inkling_status inkling_memory_failed(inkling_handle memory, uint32_t transport, uint64_t tick);
inkling_status inkling_memory_worked(inkling_handle memory, uint32_t transport, uint64_t set_up, uint64_t rate);

/// Creates a plan: the transports to use, ranked, and the reason against each of the others; `memory` may be 0.
inkling_status inkling_plan_new(
    const inkling_situation *situation, inkling_handle memory, uint64_t tick, inkling_handle *plan_out);

/// A transport to use. Steps are in ascending order of cost.
typedef struct inkling_plan_step {
    uint32_t size;
    /// An inkling_transport, which side takes the active role (0: this one, 1: the peer, 2: both), and the number of
    /// facts.
    uint32_t transport, direction, fact_count;
    /// When the step begins, in milliseconds after the plan, and how many milliseconds it is expected to take.
    uint64_t begins, completes;
    /// The energy in millijoules, the exposure in points, and the cost by which steps are ranked.
    uint64_t energy, exposure, cost;
    /// Milliseconds after which the system stops the transport's reports; UINT64_MAX if no limit is known.
    uint64_t lasts;
    /// The transport that carries the handshake after this one, and which side takes the active role in it; UINT32_MAX
    /// if there is none.
    uint32_t next_transport, next_direction;
} inkling_plan_step;

/// A transport that is not used.
typedef struct inkling_plan_refusal {
    uint32_t size;
    /// An inkling_transport; the number of the reason, 1 to 17 as in Specs/transport-policy.md; and the number of
    /// facts.
    uint32_t transport, number, fact_count;
    char reason[32];
} inkling_plan_refusal;

/// Writes a step or a refusal of a plan by its index, from 0; INKLING_UNKNOWN after the last.
inkling_status inkling_plan_step_at(inkling_handle plan, size_t index, inkling_plan_step *step_out);
inkling_status inkling_plan_refusal_at(inkling_handle plan, size_t index, inkling_plan_refusal *refusal_out);

/// Writes the refusal that is closest to becoming a step; INKLING_UNKNOWN if the plan has a step.
inkling_status inkling_plan_wait(inkling_handle plan, inkling_plan_refusal *refusal_out);

/// Writes the id of a fact that a step or a refusal is based on.
inkling_status inkling_plan_step_fact(
    inkling_handle plan, size_t step, size_t index, char *out, size_t capacity, size_t *needed_out);
inkling_status inkling_plan_refusal_fact(
    inkling_handle plan, size_t refusal, size_t index, char *out, size_t capacity, size_t *needed_out);

#ifdef __cplusplus
}
#endif

#endif
