/* The expectations of the C tests. */

#ifndef EXPECT_H
#define EXPECT_H

#include <inkling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

/* Only the first faults are printed; later ones mostly follow from them. */
static inline void failed(void) {
    if (++failures == 20) exit(1);
}

#define EXPECT(call, status)                                                                              \
    do {                                                                                                  \
        inkling_status came = (call);                                                                     \
        if (came != (status)) {                                                                            \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, inkling_status_text(came));     \
            failed();                                                                                     \
        }                                                                                                 \
    } while (0)

#define HOLDS(condition)                                                                                  \
    do {                                                                                                  \
        if (!(condition)) {                                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                 \
            failed();                                                                                     \
        }                                                                                                 \
    } while (0)

#endif
