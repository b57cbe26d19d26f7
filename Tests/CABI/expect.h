/* How the C tests say what they expect. */

#ifndef EXPECT_H
#define EXPECT_H

#include <inkling.h>
#include <stdio.h>
#include <string.h>

static int failures;

#define EXPECT(call, status)                                                                              \
    do {                                                                                                  \
        inkling_status got = (call);                                                                      \
        if (got != (status)) {                                                                            \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, inkling_status_text(got));      \
            failures++;                                                                                   \
        }                                                                                                 \
    } while (0)

#define HOLDS(condition)                                                                                  \
    do {                                                                                                  \
        if (!(condition)) {                                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                 \
            failures++;                                                                                   \
        }                                                                                                 \
    } while (0)

#endif
