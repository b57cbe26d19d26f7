// Linked into the tests under ThreadSanitizer. The compiler reports the inout access of a generic value whose type is empty,
// such as a generator of random numbers of the system, with an address that means nothing (swiftlang/swift issue 61244), and
// the sanitizer ends the program. Addresses below the program's own and those that no processor has are left out.

#include <stdint.h>

void __real___tsan_external_write(void *address, void *caller, void *tag);

void __wrap___tsan_external_write(void *address, void *caller, void *tag) {
    uintptr_t place = (uintptr_t)address;
    if (place >= 0x550000000000 && place < 0x800000000000) __real___tsan_external_write(address, caller, tag);
}
