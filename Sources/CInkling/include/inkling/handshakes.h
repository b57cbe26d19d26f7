/* Handshakes: with a contact that was recognised, and with somebody new. Part of inkling.h. */

#ifndef INKLING_HANDSHAKES_H
#define INKLING_HANDSHAKES_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a handshake is for.
typedef enum inkling_use {
    /// To find out that a contact's device that was recognised is there.
    INKLING_USE_CONFIRM = 0,
    /// To become contacts, by an invitation.
    INKLING_USE_FIRST_CONTACT = 1,
    /// To become a device of the inviter's user, by an invitation.
    INKLING_USE_DEVICE_LINK = 2
} inkling_use;

/* ---- The confirm handshake ----------------------------------------------------------------------------------- */

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

/// What one device shows on one transport in one epoch, and the secrets behind it: by the device's own tree, or by the
/// tree through which it was recognised; `epoch` is that of the value seen, not of a clock.
inkling_status inkling_context_new(
    inkling_handle tree, uint8_t device, uint32_t epoch, uint32_t transport, inkling_handle *context_out);

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

/* ---- First contact and device link --------------------------------------------------------------------------- */

/// Opens the invitation that announced a card, to become contacts or to take in a new device (inkling_use); or opens it
/// again after a restart, with the attempts that were stored: 32 bytes each. A device has one invitation open at a time.
/// It is used up by the first joiner whose last message is authentic, and dead after eight whose first one was.
inkling_status inkling_inviter_new(
    inkling_handle invitation, uint32_t use, inkling_handle card, const uint8_t *attempts, size_t attempts_count,
    inkling_handle *inviter_out);

/// Whether somebody could still use the invitation at a moment: 1 or 0.
inkling_status inkling_inviter_is_open(inkling_handle inviter, uint64_t unix_milliseconds, uint32_t *open_out);

/// Takes a joiner's first message. `responder` is the one that decides about calls of contacts: both draw on one
/// budget. `tick` is the clock that never steps. When it is refused, send nothing, whatever the reason.
inkling_status inkling_inviter_receive(
    inkling_handle inviter, const uint8_t *packet, size_t count, uint32_t transport, inkling_handle device_key,
    inkling_handle responder, uint64_t tick, uint64_t unix_milliseconds, inkling_handle *pending_joiner_out,
    inkling_refusal *refusal_out);

/// The joiners whose first message was authentic, 32 bytes each: to be stored before an answer leaves, when the
/// invitation is to outlive this run.
inkling_status inkling_inviter_attempts(inkling_handle inviter, uint8_t *out, size_t capacity, size_t *needed_out);

/// The packet that answers a joiner.
inkling_status inkling_pending_joiner_packet(
    inkling_handle pending_joiner, uint8_t *out, size_t capacity, size_t *needed_out);

/// Takes a joiner's last message, which uses the invitation up. `pending_joiner` is used up, whatever the result. Show
/// inkling_session_card and inkling_session_fingerprint to the user, and send nothing before the user says yes.
inkling_status inkling_inviter_complete(
    inkling_handle inviter, inkling_handle pending_joiner, const uint8_t *packet, size_t count, uint64_t unix_milliseconds,
    inkling_handle *session_out, inkling_refusal *refusal_out);

/// Uses an invitation that was read: calls whoever shows its audience. `card` is the own one for a first contact, and 0
/// for a device link.
inkling_status inkling_joiner_new(
    inkling_handle invitation, uint32_t use, inkling_handle card, uint32_t transport, inkling_handle device_key,
    inkling_handle *joiner_out, inkling_refusal *refusal_out);

/// The packet to send.
inkling_status inkling_joiner_packet(inkling_handle joiner, uint8_t *out, size_t capacity, size_t *needed_out);

/// Takes the inviter's card, which must be the one that was announced. It is used up, whatever comes of it. The packet
/// to send is inkling_session_packet; show the user the card and the fingerprint. The first record says that the
/// inviter has agreed too.
inkling_status inkling_joiner_receive(
    inkling_handle joiner, const uint8_t *packet, size_t count, uint64_t unix_milliseconds, inkling_handle *session_out,
    inkling_refusal *refusal_out);

#ifdef __cplusplus
}
#endif

#endif
