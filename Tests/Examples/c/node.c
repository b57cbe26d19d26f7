/* A node without a radio: a contact's identifiers are observed, a handshake confirms the contact, and it leaves again.
 *
 *     cc node.c $(pkg-config --cflags --libs inkling) && ./a.out
 */

#include <inkling.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const presences[] = {"unseen", "candidate", "probable", "confirmed", "stale", "gone"};

static void must(inkling_status status) {
    if (status == INKLING_OK) return;
    fprintf(stderr, "%s\n", inkling_status_text(status));
    exit(1);
}

/* Carries out the effects of the engine, and returns the tick at which to fire its timer, 0 for never. */
static uint64_t carry_out(inkling_handle engine, const inkling_clock *now) {
    static uint64_t wake;
    inkling_effect effect;
    effect.size = sizeof effect;
    for (;;) {
        must(inkling_engine_next(engine, &effect));
        switch (effect.kind) {
        case INKLING_EFFECT_NONE: return wake;
        case INKLING_EFFECT_STATE_CHANGED:
            if (effect.from_state != effect.to_state)
                printf("contact %u: %s, was %s\n", (unsigned)effect.contact, presences[effect.to_state],
                       presences[effect.from_state]);
            break;
        case INKLING_EFFECT_ARRIVED: printf("contact %u is here\n", (unsigned)effect.contact); break;
        case INKLING_EFFECT_LEFT: printf("contact %u has left\n", (unsigned)effect.contact); break;
        case INKLING_EFFECT_OUTSIDE_WINDOW:
            printf("contact %u: an identifier outside its window\n", (unsigned)effect.contact);
            break;
        case INKLING_EFFECT_CONFIRM:
            /* A real node calls the device here; this one immediately reports that the handshake succeeded. */
            printf("handshake with contact %u, device %u, by a name\n", (unsigned)effect.contact, (unsigned)effect.device);
            must(inkling_engine_attempt_confirmed(engine, effect.attempt, now));
            break;
        case INKLING_EFFECT_WAKE: wake = effect.tick; break;
        default: printf("effect %u\n", (unsigned)effect.kind); break;
        }
    }
}

/* Advances the clock to a tick, and fires the timer whenever the engine asked for it. */
static void wait_until(inkling_handle engine, inkling_clock *now, uint64_t tick) {
    uint64_t wake;
    while ((wake = carry_out(engine, now)) > now->tick && wake <= tick) {
        now->unix_milliseconds += wake - now->tick;
        now->tick = wake;
        must(inkling_engine_timer_fired(engine, now));
    }
    now->unix_milliseconds += tick - now->tick;
    now->tick = tick;
}

int main(void) {
    /* The keys of the contact's audience. A real node takes them from a grant; here the root is a 7 and zeros. */
    const uint8_t root[32] = {7};
    const uint32_t ada = 1;
    inkling_clock now = {sizeof now, 0, 1000, 1800000300000};
    inkling_handle tree, engine;
    inkling_values values;
    uint32_t epoch;
    uint8_t data[31];
    size_t count;

    must(inkling_epoch_at(now.unix_milliseconds / 1000, &epoch));
    must(inkling_tree_new(root, sizeof root, &tree));
    must(inkling_engine_new(NULL, &engine));
    must(inkling_engine_add(engine, ada, NULL, &now));
    must(inkling_engine_hold(engine, ada, INKLING_AUDIENCE_GRANTED, 1, 1, tree));
    must(inkling_engine_prepare(engine, epoch, &now));

    values.size = sizeof values;
    must(inkling_tree_values(tree, 0, epoch, &values));
    printf("epoch %u: minor %u, name %s\n", (unsigned)epoch, (unsigned)values.minor, values.name_text);

    /* A stranger's beacon and the name of another service have no effect. */
    must(inkling_advertisement_of_minor((uint16_t)(values.minor + 1), data, sizeof data, &count));
    must(inkling_engine_advertisement(engine, data, count, 0x112233445566, -70, NULL, &now, NULL));
    must(inkling_engine_name_appeared(engine, "printer", 7, NULL, &now));
    wait_until(engine, &now, 2000);

    /* The contact's beacon is heard, and then its name appears on the local network. */
    must(inkling_advertisement_of_minor(values.minor, data, sizeof data, &count));
    must(inkling_engine_advertisement(engine, data, count, 0xaabbccddeeff, -60, NULL, &now, NULL));
    must(inkling_engine_name_appeared(engine, values.name_text, 32, NULL, &now));
    wait_until(engine, &now, 60000);

    /* The name vanishes, and the beacon is not heard again. */
    must(inkling_engine_name_vanished(engine, values.name_text, 32, &now));
    must(inkling_engine_session_ended(engine, ada, 0, &now));
    wait_until(engine, &now, 600000);

    must(inkling_free(engine));
    must(inkling_free(tree));
    return 0;
}
