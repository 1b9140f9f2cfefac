/* A clock that a test steps: the wall clock of a process that this is preloaded into is off by the seconds that stand
 * in a file, from one moment to the next. Its monotonic clocks are left alone, as a step leaves them alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int64_t *off_by;

__attribute__((constructor)) static void begin(void)
{
    const char *file = getenv("ONCEPAY_CRASH_CLOCK");
    int opened = file ? open(file, O_RDONLY) : -1;
    if (opened < 0)
        return;
    void *mapped = mmap(NULL, sizeof *off_by, PROT_READ, MAP_SHARED, opened, 0);
    close(opened);
    if (mapped != MAP_FAILED)
        off_by = mapped;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && off_by && clock == CLOCK_REALTIME)
        now->tv_sec += *off_by;
    return result;
}
