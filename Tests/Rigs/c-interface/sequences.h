/* Calls on any objects in any order; sequences.py adds the calls. A seed determines the sequence. */

#ifndef SEQUENCES_H
#define SEQUENCES_H

#include "arguments.h"

#include <signal.h>

/* The number of handles of each kind, and of outputs, that are remembered. */
#define DEPTH 8
/* The default number of calls in a sequence. */
#define MANY 300000
/* The most bytes of one argument. */
#define ROOM 4096
/* The most arguments of a call. */
#define MOST 16
/* The guard bytes after a buffer, which no call may write. */
#define BEYOND 64
/* The number of calls before everything is freed and created again. Each round makes only some of the calls, so that these
 * often use the same objects: half of the time, calls that are neighbours in the header. */
#define ROUND 4000
/* Data that one call writes and another reads. */
enum { PACKETS, OTHERS, DRAWERS };

typedef struct {
    const char *name;
    inkling_status (*make)(void);
    /* The number of times that each status was returned. */
    uint64_t came[INKLING_SPENT + 1];
} one_call;

static uint64_t state;
static const char *current = "nothing";
static inkling_handle pool[KINDS][DEPTH];
static inkling_handle given[2 * ROUND];
static size_t given_count;
static _Alignas(16) uint8_t inputs[MOST][ROOM], outputs[32768], recent[DRAWERS][DEPTH][ROOM];
static size_t input_counts[MOST], recent_counts[DRAWERS][DEPTH], newest[DRAWERS], newest_of[KINDS];
/* Those of the identity and the device in arguments.h. */
static uint8_t identity_key[32], device_public[32];
/* What the tree of arguments.h shows. */
static char shown_label[33];
static uint16_t shown_minor;
static const char vectors[] =
    "{\"schema\":\"schema/epoch.schema.json\",\"specification\":\"s\",\"operation\":\"epoch\",\"description\":\"d\","
    "\"caseCount\":1,\"notes\":{},\"cases\":[{\"id\":\"a\",\"comment\":\"\",\"flags\":[],\"requirements\":[],"
    "\"args\":{\"unixSeconds\":900},\"result\":{\"epoch\":1,\"period\":0}}]}";

/* SplitMix64, for which every seed is equally good. */
static uint64_t chance(void) {
    uint64_t mixed = state += UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static uint64_t below(uint64_t limit) { return chance() % limit; }

static void fill(uint8_t *out, size_t count, void *user) {
    (void)user;
    for (size_t at = 0; at < count; at++) out[at] = (uint8_t)chance();
}

/* Mostly the right number, or another small number if it is small; otherwise a number near it, or at the end of a range. */
static uint64_t number(uint64_t right) {
    switch (below(12)) {
    case 0: return right + below(7) - 3;
    case 1:
    case 2: return below(20);
    case 3: return (UINT64_C(1) << below(64)) + below(3) - 1;
    case 4: return UINT64_MAX;
    case 5: return chance();
    default: return right < 16 && below(3) == 0 ? below(16) : right;
    }
}

/* Mostly an object of the right kind; otherwise an object of any kind, or none. */
static inkling_handle any(int kind) {
    if (below(40) == 0) return pool[below(KINDS)][below(DEPTH)];
    if (below(60) == 0) return number(pool[kind][0]);
    return pool[kind][below(3) == 0 ? newest_of[kind] : below(DEPTH)];
}

static void keep(int kind, inkling_handle object) {
    pool[kind][newest_of[kind] = below(DEPTH)] = object;
    given[given_count++] = object;
}

/* The first object of its kind. */
static void begin_with(int kind, inkling_handle object) {
    for (size_t at = 0; at < DEPTH; at++) pool[kind][at] = object;
    given[given_count++] = object;
}

static inkling_handle some_pairwise(const uint8_t *peer_key, void *user) {
    (void)peer_key;
    (void)user;
    return any(KIND_secret);
}

/* Bytes for an argument: the right ones, those of a recent output, or random ones; some are changed or left out. */
static void *bytes(size_t place, const void *right, size_t right_count, size_t element, int drawer) {
    uint8_t *out = inputs[place];
    size_t count = right_count * element, source = below(2) == 0 ? newest[drawer] : below(DEPTH);
    if (right == thirty_two && below(2) == 0) right = below(2) == 0 ? identity_key : device_public;
    if (element == 1 && below(drawer == PACKETS ? 2 : 4) == 0) {
        memcpy(out, recent[drawer][source], count = recent_counts[drawer][source]);
    } else if (below(12) == 0) {
        fill(out, count = below(400) * element, NULL);
    } else {
        memcpy(out, right, count);
    }
    if (count > 0 && below(12) == 0) out[below(count)] = (uint8_t)chance();
    if (count > 0 && below(drawer == PACKETS ? 6 : 16) == 0) count = below(count + 1);
    input_counts[place] = count / element;
    return out;
}

/* Several objects of one kind. */
static inkling_handle *objects(size_t place, int kind) {
    inkling_handle *out = (inkling_handle *)(void *)inputs[place];
    input_counts[place] = below(5);
    for (size_t at = 0; at < input_counts[place]; at++) out[at] = any(kind);
    return out;
}

/* A structure: the right one, or zeros; some of its words are changed. */
static void *structure(size_t place, const void *right, size_t size, int is_sized) {
    uint8_t *out = inputs[place];
    memset(out, 0, size);
    if (right != NULL) memcpy(out, right, size);
    for (uint64_t changes = below(4); changes > 0; changes--) {
        const size_t width = size >= 8 && below(2) ? 8 : 4, at = below(size / width) * width;
        const uint64_t value = number(below(3));
        memcpy(out + at, &value, width);
    }
    const uint32_t said = (uint32_t)size;
    if (is_sized && below(30) != 0) memcpy(out, &said, sizeof said);
    return out;
}

static void *perhaps(void *pointer) { return below(3) == 0 ? NULL : pointer; }

/* A little later than before; in some rounds sometimes near the largest tick. */
static uint64_t passed;
static int is_time_sane;

static inkling_clock *clocks(size_t place) {
    inkling_clock *out = (inkling_clock *)(void *)inputs[place];
    passed += below(500);
    *out = (inkling_clock){.size = sizeof *out, .tick = passed, .unix_milliseconds = milliseconds + passed};
    if (is_time_sane) return out;
    if (below(25) == 0) out->tick = number(passed);
    if (below(25) == 0) out->unix_milliseconds = number(milliseconds);
    if (below(25) == 0) out->rate = (uint32_t)number(1);
    return out;
}

/* The part of `outputs` that a call may write. */
static size_t capacity(void) {
    const size_t room_for = below(12) == 0 ? below(300) : sizeof outputs - BEYOND;
    memset(outputs + room_for, 0xee, BEYOND);
    return room_for;
}

/* Another call may read what this call has written. */
static void remember(inkling_status came, int drawer, size_t count, size_t room_for) {
    for (size_t at = 0; at < BEYOND; at++) HOLDS(outputs[room_for + at] == 0xee);
    const size_t place = newest[drawer] = below(DEPTH);
    if (came != INKLING_OK || count > ROOM) return;
    memcpy(recent[drawer][place], outputs, count);
    recent_counts[drawer][place] = count;
}

/* Two sessions that are connected with each other; the session in arguments.h has no peer. */
static void begin_meeting(size_t place) {
    inkling_handle first_call, first_request, first_responder, caller, answerer;
    size_t count;
    EXPECT(inkling_call_new(context, device_key, device_public, 32, &introduction, &first_call, NULL), INKLING_OK);
    EXPECT(inkling_call_packet(first_call, outputs, sizeof outputs, &count), INKLING_OK);
    EXPECT(inkling_responder_new(NULL, 0, &first_responder), INKLING_OK);
    EXPECT(inkling_responder_receive(first_responder, outputs, count, &context, 1, device_key, 5, pairwise_of, &secret,
                                     &first_request, NULL), INKLING_OK);
    EXPECT(inkling_request_reply(first_request, &introduction, &answerer, NULL), INKLING_OK);
    EXPECT(inkling_session_packet(answerer, outputs, sizeof outputs, &count), INKLING_OK);
    EXPECT(inkling_call_receive(first_call, outputs, count, secret, &caller, NULL), INKLING_OK);
    EXPECT(inkling_free(first_request), INKLING_OK);
    EXPECT(inkling_free(first_responder), INKLING_OK);
    EXPECT(inkling_free(first_call), INKLING_OK);
    pool[KIND_session][place] = given[given_count++] = caller;
    pool[KIND_session][place + 1] = given[given_count++] = answerer;
}

/* The invitation in arguments.h is used, so that two more sessions are connected and each has a card. */
static void begin_first_contact(size_t place) {
    inkling_handle joined, invited;
    size_t count;
    EXPECT(inkling_pending_joiner_packet(pending_joiner, outputs, sizeof outputs, &count), INKLING_OK);
    EXPECT(inkling_joiner_receive(joiner, outputs, count, milliseconds, &joined, NULL), INKLING_OK);
    EXPECT(inkling_session_packet(joined, outputs, sizeof outputs, &count), INKLING_OK);
    EXPECT(inkling_inviter_complete(inviter, pending_joiner, outputs, count, milliseconds, &invited, NULL), INKLING_OK);
    /* Half of the pairs have accepted each other. */
    if (below(2) == 0) {
        uint8_t type;
        const inkling_handle ends[] = {joined, invited};
        for (size_t end = 0; end < 2; end++) {
            EXPECT(inkling_session_seal(ends[end], INKLING_RECORD_ACCEPT, NULL, 0, outputs, sizeof outputs, &count, NULL), INKLING_OK);
            EXPECT(inkling_session_receive(ends[1 - end], outputs, count, &type, NULL), INKLING_OK);
        }
    }
    pool[KIND_session][place] = given[given_count++] = joined;
    pool[KIND_session][place + 1] = given[given_count++] = invited;
}

/* A sequence that chance would hardly ever produce: a record of one session arrives at the other. */
static inkling_status any_record_that_arrives(void) {
    const size_t place = below(DEPTH);
    const inkling_handle from = pool[KIND_session][place], to = pool[KIND_session][place ^ 1];
    const inkling_handle grants[] = {any(KIND_grant)};
    size_t count = 0;
    uint8_t type;
    inkling_status came;
    switch (below(4)) {
    case 0: came = inkling_session_hello(from, 1, 1, grants, 1, outputs, sizeof outputs, &count, NULL); break;
    case 1: came = inkling_session_seal_grant(from, any(KIND_grant), any(KIND_roster), outputs, sizeof outputs, &count, NULL); break;
    case 2: came = inkling_session_seal(from, 8, body, body_count, outputs, sizeof outputs, &count, NULL); break;
    default: came = inkling_session_seal(from, 4, body, body_count, outputs, sizeof outputs, &count, NULL);
    }
    return came != INKLING_OK ? came : inkling_session_receive(to, outputs, count, &type, NULL);
}

#ifdef PLANTED_TRAP
static inkling_status any_planted(void) { return below(1000) == 0 ? (__builtin_trap(), INKLING_OK) : INKLING_OK; }
#elif defined PLANTED_LEAK
static inkling_status any_planted(void) { inkling_handle lost; return inkling_memory_new(&lost); }
#endif

static void begin_with_objects(void);

static void begin(void) {
    inkling_identity_keys keys = {.size = sizeof keys};
    size_t count;
    make_objects();
    begin_with_objects();
    EXPECT(inkling_identity_public(identity, &keys), INKLING_OK);
    EXPECT(inkling_device_key_public(device_key, device_public, 32, &count), INKLING_OK);
    memcpy(identity_key, keys.identity, 32);
    memcpy(sixteen, keys.user, 16);
    memset(recent_counts, 0, sizeof recent_counts);
    inkling_values values = {.size = sizeof values};
    EXPECT(inkling_tree_values(tree, 0, (uint32_t)(milliseconds / 900000), &values), INKLING_OK);
    shown_minor = values.minor;
    memcpy(shown_label, values.name_text, sizeof shown_label);
    for (size_t place = 0; place + 1 < DEPTH; place += 2) begin_meeting(place);
    if (below(2) == 0) begin_first_contact(0);
    passed = 0;
    is_time_sane = below(2) == 0;
}

static void forget_all(void) {
    uint64_t left = 99;
    for (size_t at = 0; at < given_count; at++) inkling_free(given[at]);
    given_count = 0;
    memset(pool, 0, sizeof pool);
    EXPECT(inkling_handle_count(&left), INKLING_OK);
    HOLDS(left == 0);
}

static uint64_t seed, calls_made;

/* Before the process ends, reports which sequence caused it. */
static void died(int signal) {
    fprintf(stderr, "seed %llu: signal %d in call %llu, %s\n", (unsigned long long)seed, signal,
            (unsigned long long)calls_made, current);
    _Exit(70);
}

static int run_sequence(one_call *calls, size_t count, const char *only_in_order, int argument_count, char **arguments) {
    size_t chosen_calls[48], chosen_count = 1;
    seed = argument_count > 1 ? strtoull(arguments[1], NULL, 10) : 1;
    const uint64_t limit = argument_count > 2 ? strtoull(arguments[2], NULL, 10) : MANY;
    const int fatal[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE};
    for (size_t at = 0; at < sizeof fatal / sizeof *fatal; at++) signal(fatal[at], died);
    state = seed;
    EXPECT(inkling_use_randomness(fill, NULL), INKLING_OK);
    for (; calls_made < limit && failures == 0; calls_made++) {
        if (calls_made % ROUND == 0) {
            forget_all();
            begin();
            chosen_count = 4 + below(sizeof chosen_calls / sizeof *chosen_calls - 4);
            const uint64_t together = below(2), first = below(count);
            for (size_t at = 0; at < chosen_count; at++) chosen_calls[at] = together ? (first + at) % count : below(count);
        }
        one_call *chosen = &calls[chosen_calls[below(chosen_count)]];
        current = chosen->name;
        const inkling_status came = chosen->make();
        HOLDS(came >= INKLING_OK && came <= INKLING_SPENT);
        if (failures == 0) chosen->came[came]++;
    }
    forget_all();
    size_t idle = 0;
    for (size_t at = 0; at < count && calls_made == limit; at++) {
        if (calls[at].came[INKLING_OK] > 0 || strstr(only_in_order, calls[at].name) != NULL) continue;
        printf("%s never succeeded; its statuses by number:", calls[at].name);
        for (size_t status = 0; status <= INKLING_SPENT; status++)
            printf(" %llu", (unsigned long long)calls[at].came[status]);
        puts("");
        idle++;
    }
    /* Chance decides whether a call finds what it needs; only few calls may never succeed. */
    HOLDS(limit < MANY || idle * 10 <= count);
    if (failures > 0) fprintf(stderr, "seed %llu, at call %llu, %s\n", (unsigned long long)seed, (unsigned long long)calls_made, current);
    else printf("%llu calls in any order returned a status, seed %llu\n", (unsigned long long)calls_made, (unsigned long long)seed);
    return failures != 0;
}

#endif
