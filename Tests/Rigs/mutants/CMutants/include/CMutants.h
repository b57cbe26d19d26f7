#ifndef CMUTANTS_H
#define CMUTANTS_H

#include <stdbool.h>

/// Whether the mutant `number` is the one that this run has chosen by INKLING_MUTANT. Records that the run has come here.
bool is_mutant(int number);

#endif
