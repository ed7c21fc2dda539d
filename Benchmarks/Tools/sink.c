// sink port: takes the bodies of PUT and POST on 127.0.0.1, throws them away unread, and answers 200 when they are complete.
// nginx would write them to a disk, or answer before they have come.
// GET /flat/N and /each/N answer with N events of 200 bytes: as many as the connection takes, or one a write.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CAPACITY = 1 << 16 };

struct peer {
    int socket;
    size_t held;
    char bytes[CAPACITY + 1];
};

static int fill(struct peer *p) {
    if (p->held == CAPACITY) return 0;
    ssize_t got = recv(p->socket, p->bytes + p->held, CAPACITY - p->held, 0);
    if (got <= 0) return 0;
    p->held += (size_t)got;
    p->bytes[p->held] = 0;
    return 1;
}

static void drop(struct peer *p, size_t length) {
    memmove(p->bytes, p->bytes + length, p->held - length);
    p->held -= length;
    p->bytes[p->held] = 0;
}

static int skip(struct peer *p, long long length) {
    size_t held = (long long)p->held < length ? p->held : (size_t)length;
    drop(p, held);
    length -= (long long)held;
    while (length > 0) {
        size_t part = length > (4 << 20) ? (4 << 20) : (size_t)length;
        // Truncated bytes are not copied, so that the sink is never what an upload waits for.
        ssize_t got = recv(p->socket, NULL, part, MSG_TRUNC);
        if (got <= 0) return 0;
        length -= got;
    }
    return 1;
}

static int skip_chunks(struct peer *p) {
    for (;;) {
        char *end;
        while (!(end = strstr(p->bytes, "\r\n")))
            if (!fill(p)) return 0;
        long long length = strtoll(p->bytes, NULL, 16);
        drop(p, (size_t)(end + 2 - p->bytes));
        if (length < 0 || !skip(p, length + 2)) return 0;
        if (length == 0) return 1;
    }
}

static int tell(struct peer *p, const char *text) {
    return send(p->socket, text, strlen(text), MSG_NOSIGNAL) > 0;
}

enum { EVENT = 200, EVENTS_AT_ONCE = 320 };
static char events[EVENT * EVENTS_AT_ONCE];

static void make_events(void) {
    const char *head = "event: price\nid: 1234567\ndata: ";
    for (char *event = events; event < events + sizeof events; event += EVENT) {
        memset(event, 'x', EVENT);
        memcpy(event, head, strlen(head));
        memcpy(event + EVENT - 2, "\n\n", 2);
    }
}

static int give(struct peer *p, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(p->socket, bytes, length, MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        bytes += sent;
        length -= (size_t)sent;
    }
    return 1;
}

static int give_events(struct peer *p, long long count, long long at_once) {
    char head[200];
    int length = snprintf(head, sizeof head,
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %lld\r\n\r\n", count * EVENT);
    if (!give(p, head, (size_t)length)) return 0;
    for (long long part; count > 0; count -= part) {
        part = count < at_once ? count : at_once;
        if (!give(p, events, (size_t)part * EVENT)) return 0;
    }
    return 1;
}

static int serve(struct peer *p) {
    char *end;
    while (!(end = strstr(p->bytes, "\r\n\r\n")))
        if (!fill(p)) return 0;
    end[2] = 0;
    int is_each = !strncmp(p->bytes, "GET /each/", 10);
    if (is_each || !strncmp(p->bytes, "GET /flat/", 10)) {
        long long count = atoll(p->bytes + 10);
        drop(p, (size_t)(end + 4 - p->bytes));
        return give_events(p, count, is_each ? 1 : EVENTS_AT_ONCE);
    }
    const char *length = strcasestr(p->bytes, "\r\ncontent-length:");
    int is_chunked = strcasestr(p->bytes, "\r\ntransfer-encoding:") != NULL;
    int is_asked = strcasestr(p->bytes, "\r\nexpect:") != NULL;
    long long bytes = length ? atoll(length + 17) : 0;
    drop(p, (size_t)(end + 4 - p->bytes));
    if (is_asked && !tell(p, "HTTP/1.1 100 Continue\r\n\r\n")) return 0;
    if (!(is_chunked ? skip_chunks(p) : skip(p, bytes))) return 0;
    return tell(p, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n");
}

static void *attend(void *given) {
    struct peer *p = given;
    while (serve(p)) {}
    close(p->socket);
    free(p);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    make_events();
    int yes = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1]))};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, 128)) {
        perror("sink");
        return 1;
    }
    for (;;) {
        int accepted = accept(listener, NULL, NULL);
        if (accepted < 0) continue;
        setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        struct peer *p = calloc(1, sizeof *p);
        pthread_t thread;
        if (!p) return 1;
        p->socket = accepted;
        if (pthread_create(&thread, NULL, attend, p)) return 1;
        pthread_detach(thread);
    }
}
