#define _GNU_SOURCE
#include "CSternaGTK.h"

#include <glib-unix.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

// libdispatch's entry points for run loops, which CoreFoundation uses. The handle is an eventfd that becomes readable when work is enqueued.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

typedef struct {
    GSource source;
    gpointer tag;
    int handle;
} MainQueueSource;

static bool is_attached = false;
static pthread_t main_thread;
static void (*measured_turn)(uint64_t, uint64_t) = NULL;

static gboolean check(GSource *source) {
    MainQueueSource *queue = (MainQueueSource *)source;
    return (g_source_query_unix_fd(source, queue->tag) & G_IO_IN) != 0;
}

static uint64_t read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t sterna_gtk_processor_time(void) { return read_clock(CLOCK_THREAD_CPUTIME_ID); }

static gboolean dispatch(GSource *source, GSourceFunc function, gpointer data) {
    (void)function;
    (void)data;
    MainQueueSource *queue = (MainQueueSource *)source;
    // Taken back before the work is done: what is enqueued meanwhile makes the descriptor readable again.
    eventfd_t count;
    while (eventfd_read(queue->handle, &count) == 0) {
    }
    bool is_measured = measured_turn != NULL;
    uint64_t start = is_measured ? read_clock(CLOCK_MONOTONIC) : 0;
    uint64_t processor = is_measured ? sterna_gtk_processor_time() : 0;
    // Runs what is in the queue by now. What that enqueues waits for the next turn, so that frames are drawn in between.
    _dispatch_main_queue_callback_4CF(NULL);
    if (is_measured && measured_turn) {
        measured_turn(read_clock(CLOCK_MONOTONIC) - start, sterna_gtk_processor_time() - processor);
    }
    return G_SOURCE_CONTINUE;
}

static GSourceFuncs functions = {NULL, check, dispatch, NULL, NULL, NULL};

bool sterna_gtk_attach_main_queue(void) {
    if (is_attached) return sterna_gtk_is_main_thread();
    // The main queue is bound to the first thread, as is the main actor.
    if (gettid() != getpid()) return false;
    main_thread = pthread_self();
    is_attached = true;
    GSource *source = g_source_new(&functions, sizeof(MainQueueSource));
    MainQueueSource *queue = (MainQueueSource *)source;
    queue->handle = _dispatch_get_main_queue_handle_4CF();
    queue->tag = g_source_add_unix_fd(source, queue->handle, G_IO_IN);
    // Not above GDK's frames: at the same priority, GLib takes both in each iteration.
    g_source_set_priority(source, GDK_PRIORITY_REDRAW);
    g_source_set_name(source, "Sterna: Swift's main actor");
    g_source_attach(source, NULL);
    g_source_unref(source);
    return true;
}

bool sterna_gtk_is_main_thread(void) { return is_attached && pthread_equal(main_thread, pthread_self()); }

void sterna_gtk_measure_turns(void (*turn)(uint64_t nanoseconds, uint64_t processor)) { measured_turn = turn; }
