#ifndef INKLING_FUZZING_H
#define INKLING_FUZZING_H

/// Lets every signature count as valid from now on, or only true ones. No mutation can sign, so what comes after a
/// signature in a parser is out of reach otherwise. The linker sends libsodium's verification here (`--wrap`).
void accept_every_signature(int accept);

/// Whether two byte strings are equal, by the memcmp of the sanitizer: libFuzzer watches it, and learns what an input
/// would have had to contain.
int are_equal(const unsigned char *left, const unsigned char *right, unsigned long count);

#endif
