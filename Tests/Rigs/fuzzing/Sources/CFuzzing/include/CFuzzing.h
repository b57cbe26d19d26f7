#ifndef INKLING_FUZZING_H
#define INKLING_FUZZING_H

/// Makes every signature count as valid from now on, or only valid ones. A mutation cannot sign, so the code after the check of
/// a signature would not be reached otherwise. The linker redirects libsodium's verification to this file (`--wrap`).
void accept_every_signature(int accept);

/// `watch` is called before and after each check of a signature.
void watch_signatures(void (*watch)(int begins));

/// Whether two byte strings are equal, by the memcmp of the sanitizer: libFuzzer watches it and learns which bytes an input
/// needs.
int are_equal(const unsigned char *left, const unsigned char *right, unsigned long count);

/// The bytes of the input that targets have copied for their parsers; the measure of memory subtracts them.
void note_copy(unsigned long count);
unsigned long noted_copies(void);
void forget_copies(void);

#endif
