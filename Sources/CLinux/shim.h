// Headers of the C library that the toolchain's own module leaves out.
#include <sys/timex.h>
