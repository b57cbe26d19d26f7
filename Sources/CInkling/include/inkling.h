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
 * buffer of capacity zero asks for the length. Texts are UTF-8; those that come in have a count and need no terminator,
 * and those that go out end with a zero byte, which their length counts.
 *
 * Structures begin with their size, which the caller sets to sizeof; set all else that is not used to zero. So a
 * program that was built with an older header works with a newer library. Reserved members stay zero.
 *
 * Secrets come in by pointer and are copied at once into memory that is wiped; the caller wipes its own copy. They
 * come out sealed only, with one exception: an invitation is made to be shown. Randomness is that of the system; time
 * is a parameter of each call.
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

/* ---- Users and devices ------------------------------------------------------------------------------------- */

/// The public half of an identity.
typedef struct inkling_identity_keys {
    uint32_t size;
    uint32_t generation;
    /// The Ed25519 key by which contacts know the user.
    uint8_t identity[32];
    /// The X25519 key of pair audiences.
    uint8_t presence[32];
    /// The user's name inside programs.
    uint8_t user[16];
} inkling_identity_keys;

/// The identity of a generation, from 1, under a root seed of exactly 32 random bytes.
inkling_status inkling_identity_new(
    const uint8_t *seed, size_t count, uint32_t generation, inkling_handle *identity_out);

/// A new identity, of generation 1.
inkling_status inkling_identity_random(inkling_handle *identity_out);

/// The public half of an identity.
inkling_status inkling_identity_public(inkling_handle identity, inkling_identity_keys *keys_out);

/// The pair audience of an identity and a contact with this presence key; as inkling_tree_of_pair.
inkling_status inkling_identity_tree_of_pair(
    inkling_handle identity, const uint8_t *peer_presence, size_t peer_count, uint32_t advertising,
    inkling_handle *tree_out, inkling_refusal *refusal_out);

/// The pairwise secret of an identity and a contact who exchanged cards but never had a first contact.
inkling_status inkling_identity_pairwise(
    inkling_handle identity, const uint8_t *peer_presence, size_t peer_count, inkling_handle *secret_out,
    inkling_refusal *refusal_out);

/// A secret of exactly 32 bytes, for example a pairwise one.
inkling_status inkling_secret_new(const uint8_t *bytes, size_t count, inkling_handle *secret_out);

/// A device's static key for handshakes: from its 32 private bytes, a new one, and its 32 public bytes.
inkling_status inkling_device_key_new(const uint8_t *bytes, size_t count, inkling_handle *key_out);
inkling_status inkling_device_key_random(inkling_handle *key_out);
inkling_status inkling_device_key_public(inkling_handle key, uint8_t *out, size_t capacity, size_t *needed_out);

/// An empty list of an identity's devices, to be certified by it.
inkling_status inkling_roster_new(inkling_handle identity, inkling_handle *roster_out);

/// Certifies a device: its number, 0 to 15 and above those before it, its public static key, the first and the last
/// hour, and 1 when it holds the identity. Refuses what no reader would take.
inkling_status inkling_roster_add(
    inkling_handle roster, uint8_t device, const uint8_t *key, size_t count, uint32_t from_hour, uint32_t to_hour,
    uint32_t is_primary, inkling_refusal *refusal_out);

/// Seals an identity, a tree, a secret or a device key for storage, under a key of exactly 32 bytes. What is sealed is
/// this library's own form, not part of the protocol.
inkling_status inkling_seal(
    inkling_handle object, const uint8_t *key, size_t key_count, uint8_t *out, size_t capacity, size_t *needed_out);

/// The object that was sealed; refuses what was not sealed under this key.
inkling_status inkling_unseal(
    const uint8_t *sealed, size_t count, const uint8_t *key, size_t key_count, inkling_handle *object_out,
    inkling_refusal *refusal_out);

/* ---- Cards, invitations and grants ------------------------------------------------------------------------- */

/// What a card says.
typedef struct inkling_card_facts {
    uint32_t size;
    uint32_t generation;
    uint32_t serial;
    /// Bit n for device n.
    uint16_t devices;
    uint16_t reserved;
    uint8_t identity[32];
    uint8_t presence[32];
    uint8_t user[16];
    /// The name the user goes by, without control and bidirectional characters, and a zero byte.
    char name[68];
} inkling_card_facts;

/// One device of a card or a grant.
typedef struct inkling_device {
    uint32_t size;
    uint32_t from_hour;
    uint32_t to_hour;
    uint8_t device;
    uint8_t is_primary;
    uint8_t reserved[2];
    uint8_t key[32];
} inkling_device;

/// Signs a card for the devices of a roster, with a serial from 1 and a name of at most 64 bytes.
inkling_status inkling_card_new(
    inkling_handle roster, uint32_t serial, const char *name, size_t name_count, inkling_handle *card_out,
    inkling_refusal *refusal_out);

/// Reads a card in an hour: its bytes, or its text, which begins with INKLING:C.
inkling_status inkling_card_read(
    const uint8_t *bytes, size_t count, uint32_t hour, inkling_handle *card_out, inkling_refusal *refusal_out);
inkling_status inkling_card_read_text(
    const char *text, size_t count, uint32_t hour, inkling_handle *card_out, inkling_refusal *refusal_out);

/// What a card says, and of one of its devices; INKLING_UNKNOWN for a device that it has not.
inkling_status inkling_card_facts_of(inkling_handle card, inkling_card_facts *facts_out);
inkling_status inkling_card_device(inkling_handle card, uint8_t device, inkling_device *device_out);

/// A card as it was signed, and as text to be shown.
inkling_status inkling_card_bytes(inkling_handle card, uint8_t *out, size_t capacity, size_t *needed_out);
inkling_status inkling_card_text(inkling_handle card, char *out, size_t capacity, size_t *needed_out);

/// The link technologies, as bits, and the numbers of each.
#define INKLING_TRANSPORT_GATT 0
#define INKLING_TRANSPORT_TCP 2
#define INKLING_TRANSPORT_NAN 3
#define INKLING_TRANSPORT_BIT(transport) (1u << (transport))

/// What an invitation says.
typedef struct inkling_invitation_facts {
    uint32_t size;
    /// Bits of INKLING_TRANSPORT_BIT.
    uint16_t transports;
    uint16_t reserved;
    /// The first minute of Unix time in which it is dead.
    uint32_t expiry_minute;
    /// What the inviter's card must hash to.
    uint8_t commitment[16];
} inkling_invitation_facts;

/// Opens an invitation to the owner of a card that lives 1 to 10 minutes.
inkling_status inkling_invitation_new(
    inkling_handle card, uint16_t transports, uint32_t minutes, uint64_t unix_seconds, inkling_handle *invitation_out);

/// Reads the text of an invitation, which begins with INKLING:I.
inkling_status inkling_invitation_read_text(
    const char *text, size_t count, uint64_t unix_seconds, inkling_handle *invitation_out, inkling_refusal *refusal_out);

/// What an invitation says; the text to be shown to one reader, who can use it; and the audience under which the
/// inviter can be found, as device 0.
inkling_status inkling_invitation_facts_of(inkling_handle invitation, inkling_invitation_facts *facts_out);
inkling_status inkling_invitation_text(inkling_handle invitation, char *out, size_t capacity, size_t *needed_out);
inkling_status inkling_invitation_tree(inkling_handle invitation, inkling_handle *tree_out);

/// What a grant says.
typedef struct inkling_grant_facts {
    uint32_t size;
    uint32_t generation;
    uint64_t audience;
    uint32_t from_hour;
    uint32_t to_hour;
    uint16_t devices;
    uint16_t reserved[3];
    uint8_t issuer[32];
    uint8_t grantee[16];
} inkling_grant_facts;

/// Cuts a grant for one user, by the 16 bytes of its id, out of a tree: for the hours `from_hour` to `to_hour`, at most
/// 93 days, and the devices of a roster.
inkling_status inkling_grant_new(
    inkling_handle roster, uint64_t audience, uint32_t generation, inkling_handle tree, uint32_t from_hour,
    uint32_t to_hour, const uint8_t *grantee, size_t grantee_count, inkling_handle *grant_out,
    inkling_refusal *refusal_out);

/// Reads the bytes of a grant in an hour: from the contact with this identity key, for the user with this id, when the
/// generation of this audience that is held already is `held_generation`, 0 for none.
inkling_status inkling_grant_read(
    const uint8_t *bytes, size_t count, const uint8_t *issuer, size_t issuer_count, const uint8_t *grantee,
    size_t grantee_count, uint32_t hour, uint32_t held_generation, inkling_handle *grant_out,
    inkling_refusal *refusal_out);

/// Seals a grant that a roster's identity issued for one device of a contact who is not there: by the sending device's
/// key, for the receiving device's public key, under the pairwise secret of the two users.
inkling_status inkling_grant_seal(
    inkling_handle grant, inkling_handle roster, inkling_handle device_key, const uint8_t *recipient,
    size_t recipient_count, inkling_handle pairwise, uint8_t *out, size_t capacity, size_t *needed_out,
    inkling_refusal *refusal_out);

/// Opens a grant that was sealed for this device by the contact's device with the public key `sender`, and reads it as
/// inkling_grant_read does.
inkling_status inkling_grant_unseal(
    const uint8_t *sealed, size_t count, inkling_handle device_key, const uint8_t *sender, size_t sender_count,
    inkling_handle pairwise, const uint8_t *issuer, size_t issuer_count, const uint8_t *grantee, size_t grantee_count,
    uint32_t hour, uint32_t held_generation, inkling_handle *grant_out, inkling_refusal *refusal_out);

/// What a grant says, of one of its devices, and its keys as a tree.
inkling_status inkling_grant_facts_of(inkling_handle grant, inkling_grant_facts *facts_out);
inkling_status inkling_grant_device(inkling_handle grant, uint8_t device, inkling_device *device_out);
inkling_status inkling_grant_tree(inkling_handle grant, inkling_handle *tree_out);

/* ---- Advertising data -------------------------------------------------------------------------------------- */

/// The UUIDs of the project.
typedef enum inkling_uuid_use {
    /// The proximity UUID of every beacon.
    INKLING_UUID_PROXIMITY = 0,
    /// The GATT service of every node, and its three characteristics.
    INKLING_UUID_SERVICE = 1,
    INKLING_UUID_TAG = 2,
    INKLING_UUID_IN = 3,
    INKLING_UUID_OUT = 4
} inkling_uuid_use;

/// Writes the 16 bytes of a UUID, in the order of its text form.
inkling_status inkling_uuid(uint32_t use, uint8_t *bytes_out, size_t capacity, size_t *needed_out);

/// What advertising data says.
typedef struct inkling_advertisement {
    uint32_t size;
    /// 1 when the data holds an iBeacon frame; then the members below it are those of the frame.
    uint8_t has_beacon;
    /// 1 when the frame's proximity UUID is that of the project.
    uint8_t is_ours;
    /// 1 when an overflow area has the bit of the project's service set: a reason to connect once, no recognition.
    uint8_t has_overflow_bit;
    /// 1 when a list of service UUIDs names the project's service.
    uint8_t has_service;
    uint16_t major;
    uint16_t minor;
    int8_t measured_power;
    uint8_t reserved[3];
    uint8_t proximity[16];
} inkling_advertisement;

/// Reads advertising data, up to 1650 bytes. That it is somebody else's is no error: then the members are zero.
inkling_status inkling_advertisement_read(
    const uint8_t *data, size_t count, inkling_advertisement *advertisement_out, inkling_refusal *refusal_out);

/// The 30 bytes that a beacon with this minor advertises.
inkling_status inkling_advertisement_of_minor(uint16_t minor, uint8_t *out, size_t capacity, size_t *needed_out);

/// The 18 bytes of advertising data that name the project's service.
inkling_status inkling_advertisement_of_service(uint8_t *out, size_t capacity, size_t *needed_out);

/* ---- Recognition ------------------------------------------------------------------------------------------- */

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

/// When something was observed, if that was long before it is reported; a null pointer stands for now.
typedef struct inkling_observation {
    uint32_t size;
    uint32_t reserved;
    uint64_t unix_milliseconds;
    /// By how many milliseconds the moment may be wrong, either way.
    uint64_t uncertainty;
} inkling_observation;

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
    INKLING_EFFECT_OUTSIDE = 1,
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
    uint64_t audience;
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
    inkling_handle engine, uint32_t contact, uint32_t audience_kind, uint64_t audience, uint16_t devices,
    inkling_handle tree);

/// Computes what all contacts show in an epoch and its neighbours, and recognises by it from now on: to be called at
/// the beginning of each epoch and after changes of contacts and keys. The work grows with the number of contacts.
inkling_status inkling_engine_prepare(inkling_handle engine, uint32_t epoch, const inkling_clock *now);

/// An instance name of the service is there, or there no more. Labels that are no names of Inkling are ignored.
inkling_status inkling_engine_name_appeared(
    inkling_handle engine, const char *label, size_t count, const inkling_observation *observed, const inkling_clock *now);
inkling_status inkling_engine_name_vanished(
    inkling_handle engine, const char *label, size_t count, const inkling_clock *now);

/// Nothing is known any more about which names are there.
inkling_status inkling_engine_names_forgotten(inkling_handle engine, const inkling_clock *now);

/// Advertising data was heard from an address of 48 bits at a strength of -127 to 20 dBm: feeds a minor or an overflow
/// bit of ours to the engine, and ignores the rest. Refuses data that is malformed.
inkling_status inkling_engine_advertisement(
    inkling_handle engine, const uint8_t *data, size_t count, uint64_t address, int8_t strength,
    const inkling_observation *observed, const inkling_clock *now, inkling_refusal *refusal_out);

/// A minor of ours was heard.
inkling_status inkling_engine_beacon_heard(
    inkling_handle engine, uint16_t minor, uint64_t address, int8_t strength, const inkling_observation *observed,
    const inkling_clock *now);

/// The reading of an address's tag ended, with a tag of 16 bytes, or with none: a null pointer and zero.
inkling_status inkling_engine_tag_read(
    inkling_handle engine, const uint8_t *tag, size_t count, uint64_t address, const inkling_observation *observed,
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

/* ---- The confirm handshake --------------------------------------------------------------------------------- */

/// What one device shows on one transport in one epoch, and the secrets behind it: by the device's own tree, or by the
/// tree through which it was recognised; `epoch` is that of the value seen, not of a clock.
inkling_status inkling_context_new(
    inkling_handle tree, uint8_t device, uint32_t epoch, uint32_t transport, inkling_handle *context_out);

/// What the parties of a handshake tell each other.
typedef struct inkling_introduction {
    uint32_t size;
    /// The highest generation of the receiver's grants that the sender holds; 0 for none.
    uint32_t generation;
    /// The sender's clock; a hint.
    uint64_t unix_milliseconds;
    /// Where the sender can be reached: bits of INKLING_TRANSPORT_BIT.
    uint16_t transports;
    uint16_t reserved[3];
} inkling_introduction;

/// Calls a device that was recognised, by its public static key of 32 bytes out of a certificate that is valid now.
inkling_status inkling_call_new(
    inkling_handle context, inkling_handle device_key, const uint8_t *responder, size_t responder_count,
    const inkling_introduction *introduction, inkling_handle *call_out, inkling_refusal *refusal_out);

/// The packet to send.
inkling_status inkling_call_packet(inkling_handle call, uint8_t *out, size_t capacity, size_t *needed_out);

/// Takes the answer, which proves that the contact's device is there now. The call is used up, whatever comes of it.
inkling_status inkling_call_receive(
    inkling_handle call, const uint8_t *packet, size_t count, inkling_handle pairwise, inkling_handle *session_out,
    inkling_refusal *refusal_out);

/// A first message that was answered: to be on stable storage before the answer leaves.
typedef struct inkling_replay_entry {
    uint32_t epoch;
    uint8_t ephemeral[32];
} inkling_replay_entry;

/// Decides which calls are answered, with the entries that an earlier run stored.
inkling_status inkling_responder_new(
    const inkling_replay_entry *entries, size_t count, inkling_handle *responder_out);

/// Forgets the calls of epochs that are not answered any more.
inkling_status inkling_responder_forget(inkling_handle responder, uint32_t before_epoch);

/// Answers which secret is shared with the user to whom a device's public key of 32 bytes belongs; 0 when nobody who
/// may call has this key. It must take the same time for each answer, and is called before the call returns.
typedef inkling_handle (*inkling_pairwise_of)(const uint8_t *peer_key, void *user);

/// Takes a call: `contexts` are what this device showed on the link's transport in the epochs for which it answers,
/// at most 64; `tick` is the clock that never steps, in milliseconds. When the call is refused, send nothing, whatever
/// the reason.
inkling_status inkling_responder_receive(
    inkling_handle responder, const uint8_t *packet, size_t count, const inkling_handle *contexts,
    size_t context_count, inkling_handle device_key, uint64_t tick, inkling_pairwise_of pairwise_of, void *user,
    inkling_handle *request_out, inkling_refusal *refusal_out);

/// What is known of a call that came from a contact, or from a thief of this device's key: nothing of it is shown.
typedef struct inkling_request_facts {
    uint32_t size;
    uint32_t transport;
    inkling_introduction introduction;
    inkling_replay_entry entry;
    uint8_t peer_key[32];
    uint8_t device;
    uint8_t reserved[3];
} inkling_request_facts;
inkling_status inkling_request_facts_of(inkling_handle request, inkling_request_facts *facts_out);

/// Answers a call, once its entry is stored. The request is used up. The packet to send is inkling_session_packet.
inkling_status inkling_request_reply(
    inkling_handle request, const inkling_introduction *introduction, inkling_handle *session_out,
    inkling_refusal *refusal_out);

/* ---- Sessions and their records ---------------------------------------------------------------------------- */

/// The longest packet, the longest body of a record, and the types of records (Specs/records.md).
#define INKLING_PACKET_LIMIT 16657
#define INKLING_BODY_LIMIT 16384
#define INKLING_RECORD_HELLO 0x01
#define INKLING_RECORD_CARD 0x02
#define INKLING_RECORD_GRANT 0x03
#define INKLING_RECORD_CLOSE 0x04
#define INKLING_RECORD_OFFER 0x05
#define INKLING_RECORD_STATE 0x06
#define INKLING_RECORD_MESSAGE 0x10
#define INKLING_RECORD_RECEIPT 0x11

/// What is known of a session.
typedef struct inkling_session_facts {
    uint32_t size;
    /// An inkling_role.
    uint32_t role;
    inkling_introduction introduction;
    /// 1 when the peer has proven that it is there: at once for who called, with the first record for who answered.
    uint8_t is_confirmed;
    /// 1 when the session has ended; then nothing can be sealed or opened.
    uint8_t is_ended;
    /// 1 when the peer's HELLO came; then the serials in it: of its own card, and of ours that it holds.
    uint8_t has_hello;
    uint8_t reserved;
    uint32_t own_serial;
    uint32_t peer_serial;
    uint8_t peer_key[32];
    uint32_t reserved_too;
} inkling_session_facts;
inkling_status inkling_session_facts_of(inkling_handle session, inkling_session_facts *facts_out);

/// The last packet of the handshake, for who answered; INKLING_UNKNOWN for who called.
inkling_status inkling_session_packet(inkling_handle session, uint8_t *out, size_t capacity, size_t *needed_out);

/// The first record of each side: the serial of the own card, from 1, that of the peer's card which is held, 0 for none,
/// and up to five grants of the peer that are held. Writes the packet to send.
inkling_status inkling_session_hello(
    inkling_handle session, uint32_t own_serial, uint32_t peer_serial, const inkling_handle *grants, size_t grant_count,
    uint8_t *out, size_t capacity, size_t *needed_out, inkling_refusal *refusal_out);

/// Encrypts a record of a type as the packet to send next. With a buffer that is too short nothing was encrypted.
inkling_status inkling_session_seal(
    inkling_handle session, uint8_t type, const uint8_t *body, size_t count, uint8_t *out, size_t capacity,
    size_t *needed_out, inkling_refusal *refusal_out);

/// The same for a grant that a roster's identity issued.
inkling_status inkling_session_seal_grant(
    inkling_handle session, inkling_handle grant, inkling_handle roster, uint8_t *out, size_t capacity,
    size_t *needed_out, inkling_refusal *refusal_out);

/// Decrypts the packet that came next and keeps its body until the one after it. A packet that is refused ends the
/// session, and the peer is told nothing.
inkling_status inkling_session_receive(
    inkling_handle session, const uint8_t *packet, size_t count, uint8_t *type_out, inkling_refusal *refusal_out);

/// The body of the record that came last. INKLING_WRONG_KIND for those that hold keys: of INKLING_RECORD_GRANT and
/// INKLING_RECORD_STATE.
inkling_status inkling_session_body(inkling_handle session, uint8_t *out, size_t capacity, size_t *needed_out);

/// Reads the grant that came last, as inkling_grant_read does.
inkling_status inkling_session_grant(
    inkling_handle session, const uint8_t *issuer, size_t issuer_count, const uint8_t *grantee, size_t grantee_count,
    uint32_t hour, uint32_t held_generation, inkling_handle *grant_out, inkling_refusal *refusal_out);

/// Ends a session and wipes its keys.
inkling_status inkling_session_end(inkling_handle session);

/* ---- Platforms and transports ------------------------------------------------------------------------------ */

/// The numbers in this part are the places in the lists of Specs/platforms.md and Specs/transport-policy.md, from 0,
/// unless a list of their own stands here.

typedef enum inkling_family { INKLING_FAMILY_IOS = 0, INKLING_FAMILY_ANDROID = 1, INKLING_FAMILY_LINUX = 2 } inkling_family;

typedef enum inkling_app_state {
    INKLING_STATE_FOREGROUND = 0,
    INKLING_STATE_BACKGROUND = 1,
    INKLING_STATE_LOCKED = 2,
    INKLING_STATE_SUSPENDED = 3,
    INKLING_STATE_TERMINATED = 4,
    INKLING_STATE_FORCE_QUIT = 5,
    INKLING_STATE_BEFORE_UNLOCK = 6
} inkling_app_state;

/// Bits of `traits`.
#define INKLING_TRAIT_IPHONE_12 0x01u
#define INKLING_TRAIT_IPHONE_17 0x02u
#define INKLING_TRAIT_AWARE 0x04u
#define INKLING_TRAIT_LEGACY 0x08u
#define INKLING_TRAIT_BEACON_ONLY 0x10u

/// Bits of `met`: which needs of facts are met.
#define INKLING_MET_BLUETOOTH 0x01u
#define INKLING_MET_CENTRAL 0x02u
#define INKLING_MET_PERIPHERAL 0x04u
#define INKLING_MET_WHEN_IN_USE 0x08u
#define INKLING_MET_ALWAYS 0x10u
#define INKLING_MET_LOCAL_NETWORK 0x20u
#define INKLING_MET_LOW_POWER 0x40u

/// An app on a device at a moment. Has no size of its own and will not grow.
typedef struct inkling_app {
    /// The version of the operating system.
    uint16_t major, minor, patch;
    /// An inkling_family and an inkling_app_state.
    uint8_t family, state;
    uint32_t traits, met;
} inkling_app;

/// The subjects of facts.
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
    INKLING_SUBJECT_EXCHANGE
} inkling_subject;

/// What facts say about a subject.
typedef enum inkling_promise {
    INKLING_PROMISE_NO = 0,
    /// Advertised in the overflow area only.
    INKLING_PROMISE_OVERFLOW = 1,
    /// Only within an execution window.
    INKLING_PROMISE_WINDOW = 2,
    /// Within `best` to `worst` milliseconds.
    INKLING_PROMISE_WITHIN = 3,
    /// As far as `worst` metres.
    INKLING_PROMISE_METRES = 4,
    INKLING_PROMISE_YES = 5
} inkling_promise;

/// The worst of what the facts say that apply.
typedef struct inkling_profile {
    uint32_t size;
    /// An inkling_promise.
    uint32_t promise;
    uint64_t best, worst;
    /// How many facts apply; 0 when nothing is promised.
    uint32_t fact_count;
    uint32_t reserved;
} inkling_profile;

/// What a platform promises an app about an inkling_subject, and the id of one of the facts that say so.
inkling_status inkling_profile_of(const inkling_app *app, uint32_t subject, inkling_profile *profile_out);
inkling_status inkling_profile_fact(
    const inkling_app *app, uint32_t subject, size_t index, char *out, size_t capacity, size_t *needed_out);

/// The transports of plans.
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

typedef enum inkling_purpose {
    INKLING_PURPOSE_PASSIVE,
    INKLING_PURPOSE_FIRST_CONTACT,
    INKLING_PURPOSE_RECOGNISE,
    INKLING_PURPOSE_MESSAGE,
    INKLING_PURPOSE_BULK
} inkling_purpose;

typedef enum inkling_relation {
    INKLING_RELATION_STRANGER,
    INKLING_RELATION_INVITED,
    INKLING_RELATION_CONTACT,
    INKLING_RELATION_CONFIRMED
} inkling_relation;

/// All that a choice depends on, but for what went before.
typedef struct inkling_situation {
    uint32_t size;
    /// An inkling_relation and an inkling_purpose.
    uint8_t relation, purpose;
    /// Each 0 or 1: whether the members `peer` and `deadline` count, whether we hear the peer now, whether both are on
    /// one network, and whether they are paired for Wi-Fi Aware.
    uint8_t has_peer, has_deadline, is_heard, is_on_same_network, is_paired, reserved;
    /// Over what they are connected: bit n for the inkling_transport n.
    uint32_t linked;
    inkling_app own, peer;
    /// Bytes to be sent, and milliseconds until it is too late.
    uint64_t payload, deadline;
} inkling_situation;

/// A memory of how transports did, for one peer; none of them was tried.
inkling_status inkling_memory_new(inkling_handle *memory_out);

/// A transport failed, or worked: it took `set_up` milliseconds to set up and carried `rate` bytes per second; 0 is
/// not observed. `tick` is the clock that never steps, in milliseconds.
inkling_status inkling_memory_failed(inkling_handle memory, uint32_t transport, uint64_t tick);
inkling_status inkling_memory_worked(inkling_handle memory, uint32_t transport, uint64_t set_up, uint64_t rate);

/// What to use, in which order, and why not the rest; `memory` may be 0.
inkling_status inkling_plan_new(
    const inkling_situation *situation, inkling_handle memory, uint64_t tick, inkling_handle *plan_out);

/// A transport to use; the best is the first.
typedef struct inkling_plan_step {
    uint32_t size;
    /// An inkling_transport; and who takes the active role: 0 we, 1 they, 2 both.
    uint32_t transport, direction, fact_count;
    /// Milliseconds after the plan at which it begins, and until all is done, as expected.
    uint64_t begins, completes;
    /// Millijoules, points of what others learn, and what the ranking goes by.
    uint64_t energy, exposure, cost;
    /// Milliseconds after which the system stops reporting; UINT64_MAX when no limit is known.
    uint64_t lasts;
} inkling_plan_step;

/// A transport that is not used.
typedef struct inkling_plan_refusal {
    uint32_t size;
    /// An inkling_transport, and why: 1 to 16 as in Specs/transport-policy.md, and as text.
    uint32_t transport, number, fact_count;
    char reason[32];
} inkling_plan_refusal;

/// The steps and the refusals of a plan, from 0; INKLING_UNKNOWN behind the last.
inkling_status inkling_plan_step_at(inkling_handle plan, size_t index, inkling_plan_step *step_out);
inkling_status inkling_plan_refusal_at(inkling_handle plan, size_t index, inkling_plan_refusal *refusal_out);

/// When there is no step: what comes closest, and what it waits for. INKLING_UNKNOWN when there is a step.
inkling_status inkling_plan_wait(inkling_handle plan, inkling_plan_refusal *refusal_out);

/// The id of a fact on which a step rests, or which speaks for a refusal.
inkling_status inkling_plan_step_fact(
    inkling_handle plan, size_t step, size_t index, char *out, size_t capacity, size_t *needed_out);
inkling_status inkling_plan_refusal_fact(
    inkling_handle plan, size_t refusal, size_t index, char *out, size_t capacity, size_t *needed_out);

/* ---- Vectors ----------------------------------------------------------------------------------------------- */

/// The most bytes of a vector file.
#define INKLING_VECTOR_FILE_LIMIT ((size_t)1 << 26)

/// Told of each case that is answered otherwise than the file says; the texts end with a zero byte and live as long as
/// the call. `expected` and `got` are one line of JSON each.
typedef void (*inkling_on_difference)(
    const char *id, const char *comment, const char *expected, const char *got, void *user);

/// Answers every case of a vector file, given as its bytes, and reports the differences; `on_difference` may be null.
/// Refuses what is no such file.
inkling_status inkling_vectors_verify(
    const uint8_t *file, size_t count, inkling_on_difference on_difference, void *user, uint64_t *agreed_out,
    uint64_t *differing_out, inkling_refusal *refusal_out);

#ifdef __cplusplus
}
#endif

#endif
