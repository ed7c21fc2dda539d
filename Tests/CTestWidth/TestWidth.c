#include "TestWidth.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Swift Testing starts every test at once and has no setting for it but this variable. With a thousand on two cores
// a test over sockets waits a minute for its turn, and what it measures is the others. A value that is set stays.
__attribute__((constructor)) static void limit_tests_at_once(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char width[16];
    snprintf(width, sizeof width, "%ld", cores < 2 ? 4 : 3 * cores);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
