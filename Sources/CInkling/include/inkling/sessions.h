/* Sessions and their records: what two devices say to each other after a handshake. Part of inkling.h. */

#ifndef INKLING_SESSIONS_H
#define INKLING_SESSIONS_H

#include "basics.h"
#include "handshakes.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    /// What the peer said of itself; after a first contact or a device link, its clock alone.
    inkling_introduction introduction;
    /// 1 when the peer has proven that it is there: at once for who received the last packet of the handshake, with the
    /// first record for who sent it.
    uint8_t is_confirmed;
    /// 1 when the session has ended; then nothing can be sealed or opened.
    uint8_t is_ended;
    /// 1 when the peer's HELLO came; then the serials in it: of its own card, and of ours that it holds.
    uint8_t has_hello;
    /// An inkling_use.
    uint8_t use;
    uint32_t own_serial;
    uint32_t peer_serial;
    uint8_t peer_key[32];
    uint32_t reserved_too;
} inkling_session_facts;
inkling_status inkling_session_facts_of(inkling_handle session, inkling_session_facts *facts_out);

/// The last packet of the handshake, for who sends it; INKLING_UNKNOWN for who received it.
inkling_status inkling_session_packet(inkling_handle session, uint8_t *out, size_t capacity, size_t *needed_out);

/// The peer's card out of a first contact, or that of the primary out of a device link; INKLING_UNKNOWN without one.
inkling_status inkling_session_card(inkling_handle session, inkling_handle *card_out);

/// What two people compare after a first contact: four groups of four letters and digits, and a zero byte.
/// INKLING_SPENT when the session ended before the peer had proven to be there.
inkling_status inkling_session_fingerprint(inkling_handle session, char *out, size_t capacity, size_t *needed_out);

/// The pairwise secret of the two users out of a first contact or a device link, for all later calls between them; to
/// be sealed and stored. INKLING_UNKNOWN after a confirm handshake, and while the peer has not proven to be there.
inkling_status inkling_session_pairwise(inkling_handle session, inkling_handle *secret_out);

/// The first record of each side: the serial of the own card, from 1, that of the peer's card which is held, 0 for none,
/// and up to five grants of the peer that are held. Writes the packet to send.
inkling_status inkling_session_hello(
    inkling_handle session, uint32_t own_serial, uint32_t peer_serial, const inkling_handle *grants, size_t grant_count,
    uint8_t *out, size_t capacity, size_t *needed_out, inkling_refusal *refusal_out);

/// A grant of ours that the peer holds.
typedef struct inkling_grant_report {
    uint32_t size;
    uint32_t generation;
    uint64_t audience_id;
    uint32_t to_period;
    uint32_t reserved;
} inkling_grant_report;

/// What the peer's HELLO says of grants, from 0; INKLING_UNKNOWN behind the last. To be sent then: the card, if the
/// peer's serial is lower, and each grant that is not there, has a lower generation, or ends 24 periods later or more.
inkling_status inkling_session_grant_report(inkling_handle session, size_t index, inkling_grant_report *grant_out);

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
    uint32_t period, uint32_t held_generation, inkling_handle *grant_out, inkling_refusal *refusal_out);

/// Ends a session and wipes its keys.
inkling_status inkling_session_end(inkling_handle session);

/// Which of two sessions with one device stays, the `existing` or the `later` one, by the own role in each
/// (inkling_role), the milliseconds between their first records and the public keys of both devices: 1 for the later.
inkling_status inkling_session_later_stays(
    uint32_t existing, uint32_t later, uint64_t apart, const uint8_t *own_key, size_t own_count, const uint8_t *peer_key,
    size_t peer_count, uint32_t *later_stays_out);

/// The body of INKLING_RECORD_MESSAGE: a number that no other text of the session has, and 1 to 8,192 bytes of text.
inkling_status inkling_message_body(
    uint64_t number, const char *text, size_t text_count, uint8_t *out, size_t capacity, size_t *needed_out,
    inkling_refusal *refusal_out);

/// Reads the body of INKLING_RECORD_MESSAGE. The body of INKLING_RECORD_RECEIPT is the number, in 8 bytes, the highest
/// first.
inkling_status inkling_message_read(
    const uint8_t *body, size_t count, uint64_t *number_out, char *out, size_t capacity, size_t *needed_out,
    inkling_refusal *refusal_out);

#ifdef __cplusplus
}
#endif

#endif
