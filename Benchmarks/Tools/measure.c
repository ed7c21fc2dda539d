// measure [-c core] [-n times] program argument… : runs a program, pinned to a core, and prints on a last line of its own what
// the kernel counted. It is small, since a process inherits the peak of resident memory of the one that starts it.
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    int core = -1, times = 1, option;
    while ((option = getopt(argc, argv, "+c:n:")) != -1) {
        if (option == 'c') core = atoi(optarg);
        else if (option == 'n') times = atoi(optarg);
        else return 64;
    }
    if (optind >= argc || times < 1) return 64;
    double user = 0, system = 0, *walls = calloc(times, sizeof *walls);
    long peak = 0;
    int status = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (core >= 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(core, &set);
        sched_setaffinity(0, sizeof set, &set);
    }
    for (int i = 0; i < times && status == 0; i++) {
        double start = seconds();
        pid_t child = fork();
        if (child < 0) return 71;
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            execvp(argv[optind], argv + optind);
            perror(argv[optind]);
            _exit(127);
        }
        struct rusage usage;
        if (wait4(child, &status, 0, &usage) < 0) return 71;
        walls[i] = seconds() - start;
        user += usage.ru_utime.tv_sec + usage.ru_utime.tv_usec / 1e6;
        system += usage.ru_stime.tv_sec + usage.ru_stime.tv_usec / 1e6;
        if (usage.ru_maxrss > peak) peak = usage.ru_maxrss;
    }
    printf("\n{\"status\": %d, \"user\": %.6f, \"system\": %.6f, \"peak\": %ld, \"walls\": [", status, user, system, peak * 1024);
    for (int i = 0; i < times; i++) printf("%s%.6f", i ? ", " : "", walls[i]);
    printf("]}\n");
    return 0;
}
