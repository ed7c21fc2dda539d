#include "TestWidth.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Swift Testing starts every test at once and has no setting for it but this variable. With a thousand on two cores
// a test over sockets waits a minute for its turn, and what it measures is the others. A value that is set stays.
//
// The library also captures a backtrace of each error that is thrown, which is shown nowhere here: readers that are given damaged input
// throw millions.
__attribute__((constructor)) static void set_up_testing(void) {
    setenv("SWT_SWIFT_ERROR_BACKTRACING_ENABLED", "0", 0);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    char width[16];
    snprintf(width, sizeof width, "%ld", cores < 2 ? 4 : 3 * cores);
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", width, 0);
}
