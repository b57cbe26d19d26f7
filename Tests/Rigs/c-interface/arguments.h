/* One object of each kind, and arguments with which every call succeeds; arguments.py replaces one at a time by a wrong
 * value. */

#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "expect.h"

static const uint32_t period = 500000, epoch = 2000001;
static const uint64_t second = 1800000000, milliseconds = 1800000000000;

/* Memory for misaligned pointers, whose content must not change. */
static _Alignas(16) unsigned char room[8192];
#define OFF(type) ((type *)(void *)(room + 1))

static uint8_t thirty_two[32] = {1, 2, 3}, sixteen[16] = {4, 5, 6};
static uint8_t packet[INKLING_PACKET_LIMIT], card_content[2048], sealed[4096], sealed_grant[8192], beacon[31], body[64], receipt_body[34], stream_body[16];
static size_t packet_count, card_count, sealed_count, sealed_grant_count, beacon_count, body_count, receipt_body_count,
    stream_body_count;
static char card_text[4096], invitation_text[256];
static size_t card_text_count, invitation_text_count;
static const char label[] = "00112233445566778899aabbccddeeff";
static const char file[] = "{}";

static inkling_handle identity, device_key, roster, card, invitation, tree, period_key, secret, grant, engine, context, call,
    responder, request, session, answering, inviter, pending_joiner, joiner, link, memory, plan, rotation, delivery;
/* Handles that are no longer valid, and a place to which no call may write a handle. */
static inkling_handle freed, made = 99;

static inkling_clock now;
static inkling_introduction introduction;
static inkling_app app;
static inkling_situation situation;
static inkling_message head;
static inkling_receipt receipt;
/* A refusal of the plan that names a fact. */
static size_t refused;

static inkling_handle pairwise_of(const uint8_t *peer_key, void *user) {
    (void)peer_key;
    return *(const inkling_handle *)user;
}

static void make_session(void) {
    inkling_handle first_request, caller;
    packet_count = 0;
    EXPECT(inkling_context_new(tree, 0, epoch, INKLING_TRANSPORT_TCP, &context), INKLING_OK);
    EXPECT(inkling_responder_new(NULL, 0, &responder), INKLING_OK);
    uint8_t key[32];
    size_t count;
    EXPECT(inkling_device_key_public(device_key, key, 32, &count), INKLING_OK);
    EXPECT(inkling_call_new(context, device_key, key, 32, &introduction, &call, NULL), INKLING_OK);
    EXPECT(inkling_call_packet(call, packet, sizeof packet, &packet_count), INKLING_OK);
    EXPECT(inkling_responder_receive(responder, packet, packet_count, &context, 1, device_key, 5, pairwise_of, &secret,
                                     &first_request, NULL), INKLING_OK);
    EXPECT(inkling_request_reply(first_request, &introduction, &answering, NULL), INKLING_OK);
    EXPECT(inkling_session_packet(answering, packet, sizeof packet, &packet_count), INKLING_OK);
    EXPECT(inkling_call_receive(call, packet, packet_count, secret, &caller, NULL), INKLING_OK);
    EXPECT(inkling_session_hello(caller, 1, 1, NULL, 0, packet, sizeof packet, &packet_count, NULL), INKLING_OK);
    session = answering;
    uint8_t type;
    EXPECT(inkling_session_receive(session, packet, packet_count, &type, NULL), INKLING_OK);
    EXPECT(inkling_session_hello(session, 1, 1, NULL, 0, packet, sizeof packet, &packet_count, NULL), INKLING_OK);
    EXPECT(inkling_free(first_request), INKLING_OK);
    EXPECT(inkling_free(call), INKLING_OK);
    EXPECT(inkling_free(caller), INKLING_OK);
    EXPECT(inkling_call_new(context, device_key, key, 32, &introduction, &call, NULL), INKLING_OK);
    EXPECT(inkling_call_packet(call, packet, sizeof packet, &packet_count), INKLING_OK);
    EXPECT(inkling_responder_receive(responder, packet, packet_count, &context, 1, device_key, 5, pairwise_of, &secret,
                                     &request, NULL), INKLING_OK);
}

static void make_objects(void) {
    size_t count;
    uint8_t key[32], bytes[INKLING_PACKET_LIMIT];
    inkling_identity_keys keys = {.size = sizeof keys};
    now.size = sizeof now;
    now.unix_milliseconds = milliseconds;
    introduction.size = sizeof introduction;
    app.major = 18;
    app.met = INKLING_MET_BLUETOOTH | INKLING_MET_CENTRAL | INKLING_MET_PERIPHERAL | INKLING_MET_ALWAYS |
              INKLING_MET_LOCAL_NETWORK;
    situation.size = sizeof situation;
    situation.relation = INKLING_RELATION_CONFIRMED;
    situation.purpose = INKLING_PURPOSE_MESSAGE;
    situation.own = situation.peer = app;
    situation.has_peer = situation.is_heard = situation.is_on_same_network = 1;

    EXPECT(inkling_memory_new(&freed), INKLING_OK);
    EXPECT(inkling_free(freed), INKLING_OK);
    EXPECT(inkling_identity_random(&identity), INKLING_OK);
    EXPECT(inkling_identity_public(identity, &keys), INKLING_OK);
    EXPECT(inkling_device_key_random(&device_key), INKLING_OK);
    EXPECT(inkling_device_key_public(device_key, key, 32, &count), INKLING_OK);
    EXPECT(inkling_roster_new(identity, &roster), INKLING_OK);
    EXPECT(inkling_roster_add(roster, 0, key, 32, period, period + 100, 1, NULL), INKLING_OK);
    EXPECT(inkling_card_new(roster, 1, "Ada", 3, &card, NULL), INKLING_OK);
    EXPECT(inkling_card_bytes(card, card_content, sizeof card_content, &card_count), INKLING_OK);
    EXPECT(inkling_card_text(card, card_text, sizeof card_text, &card_text_count), INKLING_OK);
    EXPECT(inkling_invitation_new(card, 4, 5, second, &invitation), INKLING_OK);
    EXPECT(inkling_invitation_text(invitation, invitation_text, sizeof invitation_text, &invitation_text_count), INKLING_OK);
    EXPECT(inkling_tree_random(&tree), INKLING_OK);
    EXPECT(inkling_period_key_of_tree(tree, period, &period_key), INKLING_OK);
    EXPECT(inkling_secret_new(thirty_two, 32, &secret), INKLING_OK);
    EXPECT(inkling_seal(tree, thirty_two, 32, sealed, sizeof sealed, &sealed_count), INKLING_OK);
    EXPECT(inkling_grant_new(roster, 77, 1, tree, period, period + 10, keys.user, 16, &grant, NULL), INKLING_OK);
    EXPECT(inkling_grant_seal(grant, roster, device_key, key, 32, secret, sealed_grant, sizeof sealed_grant,
                              &sealed_grant_count, NULL), INKLING_OK);
    EXPECT(inkling_advertisement_of_minor(7, beacon, sizeof beacon, &beacon_count), INKLING_OK);
    EXPECT(inkling_engine_new(NULL, &engine), INKLING_OK);
    EXPECT(inkling_engine_add(engine, 1, NULL, &now), INKLING_OK);
    head.size = sizeof head;
    head.has_text = 1;
    head.number = 7;
    head.id[0] = 9;
    EXPECT(inkling_message_body(&head, "hello", 5, body, sizeof body, &body_count, NULL), INKLING_OK);
    receipt.size = sizeof receipt;
    EXPECT(inkling_receipt_body(&receipt, receipt_body, sizeof receipt_body, &receipt_body_count, NULL), INKLING_OK);
    EXPECT(inkling_stream_body(5, 1, stream_body, sizeof stream_body, &stream_body_count, NULL), INKLING_OK);
    /* A machine of which the last effect has content. */
    inkling_sync_effect effect = {.size = sizeof effect};
    EXPECT(inkling_sync_new(NULL, &delivery), INKLING_OK);
    EXPECT(inkling_sync_take(delivery, INKLING_SYNC_OPENED, 1, 0, &now), INKLING_OK);
    EXPECT(inkling_sync_next(delivery, &effect), INKLING_OK);
    make_session();

    EXPECT(inkling_inviter_new(invitation, INKLING_USE_FIRST_CONTACT, card, NULL, 0, &inviter), INKLING_OK);
    EXPECT(inkling_joiner_new(invitation, INKLING_USE_FIRST_CONTACT, card, INKLING_TRANSPORT_TCP, device_key, &joiner, NULL),
           INKLING_OK);
    EXPECT(inkling_joiner_packet(joiner, bytes, sizeof bytes, &count), INKLING_OK);
    EXPECT(inkling_inviter_receive(inviter, bytes, count, INKLING_TRANSPORT_TCP, device_key, responder, 5, milliseconds, &pending_joiner,
                                NULL), INKLING_OK);
    EXPECT(inkling_link_new(INKLING_TRANSPORT_GATT, 0, &link), INKLING_OK);
    EXPECT(inkling_link_take(link, packet, packet_count, 5, NULL), INKLING_OK);
    EXPECT(inkling_memory_new(&memory), INKLING_OK);
    EXPECT(inkling_plan_new(&situation, 0, 0, &plan), INKLING_OK);
    EXPECT(inkling_rotation_new(NULL, 1, &rotation), INKLING_OK);
    inkling_plan_refusal refusal = {.size = sizeof refusal};
    while (inkling_plan_refusal_at(plan, refused, &refusal) == INKLING_OK && refusal.fact_count == 0) refused++;
}

static inline void free_objects(void) {
    const inkling_handle all[] = {identity, device_key, roster, card, invitation, tree, period_key, secret, grant, engine,
                                  context, call, responder, request, session, inviter, pending_joiner, joiner, link, memory, plan,
                                  rotation, delivery};
    uint64_t left = 99;
    for (size_t index = 0; index < sizeof all / sizeof *all; index++) EXPECT(inkling_free(all[index]), INKLING_OK);
    EXPECT(inkling_handle_count(&left), INKLING_OK);
    HOLDS(left == 0 && made == 99);
}

#endif
