/* Handshakes with contacts that were recognised, and with new people. Part of inkling.h. */

#ifndef INKLING_HANDSHAKES_H
#define INKLING_HANDSHAKES_H

#include "basics.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The purpose of a handshake.
typedef enum inkling_use {
    /// To confirm that a recognised device of a contact is near.
    INKLING_USE_CONFIRM = 0,
    /// To become contacts, with an invitation.
    INKLING_USE_FIRST_CONTACT = 1,
    /// To join the inviter's user as another device, with an invitation.
    INKLING_USE_DEVICE_LINK = 2
} inkling_use;

/* ---- The confirm handshake ----------------------------------------------------------------------------------- */

/// What each side tells the other in a confirm handshake.
typedef struct inkling_introduction {
    uint32_t size;
    /// The highest generation of the receiver's grants that the sender holds; 0 for none.
    uint32_t generation;
    /// The sender's clock, as a hint.
    uint64_t unix_milliseconds;
    /// The transports over which the sender can be reached: bits of INKLING_TRANSPORT_BIT.
    uint16_t transports;
    uint16_t reserved[3];
} inkling_introduction;

/// Creates the identifiers of a device on a transport in an epoch, with the secrets for the handshake. `tree` is the
/// device's own tree, or the tree through which it was recognised; `epoch` is that of the identifier that was seen.
inkling_status inkling_context_new(
    inkling_handle tree, uint8_t device, uint32_t epoch, uint32_t transport, inkling_handle *context_out);

/// Prepares a call to a recognised device. `responder` is its public static key of 32 bytes, from a certificate that is
/// valid now.
inkling_status inkling_call_new(
    inkling_handle context, inkling_handle device_key, const uint8_t *responder, size_t responder_count,
    const inkling_introduction *introduction, inkling_handle *call_out, inkling_refusal *refusal_out);

/// Writes the packet to send.
inkling_status inkling_call_packet(inkling_handle call, uint8_t *out, size_t capacity, size_t *needed_out);

/// Takes the reply, which proves that the contact's device is there now. The call is used up, except that a reply that
/// does not open under this secret can be tried with the contact's other secrets.
inkling_status inkling_call_receive(
    inkling_handle call, const uint8_t *packet, size_t count, inkling_handle pairwise, inkling_handle *session_out,
    inkling_refusal *refusal_out);

/// A first message that was accepted; write it to stable storage before the reply is sent.
typedef struct inkling_replay_entry {
    uint32_t epoch;
    uint8_t ephemeral[32];
} inkling_replay_entry;

/// Creates a responder, which decides which calls to accept. `entries` are those that an earlier run stored.
inkling_status inkling_responder_new(
    const inkling_replay_entry *entries, size_t count, inkling_handle *responder_out);

/// Erases the entries of epochs in which calls are no longer accepted.
inkling_status inkling_responder_forget(inkling_handle responder, uint32_t before_epoch);

/// Returns the pairwise secret shared with the user whose device has this public key of 32 bytes, or 0 if no device
/// that may call has this key. It must take the same time in both cases. inkling_responder_receive calls it before it
/// returns, and not later.
typedef inkling_handle (*inkling_pairwise_of)(const uint8_t *peer_key, void *user);

/// Takes a call. `contexts`, at most 64, are what this device showed on the transport of the link in the epochs in
/// which it accepts calls; `tick` is the monotonic clock, in milliseconds. After a refusal send nothing, whatever the
/// reason.
inkling_status inkling_responder_receive(
    inkling_handle responder, const uint8_t *packet, size_t count, const inkling_handle *contexts,
    size_t context_count, inkling_handle device_key, uint64_t tick, inkling_pairwise_of pairwise_of, void *user,
    inkling_handle *request_out, inkling_refusal *refusal_out);

/// The contents of a call that was accepted. It comes from a contact, or from someone who has stolen this device's key:
/// show none of it to the user yet.
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

/// Replies to a call, once its entry is stored. The request is used up. The packet to send is in the session
/// (inkling_session_packet).
inkling_status inkling_request_reply(
    inkling_handle request, const inkling_introduction *introduction, inkling_handle *session_out,
    inkling_refusal *refusal_out);

/* ---- First contact and device link --------------------------------------------------------------------------- */

/// Opens an invitation, to become contacts or to add a device (an inkling_use). `card` is the card that the invitation
/// commits to; `attempts`, 32 bytes each, are those stored before a restart. A device has one open invitation at a
/// time. The first joiner with an authentic last message uses it up; after eight with an authentic first message it is
/// closed.
inkling_status inkling_inviter_new(
    inkling_handle invitation, uint32_t use, inkling_handle card, const uint8_t *attempts, size_t attempts_count,
    inkling_handle *inviter_out);

/// Writes 1 if the invitation can still be used at a moment, otherwise 0.
inkling_status inkling_inviter_is_open(inkling_handle inviter, uint64_t unix_milliseconds, uint32_t *open_out);

/// Takes a joiner's first message. `responder` is the object that accepts calls of contacts; both share one attempt
/// budget. `tick` is the monotonic clock, in milliseconds. After a refusal send nothing, whatever the reason.
inkling_status inkling_inviter_receive(
    inkling_handle inviter, const uint8_t *packet, size_t count, uint32_t transport, inkling_handle device_key,
    inkling_handle responder, uint64_t tick, uint64_t unix_milliseconds, inkling_handle *pending_joiner_out,
    inkling_refusal *refusal_out);

/// Writes the attempts so far: 32 bytes for each joiner whose first message was authentic. Store them before sending a
/// reply, if the invitation must survive a restart.
inkling_status inkling_inviter_attempts(inkling_handle inviter, uint8_t *out, size_t capacity, size_t *needed_out);

/// Writes the packet that replies to a joiner.
inkling_status inkling_pending_joiner_packet(
    inkling_handle pending_joiner, uint8_t *out, size_t capacity, size_t *needed_out);

/// Takes a joiner's last message, which uses up the invitation. `pending_joiner` is used up, whatever the result. Show
/// inkling_session_card and inkling_session_fingerprint to the user, and send nothing until the user agrees.
inkling_status inkling_inviter_complete(
    inkling_handle inviter, inkling_handle pending_joiner, const uint8_t *packet, size_t count, uint64_t unix_milliseconds,
    inkling_handle *session_out, inkling_refusal *refusal_out);

/// Prepares to join with an invitation that was read. `card` is this user's card for a first contact, 0 for a
/// device link.
inkling_status inkling_joiner_new(
    inkling_handle invitation, uint32_t use, inkling_handle card, uint32_t transport, inkling_handle device_key,
    inkling_handle *joiner_out, inkling_refusal *refusal_out);

/// Writes the packet to send.
inkling_status inkling_joiner_packet(inkling_handle joiner, uint8_t *out, size_t capacity, size_t *needed_out);

/// Takes the inviter's reply with its card, which must be the one that the invitation commits to. The joiner is used
/// up, whatever the result. Send inkling_session_packet, and show the card and the fingerprint to the user. The
/// inviter's first record shows that the other user has agreed too.
inkling_status inkling_joiner_receive(
    inkling_handle joiner, const uint8_t *packet, size_t count, uint64_t unix_milliseconds, inkling_handle *session_out,
    inkling_refusal *refusal_out);

#ifdef __cplusplus
}
#endif

#endif
