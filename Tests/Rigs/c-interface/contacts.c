/* Two users become contacts through the library: cards, invitations, grants, and what each user derives. */

#include "people.h"

static const uint8_t storage_key[32] = {9};

static void cards(const person *ada) {
    uint8_t bytes[2048];
    char text[4096];
    size_t count = 0, needed = 0;
    inkling_handle card = 0;
    inkling_card_facts facts = {.size = sizeof facts};
    inkling_device device = {.size = sizeof device};
    inkling_refusal refusal = {.size = sizeof refusal};

    EXPECT(inkling_card_bytes(ada->card, NULL, 0, &needed), INKLING_BUFFER_TOO_SHORT);
    EXPECT(inkling_card_bytes(ada->card, bytes, needed - 1, &count), INKLING_BUFFER_TOO_SHORT);
    EXPECT(inkling_card_bytes(ada->card, bytes, needed, &count), INKLING_OK);
    HOLDS(count == needed);
    EXPECT(inkling_card_read(bytes, count, period, &card, &refusal), INKLING_OK);
    EXPECT(inkling_card_facts_of(card, &facts), INKLING_OK);
    HOLDS(strcmp(facts.name, "Ada") == 0 && facts.serial == 1 && facts.generation == 1 && facts.devices == 4);
    HOLDS(memcmp(facts.user, ada->keys.user, 16) == 0 && memcmp(facts.presence, ada->keys.presence, 32) == 0);
    EXPECT(inkling_card_device(card, 2, &device), INKLING_OK);
    HOLDS(device.is_primary == 1 && device.to_period == period + 100 && memcmp(device.key, ada->device_public, 32) == 0);
    EXPECT(inkling_card_device(card, 3, &device), INKLING_UNKNOWN);
    EXPECT(inkling_card_device(card, 16, &device), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_free(card), INKLING_OK);

    /* A card with one wrong byte is refused, and the refusal names the stage. */
    for (size_t index = 0; index < count; index++) {
        bytes[index] ^= 1;
        EXPECT(inkling_card_read(bytes, count, period, &card, &refusal), INKLING_REFUSED);
        HOLDS(refusal.stage[0] != 0 && refusal.reason[0] != 0);
        bytes[index] ^= 1;
    }
    EXPECT(inkling_card_read(bytes, count, period + 101, &card, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "certificates") == 0 && strcmp(refusal.reason, "all-ended") == 0);
    for (size_t length = 0; length < count; length++)
        EXPECT(inkling_card_read(bytes, length, period, &card, NULL), INKLING_REFUSED);

    EXPECT(inkling_card_text(ada->card, text, sizeof text, &needed), INKLING_OK);
    HOLDS(strlen(text) + 1 == needed && strncmp(text, "INKLING:C:", 10) == 0);
    EXPECT(inkling_card_read_text(text, needed - 1, period, &card, NULL), INKLING_OK);
    EXPECT(inkling_free(card), INKLING_OK);
    text[20] = text[20] == 'A' ? 'B' : 'A';
    EXPECT(inkling_card_read_text(text, needed - 1, period, &card, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "check") == 0 && strcmp(refusal.reason, "mismatch") == 0);
    EXPECT(inkling_card_new(ada->roster, 2, "\xff", 1, &card, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "not-utf8") == 0);
    EXPECT(inkling_card_new(ada->roster, 0, "Ada", 3, &card, &refusal), INKLING_REFUSED);
    EXPECT(inkling_roster_add(ada->roster, 2, ada->device_public, 32, period, period, 0, NULL), INKLING_OUT_OF_RANGE);
}

static void invitations(const person *ada) {
    char text[256];
    size_t needed;
    inkling_handle own, read = 0, own_tree, read_tree;
    inkling_invitation_facts facts = {.size = sizeof facts};
    inkling_values shown = {.size = sizeof shown}, seen = {.size = sizeof seen};
    inkling_refusal refusal = {.size = sizeof refusal};
    const uint16_t tcp = INKLING_TRANSPORT_BIT(INKLING_TRANSPORT_TCP);

    EXPECT(inkling_invitation_new(ada->card, 0, 5, second, &own), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_invitation_new(ada->card, tcp, 11, second, &own), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_invitation_new(ada->card, tcp, 5, UINT64_MAX, &own), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_invitation_new(ada->card, tcp, 5, second, &own), INKLING_OK);
    EXPECT(inkling_invitation_text(own, text, sizeof text, &needed), INKLING_OK);
    EXPECT(inkling_invitation_read_text(text, needed - 1, second + 700, &read, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "expiry") == 0 && strcmp(refusal.reason, "ended") == 0);
    EXPECT(inkling_card_read_text(text, needed - 1, period, &read, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "kind") == 0);
    EXPECT(inkling_invitation_read_text(text, needed - 1, second, &read, &refusal), INKLING_OK);
    EXPECT(inkling_invitation_facts_of(read, &facts), INKLING_OK);
    HOLDS(facts.transports == tcp && facts.expiry_minute == second / 60 + 5);
    EXPECT(inkling_invitation_tree(own, &own_tree), INKLING_OK);
    EXPECT(inkling_invitation_tree(read, &read_tree), INKLING_OK);
    EXPECT(inkling_tree_values(own_tree, 0, period * 4, &shown), INKLING_OK);
    EXPECT(inkling_tree_values(read_tree, 0, period * 4, &seen), INKLING_OK);
    HOLDS(memcmp(&shown, &seen, sizeof shown) == 0);
    EXPECT(inkling_free(own), INKLING_OK);
    EXPECT(inkling_free(read), INKLING_OK);
    EXPECT(inkling_free(own_tree), INKLING_OK);
    EXPECT(inkling_free(read_tree), INKLING_OK);
}

static void pairs(const person *ada, const person *bo) {
    inkling_handle shown_tree, seen_tree;
    inkling_values shown = {.size = sizeof shown}, seen = {.size = sizeof seen};
    EXPECT(inkling_identity_tree_of_pair(ada->identity, bo->keys.presence, 32, 1, &shown_tree, NULL), INKLING_OK);
    EXPECT(inkling_identity_tree_of_pair(bo->identity, ada->keys.presence, 32, 0, &seen_tree, NULL), INKLING_OK);
    EXPECT(inkling_tree_values(shown_tree, 2, period * 4, &shown), INKLING_OK);
    EXPECT(inkling_tree_values(seen_tree, 2, period * 4, &seen), INKLING_OK);
    HOLDS(memcmp(&shown, &seen, sizeof shown) == 0);
    EXPECT(inkling_free(shown_tree), INKLING_OK);
    EXPECT(inkling_free(seen_tree), INKLING_OK);
}

static void grants(const person *ada, const person *bo) {
    inkling_handle grant, read, tree, from_ada, from_bo;
    inkling_grant_facts facts = {.size = sizeof facts};
    inkling_device device = {.size = sizeof device};
    inkling_values shown = {.size = sizeof shown}, seen = {.size = sizeof seen};
    inkling_refusal refusal = {.size = sizeof refusal};
    uint8_t sealed[8192];
    size_t count, needed;

    EXPECT(inkling_identity_pairwise(ada->identity, bo->keys.presence, 32, &from_ada, NULL), INKLING_OK);
    EXPECT(inkling_identity_pairwise(bo->identity, ada->keys.presence, 32, &from_bo, NULL), INKLING_OK);
    EXPECT(inkling_grant_new(ada->roster, 77, 1, ada->tree, period, period + 5000, bo->keys.user, 16, &grant, &refusal),
           INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "interval") == 0 && strcmp(refusal.reason, "too-long") == 0);
    EXPECT(inkling_grant_new(ada->roster, 77, 1, ada->tree, period, period + 99, bo->keys.user, 15, &grant, &refusal),
           INKLING_WRONG_LENGTH);
    EXPECT(inkling_grant_new(ada->roster, 77, 1, ada->tree, period, period + 99, bo->keys.user, 16, &grant, &refusal),
           INKLING_OK);
    EXPECT(inkling_grant_seal(grant, bo->roster, bo->device, bo->device_public, 32, from_ada, sealed, sizeof sealed, &count,
                              NULL), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_grant_seal(grant, ada->roster, ada->device, bo->device_public, 32, from_ada, NULL, 0, &needed, NULL),
           INKLING_BUFFER_TOO_SHORT);
    EXPECT(inkling_grant_seal(grant, ada->roster, ada->device, bo->device_public, 32, from_ada, sealed, sizeof sealed,
                              &count, NULL), INKLING_OK);
    HOLDS(count == needed);

    /* Only the device for which the grant was sealed opens it, and only its user can parse it. */
    EXPECT(inkling_grant_unseal(sealed, count, ada->device, ada->device_public, 32, from_bo, ada->keys.identity, 32,
                                bo->keys.user, 16, period, 0, &read, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "sealed-grant") == 0 && strcmp(refusal.reason, "decryption-failed") == 0);
    EXPECT(inkling_grant_unseal(sealed, count, bo->device, ada->device_public, 32, from_bo, ada->keys.identity, 32,
                                ada->keys.user, 16, period, 0, &read, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "grantee") == 0);
    EXPECT(inkling_grant_unseal(sealed, count, bo->device, ada->device_public, 32, from_bo, ada->keys.identity, 32,
                                bo->keys.user, 16, period, 0, &read, &refusal), INKLING_OK);
    EXPECT(inkling_grant_facts_of(read, &facts), INKLING_OK);
    HOLDS(facts.audience_id == 77 && facts.generation == 1 && facts.from_period == period && facts.to_period == period + 99);
    HOLDS(facts.devices == 4 && memcmp(facts.issuer, ada->keys.identity, 32) == 0);
    EXPECT(inkling_grant_device(read, 2, &device), INKLING_OK);
    EXPECT(inkling_grant_tree(read, &tree), INKLING_OK);
    EXPECT(inkling_tree_values(ada->tree, 2, period * 4 + 7, &shown), INKLING_OK);
    EXPECT(inkling_tree_values(tree, 2, period * 4 + 7, &seen), INKLING_OK);
    HOLDS(memcmp(&shown, &seen, sizeof shown) == 0);
    EXPECT(inkling_tree_values(tree, 2, (period + 100) * 4, &seen), INKLING_NOT_HELD);
    EXPECT(inkling_free(tree), INKLING_OK);
    EXPECT(inkling_free(read), INKLING_OK);
    EXPECT(inkling_free(grant), INKLING_OK);
    EXPECT(inkling_free(from_ada), INKLING_OK);
    EXPECT(inkling_free(from_bo), INKLING_OK);
}

/* Stored objects can be read back unchanged. */
static void sealing(const person *ada) {
    uint8_t sealed[4096], other_key[32] = {8};
    size_t count, needed;
    inkling_handle again, part;
    inkling_values shown = {.size = sizeof shown}, seen = {.size = sizeof seen};
    inkling_identity_keys keys = {.size = sizeof keys};
    inkling_refusal refusal = {.size = sizeof refusal};
    uint8_t device_public[32];

    EXPECT(inkling_tree_part(ada->tree, period + 1, period + 1000, &part), INKLING_OK);
    EXPECT(inkling_seal(part, storage_key, 31, sealed, sizeof sealed, &count), INKLING_WRONG_LENGTH);
    EXPECT(inkling_seal(part, storage_key, 32, NULL, 0, &needed), INKLING_BUFFER_TOO_SHORT);
    EXPECT(inkling_seal(part, storage_key, 32, sealed, sizeof sealed, &count), INKLING_OK);
    HOLDS(count == needed);
    EXPECT(inkling_unseal(sealed, count, other_key, 32, &again, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "open") == 0);
    for (size_t index = 0; index < count; index++) {
        sealed[index] ^= 1;
        EXPECT(inkling_unseal(sealed, count, storage_key, 32, &again, NULL), INKLING_REFUSED);
        sealed[index] ^= 1;
        EXPECT(inkling_unseal(sealed, index, storage_key, 32, &again, NULL), INKLING_REFUSED);
    }
    EXPECT(inkling_unseal(sealed, count, storage_key, 32, &again, &refusal), INKLING_OK);
    EXPECT(inkling_tree_values(part, 0, period * 4 + 400, &shown), INKLING_OK);
    EXPECT(inkling_tree_values(again, 0, period * 4 + 400, &seen), INKLING_OK);
    HOLDS(memcmp(&shown, &seen, sizeof shown) == 0);
    EXPECT(inkling_free(again), INKLING_OK);
    EXPECT(inkling_free(part), INKLING_OK);

    EXPECT(inkling_seal(ada->identity, storage_key, 32, sealed, sizeof sealed, &count), INKLING_OK);
    EXPECT(inkling_unseal(sealed, count, storage_key, 32, &again, NULL), INKLING_OK);
    EXPECT(inkling_identity_public(again, &keys), INKLING_OK);
    HOLDS(memcmp(&keys, &ada->keys, sizeof keys) == 0);
    EXPECT(inkling_free(again), INKLING_OK);

    EXPECT(inkling_seal(ada->device, storage_key, 32, sealed, sizeof sealed, &count), INKLING_OK);
    EXPECT(inkling_unseal(sealed, count, storage_key, 32, &again, NULL), INKLING_OK);
    EXPECT(inkling_device_key_public(again, device_public, 32, &count), INKLING_OK);
    HOLDS(memcmp(device_public, ada->device_public, 32) == 0);
    EXPECT(inkling_free(again), INKLING_OK);

    EXPECT(inkling_seal(ada->card, storage_key, 32, sealed, sizeof sealed, &count), INKLING_WRONG_KIND);
    EXPECT(inkling_seal(0, storage_key, 32, sealed, sizeof sealed, &count), INKLING_NO_SUCH_HANDLE);
}

typedef struct {
    inkling_handle responder, pairwise;
    const uint8_t *expected;
    int asked;
} lookup;

static inkling_handle pairwise_of(const uint8_t *peer_key, void *user) {
    lookup *known = user;
    known->asked++;
    /* The responder is in use by the call that asks. */
    EXPECT(inkling_responder_forget(known->responder, 0), INKLING_BUSY);
    EXPECT(inkling_free(known->responder), INKLING_BUSY);
    return memcmp(peer_key, known->expected, 32) == 0 ? known->pairwise : 0;
}

static void handshake(const person *ada, const person *bo) {
    const uint32_t epoch = period * 4 + 1;
    inkling_handle own, seen, from_ada, from_bo, call, request = 0, caller, answerer, grant, read, again;
    inkling_introduction introduction = {.size = sizeof introduction, .unix_milliseconds = second * 1000, .transports = 4};
    inkling_request_facts asked = {.size = sizeof asked};
    inkling_session_facts facts = {.size = sizeof facts};
    inkling_refusal refusal = {.size = sizeof refusal};
    uint8_t packet[INKLING_PACKET_LIMIT], body[INKLING_BODY_LIMIT], type = 0;
    static uint8_t huge[INKLING_BODY_LIMIT + 1];
    size_t count, needed;

    EXPECT(inkling_identity_pairwise(ada->identity, bo->keys.presence, 32, &from_ada, NULL), INKLING_OK);
    EXPECT(inkling_identity_pairwise(bo->identity, ada->keys.presence, 32, &from_bo, NULL), INKLING_OK);
    EXPECT(inkling_context_new(ada->tree, 2, epoch, 1, &own), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_context_new(ada->tree, 2, epoch, UINT32_MAX, &own), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_context_new(ada->tree, 2, epoch, INKLING_TRANSPORT_TCP, &own), INKLING_OK);
    EXPECT(inkling_context_new(ada->tree, 2, epoch, INKLING_TRANSPORT_TCP, &seen), INKLING_OK);

    lookup known = {.pairwise = from_ada, .expected = bo->device_public};
    EXPECT(inkling_responder_new(NULL, 1, &known.responder), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_responder_new(NULL, 0, &known.responder), INKLING_OK);

    EXPECT(inkling_call_new(seen, bo->device, ada->device_public, 32, NULL, &call, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_call_new(seen, bo->device, ada->device_public, 32, &introduction, &call, &refusal), INKLING_OK);
    EXPECT(inkling_call_packet(call, packet, sizeof packet, &count), INKLING_OK);

    EXPECT(inkling_responder_receive(known.responder, packet, count, NULL, 0, ada->device, 5, pairwise_of, &known, &request,
                                     &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "gate") == 0);
    EXPECT(inkling_responder_receive(known.responder, packet, count, &own, 65, ada->device, 5, pairwise_of, &known, &request,
                                     &refusal), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_responder_receive(known.responder, packet, count, &own, 1, ada->device, 5, NULL, &known, &request,
                                     &refusal), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_responder_receive(known.responder, packet, count - 1, &own, 1, ada->device, 5, pairwise_of, &known,
                                     &request, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "packet") == 0 && known.asked == 0);
    EXPECT(inkling_responder_receive(known.responder, packet, count, &own, 1, ada->device, 5, pairwise_of, &known, &request,
                                     &refusal), INKLING_OK);
    HOLDS(known.asked == 1);
    EXPECT(inkling_request_facts_of(request, &asked), INKLING_OK);
    HOLDS(asked.entry.epoch == epoch && asked.transport == INKLING_TRANSPORT_TCP && asked.device == 2);
    HOLDS(asked.introduction.transports == 4 && memcmp(asked.peer_key, bo->device_public, 32) == 0);

    /* The same call again is a replay, in this run and in the next one. */
    EXPECT(inkling_responder_receive(known.responder, packet, count, &own, 1, ada->device, 6, pairwise_of, &known, &again,
                                     &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "replay") == 0);
    EXPECT(inkling_free(known.responder), INKLING_OK);
    EXPECT(inkling_responder_new(&asked.entry, 1, &known.responder), INKLING_OK);
    EXPECT(inkling_responder_receive(known.responder, packet, count, &own, 1, ada->device, 6, pairwise_of, &known, &again,
                                     &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "replay") == 0);

    EXPECT(inkling_request_reply(request, &introduction, &answerer, &refusal), INKLING_OK);
    EXPECT(inkling_request_reply(request, &introduction, &answerer, &refusal), INKLING_SPENT);
    EXPECT(inkling_session_packet(answerer, packet, sizeof packet, &count), INKLING_OK);
    EXPECT(inkling_session_facts_of(answerer, &facts), INKLING_OK);
    HOLDS(facts.role == INKLING_ROLE_RESPONDER && facts.is_confirmed == 0 && facts.is_ended == 0);
    EXPECT(inkling_session_hello(answerer, 1, 0, NULL, 0, packet, sizeof packet, &needed, NULL), INKLING_SPENT);
    EXPECT(inkling_session_packet(answerer, packet, sizeof packet, &count), INKLING_OK);
    EXPECT(inkling_call_receive(call, packet, count, from_bo, &caller, &refusal), INKLING_OK);
    EXPECT(inkling_call_receive(call, packet, count, from_bo, &caller, &refusal), INKLING_SPENT);
    EXPECT(inkling_session_packet(caller, packet, sizeof packet, &count), INKLING_UNKNOWN);

    /* HELLO comes first; a buffer that is too short loses nothing. */
    EXPECT(inkling_session_seal(caller, INKLING_RECORD_CLOSE, NULL, 0, packet, sizeof packet, &count, &refusal),
           INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "hello-expected") == 0);
    EXPECT(inkling_session_hello(caller, 0, 0, NULL, 0, packet, sizeof packet, &count, &refusal), INKLING_REFUSED);
    EXPECT(inkling_session_hello(caller, 3, 1, NULL, 0, NULL, 0, &needed, &refusal), INKLING_BUFFER_TOO_SHORT);
    EXPECT(inkling_session_hello(caller, 3, 1, NULL, 0, packet, sizeof packet, &count, &refusal), INKLING_OK);
    HOLDS(count == needed);
    EXPECT(inkling_session_receive(answerer, packet, count, &type, &refusal), INKLING_OK);
    HOLDS(type == INKLING_RECORD_HELLO);
    EXPECT(inkling_session_facts_of(answerer, &facts), INKLING_OK);
    HOLDS(facts.is_confirmed == 1 && facts.has_hello == 1 && facts.own_serial == 3 && facts.peer_serial == 1);
    EXPECT(inkling_session_body(answerer, body, sizeof body, &count), INKLING_OK);
    HOLDS(count == 9);

    /* Ada, the responder, gives a grant; its keys are never returned as bytes. */
    EXPECT(inkling_session_hello(answerer, 1, 3, NULL, 0, packet, sizeof packet, &count, &refusal), INKLING_OK);
    EXPECT(inkling_session_receive(caller, packet, count, &type, &refusal), INKLING_OK);
    EXPECT(inkling_grant_new(ada->roster, 77, 1, ada->tree, period, period + 99, bo->keys.user, 16, &grant, NULL), INKLING_OK);
    EXPECT(inkling_session_seal_grant(answerer, grant, ada->roster, NULL, 0, &needed, NULL), INKLING_BUFFER_TOO_SHORT);
    EXPECT(inkling_session_seal_grant(answerer, grant, ada->roster, packet, needed, &count, NULL), INKLING_OK);
    EXPECT(inkling_session_receive(caller, packet, count, &type, &refusal), INKLING_OK);
    HOLDS(type == INKLING_RECORD_GRANT);
    EXPECT(inkling_session_body(caller, body, sizeof body, &count), INKLING_WRONG_KIND);
    EXPECT(inkling_session_grant(caller, ada->keys.identity, 32, bo->keys.user, 16, period, 0, &read, &refusal), INKLING_OK);
    EXPECT(inkling_session_grant(caller, ada->keys.identity, 32, bo->keys.user, 16, period, 2, &again, &refusal),
           INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "generation") == 0 && strcmp(refusal.reason, "older") == 0);

    EXPECT(inkling_session_seal(caller, 0x20, huge, sizeof huge, packet, sizeof packet, &count, &refusal), INKLING_REFUSED);
    EXPECT(inkling_session_seal(caller, 0x20, huge, INKLING_BODY_LIMIT, packet, sizeof packet, &count, &refusal), INKLING_OK);
    EXPECT(inkling_session_receive(answerer, packet, count, &type, &refusal), INKLING_OK);
    EXPECT(inkling_session_body(answerer, body, sizeof body, &count), INKLING_OK);
    HOLDS(type == 0x20 && count == INKLING_BODY_LIMIT);

    /* A repeated packet ends the session. */
    EXPECT(inkling_session_seal(caller, INKLING_RECORD_CLOSE, NULL, 0, packet, sizeof packet, &count, &refusal), INKLING_OK);
    EXPECT(inkling_session_receive(answerer, packet, count, &type, &refusal), INKLING_OK);
    EXPECT(inkling_session_receive(answerer, packet, count, &type, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.stage, "open") == 0 && strcmp(refusal.reason, "decryption-failed") == 0);
    EXPECT(inkling_session_facts_of(answerer, &facts), INKLING_OK);
    HOLDS(facts.is_ended == 1);
    EXPECT(inkling_session_receive(answerer, packet, count, &type, &refusal), INKLING_REFUSED);
    HOLDS(strcmp(refusal.reason, "ended") == 0);
    EXPECT(inkling_session_end(caller), INKLING_OK);
    EXPECT(inkling_session_end(caller), INKLING_OK);
    EXPECT(inkling_session_body(caller, body, sizeof body, &count), INKLING_UNKNOWN);

    const inkling_handle all[] = {own, seen, from_ada, from_bo, call, request, caller, answerer, grant, read, known.responder};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) EXPECT(inkling_free(all[index]), INKLING_OK);
}

/* A source of consecutive numbers in place of random ones. */
static void count_up(uint8_t *out, size_t count, void *user) {
    uint32_t *next = user;
    for (size_t index = 0; index < count; index++) out[index] = (uint8_t)(*next)++;
}

static void draw(uint8_t *device_public, uint8_t *sealed) {
    size_t count;
    inkling_handle key;
    EXPECT(inkling_device_key_random(&key), INKLING_OK);
    EXPECT(inkling_device_key_public(key, device_public, 32, &count), INKLING_OK);
    EXPECT(inkling_seal(key, storage_key, 32, sealed, 128, &count), INKLING_OK);
    EXPECT(inkling_free(key), INKLING_OK);
}

/* A program with its own source of randomness can repeat a run. */
static void randomness(void) {
    uint32_t next = 0;
    uint8_t key[32], again_key[32], sealed[128] = {0}, again_sealed[128] = {0};
    EXPECT(inkling_use_randomness(count_up, &next), INKLING_OK);
    draw(key, sealed);
    const uint32_t drawn = next;
    HOLDS(drawn >= 32 + 24);
    next = 0;
    draw(again_key, again_sealed);
    HOLDS(next == drawn && memcmp(key, again_key, 32) == 0 && memcmp(sealed, again_sealed, sizeof sealed) == 0);
    EXPECT(inkling_use_randomness(NULL, NULL), INKLING_OK);
    draw(again_key, again_sealed);
    HOLDS(next == drawn && memcmp(key, again_key, 32) != 0);
}

int main(void) {
    uint64_t left = 99;
    person ada = person_named("Ada", 2), bo = person_named("Bo", 2);
    cards(&ada);
    invitations(&ada);
    pairs(&ada, &bo);
    grants(&ada, &bo);
    sealing(&ada);
    randomness();
    handshake(&ada, &bo);
    forget(&ada);
    forget(&bo);
    EXPECT(inkling_handle_count(&left), INKLING_OK);
    HOLDS(left == 0);
    if (failures == 0) puts("each user can read what the other gives");
    return failures != 0;
}
