#include "CMutants.h"

#include <stdio.h>
#include <stdlib.h>

// INKLING_MUTANT is the number of the mutant of this run, and 0 or nothing for the original. At its end the run appends the
// numbers of the mutants that it has come to to the file INKLING_REACHED.

enum { MOST = 65536 };

static int chosen;
static unsigned char reached[MOST];

bool is_mutant(int number) {
    if (number > 0 && number < MOST) reached[number] = 1;
    return number == chosen;
}

__attribute__((constructor)) static void choose(void) {
    const char *text = getenv("INKLING_MUTANT");
    chosen = text == NULL ? 0 : atoi(text);
}

__attribute__((destructor)) static void report(void) {
    const char *path = getenv("INKLING_REACHED");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (file == NULL) return;
    for (int number = 1; number < MOST; number++)
        if (reached[number]) fprintf(file, "%d\n", number);
    fclose(file);
}
