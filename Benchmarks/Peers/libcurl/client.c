// libcurl's multi interface: NAME work url count concurrency [--buffer N] [--file F] [--ca F] [--http2] [--epoll]
// One easy handle a caller, used again for each of its requests. Events by curl_multi_poll, which costs the least for few
// connections, or with --epoll by curl_multi_socket_action, which does for thousands.
#include <curl/curl.h>
#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct caller {
    CURL *easy;
    char *body;
    int file;
    size_t length, capacity;
    double end;
    char *type, *id, *data;  // of the event whose lines are read
    size_t data_length;
};

static struct {
    const char *work, *url, *file, *authorities;
    long count, concurrency, buffer;
    int polls, http2, is_signed;
} given;

static CURLM *multi;
static struct caller *callers;
static int events = -1;
static double due = -1;
static long long bytes, errors;
static char first_error[256];
static curl_off_t file_length;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_utime.tv_sec + u.ru_stime.tv_sec + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static int is(const char *work) { return strcmp(given.work, work) == 0; }

// A small answer is collected, as a caller would want it.
static size_t collect(char *piece, size_t size, size_t number, void *user) {
    struct caller *c = user;
    size_t more = size * number;
    if (c->length + more > c->capacity) {
        char *larger = realloc(c->body, 2 * (c->length + more));
        if (!larger) return 0;
        c->body = larger;
        c->capacity = 2 * (c->length + more);
    }
    memcpy(c->body + c->length, piece, more);
    c->length += more;
    return more;
}

static char *copy(const char *text, size_t length) {
    char *own = malloc(length + 1);
    if (!own) exit(71);
    memcpy(own, text, length);
    own[length] = 0;
    return own;
}

// A line of an event stream; at its end an event has copies of its fields, as a program would keep them.
static void read_line(struct caller *c, const char *line, size_t length) {
    if (length > 0 && line[length - 1] == '\r') length--;
    if (length == 0) {
        if (c->data) bytes++;
        free(c->type), free(c->data);
        c->type = c->data = NULL;
        c->data_length = 0;
        return;
    }
    const char *colon = memchr(line, ':', length);
    size_t name = colon ? (size_t)(colon - line) : length;
    const char *value = colon ? colon + 1 : line + length;
    size_t rest = (size_t)(line + length - value);
    if (rest > 0 && *value == ' ') value++, rest--;
    if (name == 4 && !memcmp(line, "data", 4)) {
        char *longer = realloc(c->data, c->data_length + rest + 2);
        if (!longer) exit(71);
        if (c->data) longer[c->data_length++] = '\n';
        memcpy(longer + c->data_length, value, rest);
        c->data_length += rest;
        longer[c->data_length] = 0;
        c->data = longer;
    } else if (name == 5 && !memcmp(line, "event", 5)) {
        free(c->type);
        c->type = copy(value, rest);
    } else if (name == 2 && !memcmp(line, "id", 2)) {
        free(c->id);
        c->id = copy(value, rest);
    }
}

// What is left of a line waits in the body for the next piece.
static size_t read_events(char *piece, size_t size, size_t number, void *user) {
    struct caller *c = user;
    char *start = piece, *end = piece + size * number, *feed;
    while ((feed = memchr(start, '\n', (size_t)(end - start)))) {
        if (c->length > 0) {
            collect(start, 1, (size_t)(feed - start), c);
            read_line(c, c->body, c->length);
            c->length = 0;
        } else {
            read_line(c, start, (size_t)(feed - start));
        }
        start = feed + 1;
    }
    if (start < end) collect(start, 1, (size_t)(end - start), c);
    return size * number;
}

static size_t discard(char *piece, size_t size, size_t number, void *user) {
    (void)piece, (void)user;
    if (!is("upload")) bytes += (long long)(size * number);
    return size * number;
}

// To the file of --file, which is synced at the end, as `curl -o` followed by `sync` of the file.
static size_t save(char *piece, size_t size, size_t number, void *user) {
    struct caller *c = user;
    size_t all = size * number, done = 0;
    while (done < all) {
        ssize_t count = write(c->file, piece + done, all - done);
        if (count <= 0) return 0;
        done += (size_t)count;
    }
    bytes += (long long)all;
    return all;
}

static size_t read_file(char *piece, size_t size, size_t number, void *user) {
    ssize_t got = read(((struct caller *)user)->file, piece, size * number);
    return got < 0 ? CURL_READFUNC_ABORT : (size_t)got;
}

static int seek_file(void *user, curl_off_t offset, int origin) {
    return lseek(((struct caller *)user)->file, offset, origin) < 0 ? CURL_SEEKFUNC_FAIL : CURL_SEEKFUNC_OK;
}

static int on_socket(CURL *easy, curl_socket_t s, int what, void *user, void *known) {
    (void)easy, (void)user;
    struct epoll_event e = {.data.fd = s};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(events, EPOLL_CTL_DEL, s, NULL);
        curl_multi_assign(multi, s, NULL);
        return 0;
    }
    e.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    epoll_ctl(events, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, s, &e);
    curl_multi_assign(multi, s, &events);
    return 0;
}

static int on_timer(CURLM *m, long milliseconds, void *user) {
    (void)m, (void)user;
    due = milliseconds < 0 ? -1 : now() + milliseconds / 1e3;
    return 0;
}

static void step(void) {
    int running;
    if (given.polls) {
        curl_multi_poll(multi, NULL, 0, 1000, NULL);
        curl_multi_perform(multi, &running);
        return;
    }
    struct epoll_event ready[256];
    double wait = due < 0 ? 1 : due - now();
    int n = epoll_wait(events, ready, 256, wait <= 0 ? 0 : (int)(wait * 1000) + 1);
    for (int i = 0; i < n; i++) {
        unsigned what = ready[i].events;
        int mask = (what & EPOLLIN ? CURL_CSELECT_IN : 0) | (what & EPOLLOUT ? CURL_CSELECT_OUT : 0)
            | (what & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(multi, ready[i].data.fd, mask, &running);
    }
    if (due >= 0 && now() >= due) {
        due = -1;
        curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

static void set_url(struct caller *c) {
    const char *hole = strstr(given.url, "{}");
    if (!hole) {
        curl_easy_setopt(c->easy, CURLOPT_URL, given.url);
        return;
    }
    char url[512];
    long number = (c - callers) % 1000;
    snprintf(url, sizeof url, "%.*s%ld.%ld%s", (int)(hole - given.url), given.url, 1 + number / 250, 1 + number % 250, hole + 2);
    curl_easy_setopt(c->easy, CURLOPT_URL, url);
}

static void prepare(struct caller *c) {
    CURL *e = c->easy = curl_easy_init();
    set_url(c);
    curl_easy_setopt(e, CURLOPT_PRIVATE, c);
    curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(e, CURLOPT_HTTP_VERSION, given.http2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    if (given.http2) curl_easy_setopt(e, CURLOPT_PIPEWAIT, 1L);
    if (given.is_signed) {
        curl_easy_setopt(e, CURLOPT_AWS_SIGV4, "aws:amz:eu-central-1:execute-api");
        curl_easy_setopt(e, CURLOPT_USERPWD, "AKIDEXAMPLE:benchmark");
    }
    if (given.authorities) curl_easy_setopt(e, CURLOPT_CAINFO, given.authorities);
    if (given.buffer) {
        curl_easy_setopt(e, CURLOPT_BUFFERSIZE, given.buffer);
        curl_easy_setopt(e, CURLOPT_UPLOAD_BUFFERSIZE, given.buffer);
    }
    curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, is("events") ? read_events : is("save") ? save : is("download") || is("upload") ? discard : collect);
    curl_easy_setopt(e, CURLOPT_WRITEDATA, c);
    if (is("save")) {
        c->file = given.file ? open(given.file, O_WRONLY | O_CREAT, 0666) : -1;
        if (c->file < 0) exit(73);
    }
    if (is("upload")) {
        struct stat about;
        c->file = given.file ? open(given.file, O_RDONLY) : -1;
        if (c->file < 0 || fstat(c->file, &about)) exit(66);
        file_length = about.st_size;
        curl_easy_setopt(e, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(e, CURLOPT_READFUNCTION, read_file);
        curl_easy_setopt(e, CURLOPT_READDATA, c);
        curl_easy_setopt(e, CURLOPT_SEEKFUNCTION, seek_file);
        curl_easy_setopt(e, CURLOPT_SEEKDATA, c);
        curl_easy_setopt(e, CURLOPT_INFILESIZE_LARGE, file_length);
    }
}

static void finish(CURLMsg *message) {
    struct caller *c;
    long status = 0;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&c);
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    int lost = is("save") && fsync(c->file) != 0;
    if (message->data.result != CURLE_OK || status != 200 || lost) {
        if (!errors++) snprintf(first_error, sizeof first_error, "%s, status %ld", curl_easy_strerror(message->data.result), status);
    }
    bytes += is("upload") && !errors ? file_length : (long long)c->length;
    c->length = 0;
    c->end = now();
}

static void start(struct caller *c) {
    if (is("upload") || is("save")) lseek(c->file, 0, SEEK_SET);
    if (is("save") && ftruncate(c->file, 0)) exit(73);
    curl_multi_add_handle(multi, c->easy);
}

static void run(long count, long first, long width) {
    long started = 0, done = 0;
    int left, running;
    for (long i = 0; i < width && started < count; i++, started++) start(&callers[first + i]);
    if (given.polls) curl_multi_perform(multi, &running);
    while (done < count) {
        int more = 0;
        CURLMsg *message;
        while ((message = curl_multi_info_read(multi, &left))) {
            if (message->msg != CURLMSG_DONE) continue;
            struct caller *c;
            finish(message);
            done++;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&c);
            curl_multi_remove_handle(multi, c->easy);
            if (started < count) {
                start(c);
                started++;
                more = given.polls;
            }
        }
        // What was just added is sent before anything is waited for; by epoll the timer sees to that.
        if (more) curl_multi_perform(multi, &running);
        else if (done < count) step();
    }
}

static long resident(void) {
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*d %ld", &pages) != 1) pages = 0;
    if (file) fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static long descriptors(void) {
    long count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) count++;
    if (folder) closedir(folder);
    return count;
}

static int rising(const void *a, const void *b) {
    double x = ((const struct caller *)a)->end, y = ((const struct caller *)b)->end;
    return (x > y) - (x < y);
}

static void read_arguments(int argc, char **argv) {
    if (argc < 5) exit(64);
    given.polls = 1;
    given.work = argv[1], given.url = argv[2], given.count = atol(argv[3]), given.concurrency = atol(argv[4]);
    for (int i = 5; i < argc; i++) {
        if (!strcmp(argv[i], "--epoll")) given.polls = 0;
        else if (!strcmp(argv[i], "--http2")) given.http2 = 1;
        else if (!strcmp(argv[i], "--sign")) given.is_signed = 1;
        else if (i + 1 == argc) exit(64);
        else if (!strcmp(argv[i], "--buffer")) given.buffer = atol(argv[++i]);
        else if (!strcmp(argv[i], "--file")) given.file = argv[++i];
        else if (!strcmp(argv[i], "--ca")) given.authorities = argv[++i];
        else exit(64);
    }
    if (given.count < 1 || given.concurrency < 1) exit(64);
}

int main(int argc, char **argv) {
    read_arguments(argc, argv);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi = curl_multi_init();
    long width = given.concurrency;
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 2 * width);
    // All on one connection.
    if (given.http2) curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
    if (!given.polls) {
        events = epoll_create1(0);
        curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
        curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    }
    callers = calloc((size_t)width, sizeof *callers);
    for (long i = 0; i < width; i++) prepare(&callers[i]);
    if ((is("get") || is("download")) && given.count > width) run(width, 0, width);
    if (is("idle")) run(1, 0, 1);
    long memory = resident(), open = descriptors();
    bytes = 0, errors = 0;
    double begin = now(), used = cpu();
    run(given.count, 0, width);
    double wall = now() - begin;
    used = cpu() - used;
    qsort(callers, (size_t)width, sizeof *callers, rising);
    double p99 = callers[(width * 99 + 99) / 100 - 1].end - begin;
    printf("{\"requests\": %ld, \"bytes\": %lld, \"wall\": %.6f, \"cpu\": %.6f, \"errors\": %lld, \"p99\": %.6f", given.count,
        bytes, wall, used, errors, p99);
    printf(", \"first\": %.6f, \"last\": %.6f", callers[0].end - begin, callers[width - 1].end - begin);
    if (is("idle")) {
        long connections = descriptors() - open;
        if (connections < 1) connections = 1;
        printf(", \"connections\": %ld, \"bytes_per_connection\": %.1f", connections, (double)(resident() - memory) / connections);
        malloc_trim(0);
        printf(", \"trimmed_bytes_per_connection\": %.1f", (double)(resident() - memory) / connections);
    }
    if (errors) printf(", \"error\": \"%s\"", first_error);
    printf("}\n");
    return 0;
}
