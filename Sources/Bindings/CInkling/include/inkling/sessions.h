/* Sessions and their records: what two devices exchange after a handshake. Part of inkling.h. */

#ifndef INKLING_SESSIONS_H
#define INKLING_SESSIONS_H

#include "basics.h"
#include "handshakes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The maximum size of a packet and of the body of a record, in bytes, and the types of records (Specs/records.md).
#define INKLING_PACKET_LIMIT 16657
#define INKLING_BODY_LIMIT 16384
#define INKLING_RECORD_HELLO 0x01
#define INKLING_RECORD_CARD 0x02
#define INKLING_RECORD_GRANT 0x03
#define INKLING_RECORD_CLOSE 0x04
#define INKLING_RECORD_OFFER 0x05
#define INKLING_RECORD_STATE 0x06
#define INKLING_RECORD_ACCEPT 0x08
#define INKLING_RECORD_DECLINE 0x09
#define INKLING_RECORD_MESSAGE 0x10
#define INKLING_RECORD_RECEIPT 0x11
#define INKLING_RECORD_STREAM 0x12

/// The state of a session.
typedef struct inkling_session_facts {
    uint32_t size;
    /// An inkling_role.
    uint32_t role;
    /// What the peer said of itself in the handshake; after a first contact or a device link, only its clock.
    inkling_introduction introduction;
    /// 1 if the session is confirmed: immediately on the side that received the last packet of the handshake, with the
    /// peer's first record on the side that sent it.
    uint8_t is_confirmed;
    /// 1 if the session has ended; nothing can be sealed or opened after that.
    uint8_t is_ended;
    /// 1 if the peer's HELLO was received. `own_serial` is then the serial of the peer's card, and `peer_serial` that
    /// of this user's card as the peer holds it, 0 for none: both are as the peer wrote them.
    uint8_t has_hello;
    /// An inkling_use.
    uint8_t use;
    uint32_t own_serial;
    uint32_t peer_serial;
    uint8_t peer_key[32];
    uint32_t reserved_too;
} inkling_session_facts;
inkling_status inkling_session_facts_of(inkling_handle session, inkling_session_facts *facts_out);

/// Writes the last packet of the handshake, on the side that sends it; INKLING_UNKNOWN on the other.
inkling_status inkling_session_packet(inkling_handle session, uint8_t *out, size_t capacity, size_t *needed_out);

/// Creates a card object: the peer's card after a first contact, that of the primary after a device link;
/// INKLING_UNKNOWN if the session has no card.
inkling_status inkling_session_card(inkling_handle session, inkling_handle *card_out);

/// Writes the fingerprint that two users compare after a first contact: four groups of four letters and digits, and a
/// zero byte. INKLING_SPENT if the session ended before it was confirmed.
inkling_status inkling_session_fingerprint(inkling_handle session, char *out, size_t capacity, size_t *needed_out);

/// Creates the pairwise secret of the two users, after a first contact or a device link. Seal and store it: later calls
/// between them need it. INKLING_UNKNOWN after a confirm handshake, and until the session of a device link is confirmed.
///
/// After a first contact, ask the user, store the secret with the peer's card, and only then send
/// INKLING_RECORD_ACCEPT; otherwise send INKLING_RECORD_DECLINE and forget both. HELLO follows when both sides have
/// sent INKLING_RECORD_ACCEPT. Keep up to four secrets of a user until a newer one has served in a call, and try each of
/// them with inkling_call_receive (Specs/first-contact.md).
inkling_status inkling_session_pairwise(inkling_handle session, inkling_handle *secret_out);

/// Writes the packet with HELLO, the first record of each side, after a first contact the first one after both
/// INKLING_RECORD_ACCEPT: the serial of this user's card, from 1; the
/// serial of the peer's card that is held, 0 for none; and up to five grants of the peer that are held.
inkling_status inkling_session_hello(
    inkling_handle session, uint32_t own_serial, uint32_t peer_serial, const inkling_handle *grants, size_t grant_count,
    uint8_t *out, size_t capacity, size_t *needed_out, inkling_refusal *refusal_out);

/// A grant issued by this user that the peer holds.
typedef struct inkling_grant_report {
    uint32_t size;
    uint32_t generation;
    uint64_t audience_id;
    uint32_t to_period;
    uint32_t reserved;
} inkling_grant_report;

/// Writes the grant report with this index, from 0, in the peer's HELLO; INKLING_UNKNOWN after the last. Then send the
/// card if `peer_serial` is lower than its serial, and each grant that the peer does not report, reports with a lower
/// generation, or reports with an end that is at least 24 periods earlier.
inkling_status inkling_session_grant_report(inkling_handle session, size_t index, inkling_grant_report *grant_out);

/// Encrypts a record as the next packet to send. If the buffer is too short, nothing is encrypted.
inkling_status inkling_session_seal(
    inkling_handle session, uint8_t type, const uint8_t *body, size_t count, uint8_t *out, size_t capacity,
    size_t *needed_out, inkling_refusal *refusal_out);

/// Encrypts a grant, issued by the identity of a roster, as the next packet to send; as inkling_session_seal.
inkling_status inkling_session_seal_grant(
    inkling_handle session, inkling_handle grant, inkling_handle roster, uint8_t *out, size_t capacity,
    size_t *needed_out, inkling_refusal *refusal_out);

/// Decrypts the next packet that was received, and keeps its body until the next call. A refusal ends the session; do
/// not tell the peer.
inkling_status inkling_session_receive(
    inkling_handle session, const uint8_t *packet, size_t count, uint8_t *type_out, inkling_refusal *refusal_out);

/// Writes the body of the last record that was received. INKLING_WRONG_KIND for records that hold keys, which are
/// INKLING_RECORD_GRANT and INKLING_RECORD_STATE.
inkling_status inkling_session_body(inkling_handle session, uint8_t *out, size_t capacity, size_t *needed_out);

/// Reads the grant in the last record that was received, as inkling_grant_read does.
inkling_status inkling_session_grant(
    inkling_handle session, const uint8_t *issuer, size_t issuer_count, const uint8_t *grantee, size_t grantee_count,
    uint32_t period, uint32_t held_generation, inkling_handle *grant_out, inkling_refusal *refusal_out);

/// Ends a session and wipes its keys.
inkling_status inkling_session_end(inkling_handle session);

/// Decides which of two sessions with the same device to keep (Specs/handshake.md): writes 1 for the `later`, 0 for the
/// `existing` one. `existing` and `later` are this device's inkling_role in each, `apart` is the time between their
/// first records in milliseconds, and the keys are the public keys of both devices.
inkling_status inkling_session_later_stays(
    uint32_t existing, uint32_t later, uint64_t apart, const uint8_t *own_key, size_t own_count, const uint8_t *peer_key,
    size_t peer_count, uint32_t *later_stays_out);

#ifdef __cplusplus
}
#endif

#endif
