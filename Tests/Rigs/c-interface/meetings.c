/* Two people who have never met: an invitation, a first contact over TCP, cards and grants, and later recognition, a
 * handshake and records over GATT. And a user who adds a second device. */

#include "people.h"

static const uint64_t milliseconds = 1800000000000;
static const uint32_t ada_in_bos_book = 1;

/* Ada's, whom the others call. */
static inkling_handle responder;

/* Transfers a packet: it is sent as the bytes of a transport and received in pieces. */
typedef struct {
    uint8_t bytes[INKLING_PACKET_LIMIT];
    size_t count;
} packet;

typedef struct {
    uint32_t transport, mtu;
    inkling_handle incoming;
    uint64_t tick;
} wire;

static void carry(wire *over, packet *sent) {
    static uint8_t bytes[2 * INKLING_PACKET_LIMIT];
    size_t count, needed;
    EXPECT(inkling_link_bytes(sent->bytes, sent->count, over->transport, over->mtu, NULL, 0, &needed, NULL),
           INKLING_BUFFER_TOO_SHORT);
    EXPECT(inkling_link_bytes(sent->bytes, sent->count, over->transport, over->mtu, bytes, sizeof bytes, &count, NULL),
           INKLING_OK);
    HOLDS(count == needed);
    const size_t piece = over->transport == INKLING_TRANSPORT_TCP ? 100 : over->mtu - 3;
    packet received = {.count = 0};
    for (size_t at = 0; at < count; at += piece) {
        EXPECT(inkling_link_next(over->incoming, NULL, 0, &needed, NULL), INKLING_OK);
        HOLDS(needed == 0);
        EXPECT(inkling_link_take(over->incoming, bytes + at, at + piece < count ? piece : count - at, over->tick++, NULL),
               INKLING_OK);
    }
    EXPECT(inkling_link_next(over->incoming, received.bytes, sent->count - 1, &needed, NULL), INKLING_BUFFER_TOO_SHORT);
    HOLDS(needed == sent->count && received.bytes[0] == 0);
    EXPECT(inkling_link_next(over->incoming, received.bytes, sizeof received.bytes, &received.count, NULL), INKLING_OK);
    HOLDS(received.count == sent->count && memcmp(received.bytes, sent->bytes, sent->count) == 0);
}

static wire opened(uint32_t transport, uint32_t mtu, uint32_t is_unauthenticated) {
    wire made = {.transport = transport, .mtu = mtu};
    EXPECT(inkling_link_new(transport, is_unauthenticated, &made.incoming), INKLING_OK);
    return made;
}

static packet last_packet(inkling_handle session) {
    packet made = {.count = 0};
    EXPECT(inkling_session_packet(session, made.bytes, sizeof made.bytes, &made.count), INKLING_OK);
    return made;
}

static uint8_t received(inkling_handle session, const packet *sent) {
    uint8_t type = 0;
    inkling_refusal refusal = {.size = sizeof refusal};
    EXPECT(inkling_session_receive(session, sent->bytes, sent->count, &type, &refusal), INKLING_OK);
    return type;
}

/* Both sides after a first contact. */
typedef struct {
    inkling_handle inviter_session, joiner_session;
} meeting;

static meeting meet(const person *ada, const person *bo) {
    const uint16_t tcp = INKLING_TRANSPORT_BIT(INKLING_TRANSPORT_TCP);
    char text[256], shown[20], seen[20];
    size_t needed, attempts_count;
    uint8_t attempts[8 * 32];
    uint32_t is_open = 9;
    inkling_handle invitation, read, inviter, pending_joiner = 0, again, joiner, card;
    inkling_card_facts facts = {.size = sizeof facts};
    inkling_session_facts known = {.size = sizeof known};
    inkling_refusal refusal = {.size = sizeof refusal};
    packet first = {.count = 0}, answer = {.count = 0}, last;
    wire to_ada = opened(INKLING_TRANSPORT_TCP, 0, 1), to_bo = opened(INKLING_TRANSPORT_TCP, 0, 0);
    meeting met;

    EXPECT(inkling_invitation_new(ada->card, tcp, 5, second, &invitation), INKLING_OK);
    EXPECT(inkling_invitation_text(invitation, text, sizeof text, &needed), INKLING_OK);
    EXPECT(inkling_invitation_read_text(text, needed - 1, second + 10, &read, NULL), INKLING_OK);

    EXPECT(inkling_inviter_new(invitation, INKLING_USE_CONFIRM, ada->card, NULL, 0, &inviter), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_inviter_new(invitation, INKLING_USE_FIRST_CONTACT, ada->card, attempts, 31, &inviter), INKLING_WRONG_LENGTH);
    EXPECT(inkling_inviter_new(invitation, INKLING_USE_FIRST_CONTACT, ada->card, NULL, 0, &inviter), INKLING_OK);
    EXPECT(inkling_inviter_is_open(inviter, milliseconds, &is_open), INKLING_OK);
    HOLDS(is_open == 1);
    EXPECT(inkling_inviter_is_open(inviter, milliseconds + 900000, &is_open), INKLING_OK);
    HOLDS(is_open == 0);

    EXPECT(inkling_joiner_new(read, INKLING_USE_FIRST_CONTACT, 0, INKLING_TRANSPORT_TCP, bo->device, &joiner, NULL),
           INKLING_NO_SUCH_HANDLE);
    EXPECT(inkling_joiner_new(read, INKLING_USE_DEVICE_LINK, bo->card, INKLING_TRANSPORT_TCP, bo->device, &joiner, NULL),
           INKLING_OUT_OF_RANGE);
    EXPECT(inkling_joiner_new(read, INKLING_USE_FIRST_CONTACT, bo->card, INKLING_TRANSPORT_TCP, bo->device, &joiner, NULL),
           INKLING_OK);
    EXPECT(inkling_joiner_packet(joiner, first.bytes, sizeof first.bytes, &first.count), INKLING_OK);
    carry(&to_ada, &first);
    EXPECT(inkling_link_trust(to_ada.incoming), INKLING_OK);

    /* The gate does not open for another transport than that of the call. */
    EXPECT(inkling_inviter_receive(inviter, first.bytes, first.count, INKLING_TRANSPORT_GATT, ada->device, responder, 5,
                                milliseconds, &pending_joiner, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "gate") == 0);
    EXPECT(inkling_inviter_receive(inviter, first.bytes, first.count, INKLING_TRANSPORT_TCP, ada->device, inviter, 5, milliseconds,
                                &pending_joiner, &refusal), INKLING_WRONG_KIND);
    EXPECT(inkling_inviter_receive(inviter, first.bytes, first.count, INKLING_TRANSPORT_TCP, ada->device, responder, 5,
                                milliseconds, &pending_joiner, &refusal), INKLING_OK);
    EXPECT(inkling_inviter_attempts(inviter, attempts, sizeof attempts, &attempts_count), INKLING_OK);
    HOLDS(attempts_count == 32);
    EXPECT(inkling_inviter_receive(inviter, first.bytes, first.count, INKLING_TRANSPORT_TCP, ada->device, responder, 5,
                                milliseconds, &again, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "replay") == 0);
    EXPECT(inkling_pending_joiner_packet(pending_joiner, answer.bytes, sizeof answer.bytes, &answer.count), INKLING_OK);
    carry(&to_bo, &answer);

    EXPECT(inkling_joiner_receive(joiner, answer.bytes, answer.count, milliseconds, &met.joiner_session, &refusal), INKLING_OK);
    EXPECT(inkling_joiner_receive(joiner, answer.bytes, answer.count, milliseconds, &again, &refusal), INKLING_SPENT);
    EXPECT(inkling_session_facts_of(met.joiner_session, &known), INKLING_OK);
    HOLDS(known.role == INKLING_ROLE_INITIATOR && known.use == INKLING_USE_FIRST_CONTACT && known.is_confirmed == 0);
    HOLDS(known.introduction.unix_milliseconds == milliseconds && memcmp(known.peer_key, ada->device_public, 32) == 0);
    last = last_packet(met.joiner_session);
    carry(&to_ada, &last);
    EXPECT(inkling_inviter_complete(inviter, pending_joiner, last.bytes, last.count, milliseconds, &met.inviter_session, &refusal), INKLING_OK);
    EXPECT(inkling_inviter_complete(inviter, pending_joiner, last.bytes, last.count, milliseconds, &again, &refusal), INKLING_SPENT);
    EXPECT(inkling_inviter_is_open(inviter, milliseconds, &is_open), INKLING_OK);
    HOLDS(is_open == 0);
    EXPECT(inkling_session_facts_of(met.inviter_session, &known), INKLING_OK);
    HOLDS(known.role == INKLING_ROLE_RESPONDER && known.use == INKLING_USE_FIRST_CONTACT && known.is_confirmed == 1);

    /* Each shows its user the other's name and the same fingerprint. */
    EXPECT(inkling_session_card(met.inviter_session, &card), INKLING_OK);
    EXPECT(inkling_card_facts_of(card, &facts), INKLING_OK);
    HOLDS(strcmp(facts.name, "Bo") == 0 && memcmp(facts.user, bo->keys.user, 16) == 0);
    EXPECT(inkling_free(card), INKLING_OK);
    EXPECT(inkling_session_card(met.joiner_session, &card), INKLING_OK);
    EXPECT(inkling_card_facts_of(card, &facts), INKLING_OK);
    HOLDS(strcmp(facts.name, "Ada") == 0 && memcmp(facts.user, ada->keys.user, 16) == 0);
    EXPECT(inkling_free(card), INKLING_OK);
    EXPECT(inkling_session_fingerprint(met.inviter_session, shown, sizeof shown, &needed), INKLING_OK);
    EXPECT(inkling_session_fingerprint(met.joiner_session, seen, sizeof seen, &needed), INKLING_OK);
    HOLDS(needed == 20 && strcmp(shown, seen) == 0 && shown[4] == ' ');

    /* The invitation after a restart: the stored state says that this joiner has used it. */
    EXPECT(inkling_free(inviter), INKLING_OK);
    EXPECT(inkling_inviter_new(invitation, INKLING_USE_FIRST_CONTACT, ada->card, attempts, attempts_count, &inviter), INKLING_OK);
    EXPECT(inkling_inviter_receive(inviter, first.bytes, first.count, INKLING_TRANSPORT_TCP, ada->device, responder, 6,
                                milliseconds, &again, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "replay") == 0);

    const inkling_handle all[] = {invitation, read, inviter, pending_joiner, joiner, to_ada.incoming, to_bo.incoming};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) EXPECT(inkling_free(all[index]), INKLING_OK);
    return met;
}

/* What both keep after the first contact. */
typedef struct {
    inkling_handle ada_pairwise, bo_pairwise, grant_of_ada;
    uint64_t audience_id;
} bond;

static bond befriend(const person *ada, const person *bo, const meeting *met) {
    bond made = {.audience_id = 77};
    inkling_handle grant;
    inkling_refusal refusal = {.size = sizeof refusal};
    packet sent = {.count = 0};

    /* Each stores the secret and says that it accepts; HELLO follows when both have. */
    EXPECT(inkling_session_pairwise(met->inviter_session, &made.ada_pairwise), INKLING_OK);
    EXPECT(inkling_session_pairwise(met->joiner_session, &made.bo_pairwise), INKLING_OK);
    EXPECT(inkling_session_hello(met->inviter_session, 1, 1, NULL, 0, sent.bytes, sizeof sent.bytes, &sent.count, &refusal),
           INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "accept-expected") == 0);
    EXPECT(inkling_session_seal(met->joiner_session, INKLING_RECORD_ACCEPT, NULL, 0, sent.bytes, sizeof sent.bytes, &sent.count,
                                &refusal), INKLING_OK);
    HOLDS(received(met->inviter_session, &sent) == INKLING_RECORD_ACCEPT);
    EXPECT(inkling_session_seal(met->inviter_session, INKLING_RECORD_ACCEPT, NULL, 0, sent.bytes, sizeof sent.bytes, &sent.count,
                                &refusal), INKLING_OK);
    HOLDS(received(met->joiner_session, &sent) == INKLING_RECORD_ACCEPT);

    EXPECT(inkling_session_hello(met->inviter_session, 1, 1, NULL, 0, sent.bytes, sizeof sent.bytes, &sent.count, NULL),
           INKLING_OK);
    HOLDS(received(met->joiner_session, &sent) == INKLING_RECORD_HELLO);
    EXPECT(inkling_session_hello(met->joiner_session, 1, 1, NULL, 0, sent.bytes, sizeof sent.bytes, &sent.count, NULL),
           INKLING_OK);
    HOLDS(received(met->inviter_session, &sent) == INKLING_RECORD_HELLO);

    EXPECT(inkling_grant_new(ada->roster, made.audience_id, 1, ada->tree, period, period + 99, bo->keys.user, 16, &grant, NULL),
           INKLING_OK);
    EXPECT(inkling_session_seal_grant(met->inviter_session, grant, ada->roster, sent.bytes, sizeof sent.bytes, &sent.count,
                                      NULL), INKLING_OK);
    HOLDS(received(met->joiner_session, &sent) == INKLING_RECORD_GRANT);
    EXPECT(inkling_session_grant(met->joiner_session, ada->keys.identity, 32, bo->keys.user, 16, period, 0, &made.grant_of_ada,
                                 &refusal), INKLING_OK);
    EXPECT(inkling_free(grant), INKLING_OK);
    return made;
}

static const uint8_t *expected_caller;

static inkling_handle pairwise_of(const uint8_t *peer_key, void *user) {
    return memcmp(peer_key, expected_caller, 32) == 0 ? *(const inkling_handle *)user : 0;
}

/* A quarter of an hour later Bo's device hears a beacon, connects over GATT, and they exchange records. */
static void recognise(const person *ada, const person *bo, bond *between) {
    const uint32_t epoch = period * 4 + 1;
    const uint64_t address = 0xaabbccddeeff;
    uint64_t attempt = 0, posterior;
    uint32_t state;
    inkling_clock now = {.size = sizeof now, .tick = 5000, .unix_milliseconds = milliseconds + 900000 + 300000};
    inkling_handle engine, tree, own, seen, call = 0, request, caller, answerer;
    inkling_values values = {.size = sizeof values};
    inkling_effect effect = {.size = sizeof effect};
    inkling_device device = {.size = sizeof device};
    inkling_introduction introduction = {.size = sizeof introduction};
    inkling_session_facts known = {.size = sizeof known};
    inkling_grant_report held = {.size = sizeof held};
    inkling_refusal refusal = {.size = sizeof refusal};
    packet sent = {.count = 0};
    wire to_ada = opened(INKLING_TRANSPORT_GATT, 23, 1), to_bo = opened(INKLING_TRANSPORT_GATT, 517, 0);

    EXPECT(inkling_grant_tree(between->grant_of_ada, &tree), INKLING_OK);
    EXPECT(inkling_engine_new(NULL, &engine), INKLING_OK);
    EXPECT(inkling_engine_add(engine, ada_in_bos_book, NULL, &now), INKLING_OK);
    EXPECT(inkling_engine_hold(engine, ada_in_bos_book, INKLING_AUDIENCE_GRANTED, between->audience_id, 1, tree), INKLING_OK);
    EXPECT(inkling_engine_prepare(engine, epoch, &now), INKLING_OK);
    EXPECT(inkling_tree_values(ada->tree, 0, epoch, &values), INKLING_OK);
    /* An address that is heard repeatedly justifies an attempt. */
    for (int step = 0; step < 50 && call == 0; step++) {
        EXPECT(inkling_engine_next(engine, &effect), INKLING_OK);
        if (effect.kind == INKLING_EFFECT_NONE) {
            now.tick += 1000;
            now.unix_milliseconds += 1000;
            EXPECT(inkling_engine_beacon_heard(engine, values.minor, address, -60, NULL, &now), INKLING_OK);
        } else if (effect.kind == INKLING_EFFECT_CONFIRM) {
            HOLDS(effect.contact == ada_in_bos_book && effect.device == 0 && effect.epoch == epoch);
            HOLDS(effect.address == address && effect.audience_id == between->audience_id);
            attempt = effect.attempt;
            EXPECT(inkling_grant_device(between->grant_of_ada, effect.device, &device), INKLING_OK);
            EXPECT(inkling_context_new(tree, effect.device, effect.epoch, INKLING_TRANSPORT_GATT, &seen), INKLING_OK);
            EXPECT(inkling_call_new(seen, bo->device, device.key, 32, &introduction, &call, NULL), INKLING_OK);
        }
    }
    HOLDS(call != 0);

    EXPECT(inkling_call_packet(call, sent.bytes, sizeof sent.bytes, &sent.count), INKLING_OK);
    carry(&to_ada, &sent);
    expected_caller = bo->device_public;
    EXPECT(inkling_context_new(ada->tree, 0, epoch, INKLING_TRANSPORT_GATT, &own), INKLING_OK);
    EXPECT(inkling_responder_receive(responder, sent.bytes, sent.count, &own, 1, ada->device, 9, pairwise_of,
                                     &between->ada_pairwise, &request, &refusal), INKLING_OK);
    EXPECT(inkling_request_reply(request, &introduction, &answerer, &refusal), INKLING_OK);
    EXPECT(inkling_link_trust(to_ada.incoming), INKLING_OK);
    sent = last_packet(answerer);
    carry(&to_bo, &sent);
    EXPECT(inkling_call_receive(call, sent.bytes, sent.count, between->bo_pairwise, &caller, &refusal), INKLING_OK);
    EXPECT(inkling_session_pairwise(caller, &request), INKLING_UNKNOWN);
    EXPECT(inkling_session_card(caller, &request), INKLING_UNKNOWN);
    EXPECT(inkling_engine_attempt_confirmed(engine, attempt, &now), INKLING_OK);
    EXPECT(inkling_engine_attempt_confirmed(engine, attempt, &now), INKLING_UNKNOWN);
    EXPECT(inkling_engine_state(engine, ada_in_bos_book, &now, &state, &posterior), INKLING_OK);
    HOLDS(state == INKLING_PRESENCE_CONFIRMED);

    /* Bo's HELLO names the grant that he holds, so Ada does not send it again. */
    EXPECT(inkling_session_hello(caller, 1, 1, &between->grant_of_ada, 1, sent.bytes, sizeof sent.bytes, &sent.count, NULL),
           INKLING_OK);
    carry(&to_ada, &sent);
    HOLDS(received(answerer, &sent) == INKLING_RECORD_HELLO);
    EXPECT(inkling_session_grant_report(answerer, 0, &held), INKLING_OK);
    HOLDS(held.audience_id == between->audience_id && held.generation == 1 && held.to_period == period + 99);
    EXPECT(inkling_session_grant_report(answerer, 1, &held), INKLING_UNKNOWN);
    EXPECT(inkling_session_grant_report(answerer, SIZE_MAX, &held), INKLING_UNKNOWN);
    EXPECT(inkling_session_grant_report(caller, 0, &held), INKLING_UNKNOWN);
    EXPECT(inkling_session_hello(answerer, 1, 1, NULL, 0, sent.bytes, sizeof sent.bytes, &sent.count, NULL), INKLING_OK);
    carry(&to_bo, &sent);
    HOLDS(received(caller, &sent) == INKLING_RECORD_HELLO);

    /* A text, and the receipt for it. */
    uint8_t body[INKLING_BODY_LIMIT];
    char text[64];
    size_t count;
    inkling_message head = {.size = sizeof head, .has_text = 1, .number = 7, .id = {9}}, heard = {.size = sizeof heard};
    EXPECT(inkling_message_body(&head, "", 0, body, sizeof body, &count, &refusal), INKLING_REFUSED);
    EXPECT(inkling_message_body(&head, "\xff", 1, body, sizeof body, &count, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "not-utf8") == 0);
    EXPECT(inkling_message_body(&head, "hello", 5, body, sizeof body, &count, &refusal), INKLING_OK);
    EXPECT(inkling_session_seal(caller, INKLING_RECORD_MESSAGE, body, count, sent.bytes, sizeof sent.bytes, &sent.count, NULL),
           INKLING_OK);
    carry(&to_ada, &sent);
    HOLDS(received(answerer, &sent) == INKLING_RECORD_MESSAGE);
    EXPECT(inkling_session_body(answerer, body, sizeof body, &count), INKLING_OK);
    EXPECT(inkling_message_read(body, count, &heard, text, 5, &count, &refusal), INKLING_BUFFER_TOO_SHORT);
    HOLDS(heard.number == 0);
    EXPECT(inkling_message_read(body, 37, &heard, text, sizeof text, &count, &refusal), INKLING_OK);
    HOLDS(heard.number == 7 && heard.has_text == 1 && heard.id[0] == 9 && strcmp(text, "hello") == 0 && count == 6);
    EXPECT(inkling_message_read(body, 32, &heard, text, sizeof text, &count, &refusal), INKLING_OK);
    HOLDS(heard.has_text == 0 && count == 1);
    EXPECT(inkling_message_read(body, 31, &heard, text, sizeof text, &count, &refusal), INKLING_REFUSED);

    const inkling_handle all[] = {engine, tree, own, seen, call, request, caller, answerer, to_ada.incoming, to_bo.incoming};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) EXPECT(inkling_free(all[index]), INKLING_OK);
}

/* A new device of Ada joins: it has no card, and learns its user from the card of the primary device. */
static void link_device(const person *ada) {
    inkling_handle key, invitation, inviter, pending_joiner, joiner, first_session, second_session, card, from_first, from_second;
    uint8_t key_public[32], sealed[256], again[256];
    size_t count, sealed_count;
    inkling_session_facts known = {.size = sizeof known};
    packet sent = {.count = 0};

    EXPECT(inkling_device_key_random(&key), INKLING_OK);
    EXPECT(inkling_device_key_public(key, key_public, 32, &count), INKLING_OK);
    EXPECT(inkling_invitation_new(ada->card, INKLING_TRANSPORT_BIT(INKLING_TRANSPORT_TCP), 1, second, &invitation), INKLING_OK);
    EXPECT(inkling_inviter_new(invitation, INKLING_USE_DEVICE_LINK, ada->card, NULL, 0, &inviter), INKLING_OK);
    EXPECT(inkling_joiner_new(invitation, INKLING_USE_DEVICE_LINK, 0, INKLING_TRANSPORT_TCP, key, &joiner, NULL), INKLING_OK);
    EXPECT(inkling_joiner_packet(joiner, sent.bytes, sizeof sent.bytes, &sent.count), INKLING_OK);
    EXPECT(inkling_inviter_receive(inviter, sent.bytes, sent.count, INKLING_TRANSPORT_TCP, ada->device, responder, 9,
                                milliseconds, &pending_joiner, NULL), INKLING_OK);
    EXPECT(inkling_pending_joiner_packet(pending_joiner, sent.bytes, sizeof sent.bytes, &sent.count), INKLING_OK);
    EXPECT(inkling_joiner_receive(joiner, sent.bytes, sent.count, milliseconds, &second_session, NULL), INKLING_OK);
    sent = last_packet(second_session);
    EXPECT(inkling_inviter_complete(inviter, pending_joiner, sent.bytes, sent.count, milliseconds, &first_session, NULL), INKLING_OK);
    EXPECT(inkling_session_facts_of(first_session, &known), INKLING_OK);
    HOLDS(known.use == INKLING_USE_DEVICE_LINK && memcmp(known.peer_key, key_public, 32) == 0);
    EXPECT(inkling_session_card(first_session, &card), INKLING_UNKNOWN);
    EXPECT(inkling_session_card(second_session, &card), INKLING_OK);
    EXPECT(inkling_session_hello(first_session, 1, 0, NULL, 0, sent.bytes, sizeof sent.bytes, &sent.count, NULL), INKLING_OK);
    HOLDS(received(second_session, &sent) == INKLING_RECORD_HELLO);
    EXPECT(inkling_session_pairwise(first_session, &from_first), INKLING_OK);
    EXPECT(inkling_session_pairwise(second_session, &from_second), INKLING_OK);

    /* The secret can be stored, and is returned in no other way. */
    static const uint8_t storage_key[32] = {3};
    EXPECT(inkling_seal(from_first, storage_key, 32, sealed, sizeof sealed, &sealed_count), INKLING_OK);
    EXPECT(inkling_seal(from_second, storage_key, 32, again, sizeof again, &count), INKLING_OK);
    HOLDS(count == sealed_count && memcmp(sealed, again, count) != 0);
    EXPECT(inkling_seal(first_session, storage_key, 32, again, sizeof again, &count), INKLING_WRONG_KIND);

    const inkling_handle all[] = {key, invitation, inviter, pending_joiner, joiner, first_session, second_session, card, from_first,
                                  from_second};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) EXPECT(inkling_free(all[index]), INKLING_OK);
}

/* Input that cannot belong to the protocol ends a link. */
static void links(void) {
    inkling_handle link;
    inkling_refusal refusal = {.size = sizeof refusal};
    uint64_t deadline = 0;
    size_t needed = 9;
    static uint8_t bytes[1 << 20], out[INKLING_PACKET_LIMIT];

    EXPECT(inkling_link_new(INKLING_TRANSPORT_NAN, 0, &link), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_link_new(INKLING_TRANSPORT_TCP, 2, &link), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_link_bytes(bytes, 1, INKLING_TRANSPORT_TCP, 23, out, sizeof out, &needed, NULL), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_link_bytes(bytes, 1, INKLING_TRANSPORT_GATT, 22, out, sizeof out, &needed, NULL), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_link_bytes(bytes, 1, INKLING_TRANSPORT_GATT, 518, out, sizeof out, &needed, NULL), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_link_bytes(bytes, 1, INKLING_TRANSPORT_GATT, 23, out, sizeof out, &needed, &refusal), INKLING_REFUSED);

    /* TCP: a length that no first message has, and bytes without end. */
    EXPECT(inkling_link_new(INKLING_TRANSPORT_TCP, 1, &link), INKLING_OK);
    bytes[1] = 113;
    EXPECT(inkling_link_take(link, bytes, 1, 0, NULL), INKLING_OK);
    EXPECT(inkling_link_next(link, out, sizeof out, &needed, NULL), INKLING_OK);
    HOLDS(needed == 0);
    EXPECT(inkling_link_take(link, bytes + 1, 1, 0, NULL), INKLING_OK);
    EXPECT(inkling_link_next(link, out, sizeof out, &needed, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "frame") == 0 && strcmp(refusal.reason, "bad-length") == 0);
    EXPECT(inkling_link_next(link, out, sizeof out, &needed, &refusal), INKLING_REFUSED);
    EXPECT(inkling_link_deadline(link, &deadline), INKLING_UNKNOWN);
    EXPECT(inkling_free(link), INKLING_OK);
    EXPECT(inkling_link_new(INKLING_TRANSPORT_TCP, 0, &link), INKLING_OK);
    EXPECT(inkling_link_take(link, bytes, sizeof bytes, 0, NULL), INKLING_OK);
    EXPECT(inkling_link_take(link, bytes, 1, 0, NULL), INKLING_FULL);
    EXPECT(inkling_link_next(link, out, sizeof out, &needed, NULL), INKLING_OK);
    HOLDS(needed == 113);
    EXPECT(inkling_link_take(link, bytes, 1, 0, NULL), INKLING_OK);
    EXPECT(inkling_free(link), INKLING_OK);

    /* GATT: a record from a stranger, a value out of turn, and a packet that takes too long. */
    EXPECT(inkling_link_new(INKLING_TRANSPORT_GATT, 1, &link), INKLING_OK);
    bytes[0] = 0x90;
    EXPECT(inkling_link_take(link, bytes, 20, 0, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "unknown-type") == 0);
    EXPECT(inkling_link_trust(link), INKLING_OK);
    bytes[0] = 0x91;
    EXPECT(inkling_link_take(link, bytes, 20, 1000, &refusal), INKLING_OK);
    EXPECT(inkling_link_deadline(link, &deadline), INKLING_OK);
    HOLDS(deadline == 31000);
    EXPECT(inkling_link_take(link, bytes, 20, 1000, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "bad-sequence") == 0);
    EXPECT(inkling_link_take(link, bytes, 20, 1000, &refusal), INKLING_OK);
    bytes[0] = 0x93;
    EXPECT(inkling_link_take(link, bytes, 20, 31000, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "expired") == 0);
    EXPECT(inkling_link_take(link, bytes, 1, 31000, &refusal), INKLING_REFUSED);
    EXPECT(inkling_link_take(link, NULL, 0, 31000, &refusal), INKLING_REFUSED);
    bytes[0] = 0x10;
    for (int waiting = 0; waiting < 16; waiting++) EXPECT(inkling_link_take(link, bytes, 129, 31000, NULL), INKLING_OK);
    EXPECT(inkling_link_take(link, bytes, 129, 31000, NULL), INKLING_FULL);
    EXPECT(inkling_free(link), INKLING_OK);
}

static void crossings(const person *ada, const person *bo) {
    uint32_t later = 9, other = 9;
    const uint8_t *a = ada->device_public, *b = bo->device_public;
    EXPECT(inkling_session_later_stays(INKLING_ROLE_INITIATOR, INKLING_ROLE_INITIATOR, 1, a, 32, b, 32, &later), INKLING_OK);
    HOLDS(later == 1);
    /* Both sides keep the same one of two crossing attempts. */
    EXPECT(inkling_session_later_stays(INKLING_ROLE_INITIATOR, INKLING_ROLE_RESPONDER, 1, a, 32, b, 32, &later), INKLING_OK);
    EXPECT(inkling_session_later_stays(INKLING_ROLE_RESPONDER, INKLING_ROLE_INITIATOR, 1, b, 32, a, 32, &other), INKLING_OK);
    HOLDS(later == other);
    EXPECT(inkling_session_later_stays(2, INKLING_ROLE_INITIATOR, 1, a, 32, b, 32, &later), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_session_later_stays(0, 0, 1, a, 31, b, 32, &later), INKLING_WRONG_LENGTH);
}

int main(void) {
    uint64_t left = 99;
    person ada = person_named("Ada", 0), bo = person_named("Bo", 0);
    EXPECT(inkling_responder_new(NULL, 0, &responder), INKLING_OK);
    meeting met = meet(&ada, &bo);
    bond between = befriend(&ada, &bo, &met);
    recognise(&ada, &bo, &between);
    link_device(&ada);
    links();
    crossings(&ada, &bo);
    EXPECT(inkling_free(met.inviter_session), INKLING_OK);
    EXPECT(inkling_free(met.joiner_session), INKLING_OK);
    EXPECT(inkling_free(between.ada_pairwise), INKLING_OK);
    EXPECT(inkling_free(between.bo_pairwise), INKLING_OK);
    EXPECT(inkling_free(between.grant_of_ada), INKLING_OK);
    EXPECT(inkling_free(responder), INKLING_OK);
    forget(&ada);
    forget(&bo);
    EXPECT(inkling_handle_count(&left), INKLING_OK);
    HOLDS(left == 0);
    if (failures == 0) puts("two strangers became contacts and met again");
    return failures != 0;
}
