/* Facts about platforms, plans of transports, and the vector files that the arguments name. */

#include "expect.h"

#include <stdlib.h>

static inkling_app iphone(uint8_t state) {
    inkling_app app = {.major = 18, .minor = 2, .family = INKLING_FAMILY_IOS, .state = state};
    app.met = INKLING_MET_BLUETOOTH | INKLING_MET_CENTRAL | INKLING_MET_PERIPHERAL | INKLING_MET_ALWAYS;
    return app;
}

static void profiles(void) {
    inkling_app app = iphone(INKLING_STATE_FOREGROUND);
    inkling_profile profile = {.size = sizeof profile};
    char fact[64];
    size_t needed;
    EXPECT(inkling_profile_of(&app, INKLING_SUBJECT_ADVERTISE, &profile), INKLING_OK);
    HOLDS(profile.promise == INKLING_PROMISE_YES && profile.fact_count > 0);
    EXPECT(inkling_profile_fact(&app, INKLING_SUBJECT_ADVERTISE, 0, fact, sizeof fact, &needed), INKLING_OK);
    HOLDS(strlen(fact) + 1 == needed);
    EXPECT(inkling_profile_fact(&app, INKLING_SUBJECT_ADVERTISE, profile.fact_count, fact, 64, &needed), INKLING_UNKNOWN);
    EXPECT(inkling_profile_fact(&app, INKLING_SUBJECT_ADVERTISE, SIZE_MAX, fact, 64, &needed), INKLING_UNKNOWN);
    app.state = INKLING_STATE_BACKGROUND;
    EXPECT(inkling_profile_of(&app, INKLING_SUBJECT_ADVERTISE, &profile), INKLING_OK);
    HOLDS(profile.promise == INKLING_PROMISE_OVERFLOW);
    EXPECT(inkling_profile_of(&app, INKLING_SUBJECT_AWDL_RANGE + 1, &profile), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_profile_of(&app, UINT32_MAX, &profile), INKLING_OUT_OF_RANGE);
    EXPECT(inkling_profile_of(NULL, INKLING_SUBJECT_ADVERTISE, &profile), INKLING_NULL_ARGUMENT);
    app.state = 7;
    EXPECT(inkling_profile_of(&app, INKLING_SUBJECT_ADVERTISE, &profile), INKLING_OUT_OF_RANGE);
    app = iphone(0);
    app.traits = 0x20;
    EXPECT(inkling_profile_of(&app, INKLING_SUBJECT_ADVERTISE, &profile), INKLING_OUT_OF_RANGE);
}

static void plans(void) {
    inkling_situation situation = {.size = sizeof situation, .relation = INKLING_RELATION_CONFIRMED};
    inkling_plan_step step = {.size = sizeof step};
    inkling_plan_refusal refusal = {.size = sizeof refusal};
    inkling_handle memory = 0, plan = 0;
    char fact[64];
    size_t needed;

    situation.purpose = INKLING_PURPOSE_MESSAGE;
    situation.own = situation.peer = iphone(INKLING_STATE_FOREGROUND);
    situation.own.met |= INKLING_MET_LOCAL_NETWORK;
    situation.peer.met |= INKLING_MET_LOCAL_NETWORK;
    situation.has_peer = situation.is_heard = situation.is_on_same_network = 1;
    situation.payload = 1000;
    EXPECT(inkling_plan_new(&situation, 0, 0, &plan), INKLING_OK);
    EXPECT(inkling_plan_step_at(plan, 0, &step), INKLING_OK);
    const uint32_t best = step.transport;
    HOLDS(step.fact_count > 0 && step.completes > 0);
    EXPECT(inkling_plan_step_fact(plan, 0, 0, fact, sizeof fact, &needed), INKLING_OK);
    EXPECT(inkling_plan_step_at(plan, 11, &step), INKLING_UNKNOWN);
    EXPECT(inkling_plan_step_at(plan, SIZE_MAX, &step), INKLING_UNKNOWN);
    EXPECT(inkling_plan_wait(plan, &refusal), INKLING_UNKNOWN);
    EXPECT(inkling_plan_refusal_at(plan, 0, &refusal), INKLING_OK);
    HOLDS(refusal.number >= 1 && refusal.number <= 17 && refusal.reason[0] != 0);
    EXPECT(inkling_free(plan), INKLING_OK);

    /* A transport that has just failed is not the first choice. */
    EXPECT(inkling_memory_new(&memory), INKLING_OK);
    EXPECT(inkling_memory_failed(memory, 11, 1000), INKLING_OUT_OF_RANGE);
    for (int failure = 0; failure < 300; failure++) EXPECT(inkling_memory_failed(memory, best, 1000), INKLING_OK);
    EXPECT(inkling_plan_new(&situation, memory, 1001, &plan), INKLING_OK);
    EXPECT(inkling_plan_step_at(plan, 0, &step), INKLING_OK);
    HOLDS(step.transport != best);
    EXPECT(inkling_free(plan), INKLING_OK);
    EXPECT(inkling_memory_worked(memory, best, UINT64_MAX, UINT64_MAX), INKLING_OK);
    EXPECT(inkling_plan_new(&situation, memory, 0, &plan), INKLING_OK);
    EXPECT(inkling_free(plan), INKLING_OK);

    /* A transport that the program does not implement is refused with that reason. */
    situation.own_transports = 1u << INKLING_BY_NETWORK;
    EXPECT(inkling_plan_new(&situation, 0, 0, &plan), INKLING_OK);
    EXPECT(inkling_plan_step_at(plan, 0, &step), INKLING_OK);
    HOLDS(step.transport == INKLING_BY_NETWORK && step.next_transport == UINT32_MAX);
    EXPECT(inkling_plan_step_at(plan, 1, &step), INKLING_UNKNOWN);
    EXPECT(inkling_plan_refusal_at(plan, INKLING_BY_GATT, &refusal), INKLING_OK);
    HOLDS(refusal.number == 17 && strcmp(refusal.reason, "no-back-end") == 0);
    EXPECT(inkling_free(plan), INKLING_OK);
    situation.own_transports = 1u << 11;
    EXPECT(inkling_plan_new(&situation, 0, 0, &plan), INKLING_OUT_OF_RANGE);
    situation.own_transports = 0;

    /* A beacon is followed by the connection that carries the handshake. */
    situation.relation = INKLING_RELATION_CONTACT;
    situation.purpose = INKLING_PURPOSE_RECOGNISE;
    situation.own_transports = 1u << INKLING_BY_BEACON | 1u << INKLING_BY_GATT;
    EXPECT(inkling_plan_new(&situation, 0, 0, &plan), INKLING_OK);
    EXPECT(inkling_plan_step_at(plan, 1, &step), INKLING_OK);
    HOLDS(step.transport == INKLING_BY_BEACON && step.next_transport == INKLING_BY_GATT && step.next_direction <= 2);
    EXPECT(inkling_free(plan), INKLING_OK);
    situation.purpose = INKLING_PURPOSE_MESSAGE;
    situation.own_transports = 0;

    /* The only transport to a stranger is a code. */
    situation.relation = INKLING_RELATION_STRANGER;
    EXPECT(inkling_plan_new(&situation, memory, 0, &plan), INKLING_OK);
    EXPECT(inkling_plan_step_at(plan, 0, &step), INKLING_UNKNOWN);
    EXPECT(inkling_plan_wait(plan, &refusal), INKLING_OK);
    EXPECT(inkling_free(plan), INKLING_OK);

    situation.is_paired = 2;
    EXPECT(inkling_plan_new(&situation, memory, 0, &plan), INKLING_OUT_OF_RANGE);
    situation.is_paired = 0;
    situation.linked = 1u << 11;
    EXPECT(inkling_plan_new(&situation, memory, 0, &plan), INKLING_OUT_OF_RANGE);
    situation.linked = 0;
    EXPECT(inkling_plan_new(&situation, memory + 1, 0, &plan), INKLING_NO_SUCH_HANDLE);
    EXPECT(inkling_free(memory), INKLING_OK);
}

static void count_difference(const char *id, const char *comment, const char *expected, const char *got, void *user) {
    HOLDS(id[0] != 0 && comment != NULL && expected[0] == '{' && got[0] == '{');
    /* A device that can be called back may start the call. */
    uint64_t agreed, differing;
    EXPECT(inkling_vectors_verify(NULL, 0, NULL, NULL, &agreed, &differing, NULL), INKLING_REFUSED);
    ++*(int *)user;
}

static uint64_t verify(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    uint64_t agreed = 0, differing = 0;
    inkling_refusal refusal = {.size = sizeof refusal};
    HOLDS(file != NULL);
    if (file == NULL) return 0;
    fseek(file, 0, SEEK_END);
    const size_t count = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(count);
    HOLDS(bytes != NULL && fread(bytes, 1, count, file) == count);
    fclose(file);
    int differences = 0;
    EXPECT(inkling_vectors_verify(bytes, count, count_difference, &differences, &agreed, &differing, &refusal), INKLING_OK);
    HOLDS(agreed > 0 && differing == 0 && differences == 0);
    EXPECT(inkling_vectors_verify(bytes, count - 2, NULL, NULL, &agreed, &differing, &refusal), INKLING_REFUSED);
    free(bytes);
    return agreed;
}

/* A file with one case, whose result is wrong. */
static void wrong_vector(void) {
    static const char file[] =
        "{\"schema\": \"schema/advertising.schema.json\", \"specification\": \"Specs/advertising.md\","
        " \"operation\": \"uuid\", \"description\": \"one\", \"caseCount\": 1, \"notes\": {},"
        " \"cases\": [{\"id\": \"uuid-0001\", \"comment\": \"wrong\", \"flags\": [], \"requirements\": [],"
        " \"args\": {\"name\": \"service\"}, \"result\": {\"uuid\": \"00\"}, \"intermediates\": {}}]}";
    uint64_t agreed = 99, differing = 99;
    int differences = 0;
    EXPECT(inkling_vectors_verify((const uint8_t *)file, sizeof file - 1, count_difference, &differences, &agreed, &differing,
                                  NULL), INKLING_OK);
    HOLDS(agreed == 0 && differing == 1 && differences == 1);
    EXPECT(inkling_vectors_verify(NULL, 1, NULL, NULL, &agreed, &differing, NULL), INKLING_NULL_ARGUMENT);
    EXPECT(inkling_vectors_verify(NULL, 0, NULL, NULL, &agreed, &differing, NULL), INKLING_REFUSED);
    EXPECT(inkling_vectors_verify(NULL, SIZE_MAX, NULL, NULL, &agreed, &differing, NULL), INKLING_OUT_OF_RANGE);
}

int main(int count, char **paths) {
    uint64_t left = 99, cases = 0;
    profiles();
    plans();
    wrong_vector();
    for (int index = 1; index < count; index++) cases += verify(paths[index]);
    EXPECT(inkling_handle_count(&left), INKLING_OK);
    HOLDS(left == 0);
    if (failures == 0) printf("platforms and plans, and %lu cases of vectors\n", (unsigned long)cases);
    return failures != 0;
}
