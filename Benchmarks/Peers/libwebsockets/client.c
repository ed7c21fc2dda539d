// client messages|receive url count concurrency: what a client with libwebsockets needs for the same messages as the other clients.
// `messages`: each of `concurrency` sockets sends 64 bytes of text, waits until they are back, and sends the next.
// `receive`: one socket for each of `count`, one after the other, which receives until the server closes.
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { SMALL = 64, BUFFER = 64 << 10 };

struct peer {
    long share;  // messages that it still has to send
    size_t arrived;
};

static struct lws_context *context;
static struct lws **sockets;
static char host[64], path[128];
static int port;
static int is_receiving, is_counting;
static long width, opened, finished;
static long long bytes, errors;
static double begin, used;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void start_counting(void) {
    is_counting = 1;
    used = cpu();
    begin = now();
    for (long i = 0; !is_receiving && i < width; i++) lws_callback_on_writable(sockets[i]);
}

static int failed(void) {
    errors++, finished++;
    return 0;
}

static int writable(struct lws *wsi, struct peer *p) {
    static unsigned char message[LWS_PRE + SMALL];
    if (!is_counting || p->share == 0) return 0;
    p->share--;
    memset(message + LWS_PRE, 'a', SMALL);
    return lws_write(wsi, message + LWS_PRE, SMALL, LWS_WRITE_TEXT) < SMALL ? -1 : 0;
}

static int received(struct lws *wsi, struct peer *p, size_t length) {
    bytes += (long long)length;
    if (is_receiving) return 0;
    p->arrived += length;
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi)) return 0;
    if (p->arrived != SMALL) errors++;
    p->arrived = 0;
    if (p->share > 0) lws_callback_on_writable(wsi);
    else finished++;
    return 0;
}

static int called(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    (void)in;
    struct peer *p = user;
    switch (reason) {
    case LWS_CALLBACK_CLIENT_ESTABLISHED:
        p->share = (long)(size_t)lws_get_opaque_user_data(wsi);
        opened++;
        return 0;
    case LWS_CALLBACK_CLIENT_RECEIVE: return received(wsi, p, length);
    case LWS_CALLBACK_CLIENT_WRITEABLE: return writable(wsi, p);
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR: return opened++, failed();
    case LWS_CALLBACK_CLIENT_CLOSED: return is_receiving ? (finished++, 0) : is_counting && p->share > 0 ? failed() : 0;
    default: return 0;
    }
}

static struct lws *dial(long share) {
    struct lws_client_connect_info info = {0};
    info.context = context;
    info.address = info.host = info.origin = host;
    info.port = port;
    info.path = path;
    info.protocol = NULL;
    info.local_protocol_name = "bench";
    info.opaque_user_data = (void *)(size_t)share;
    return lws_client_connect_via_info(&info);
}

static void wait_for(long *number, long value) {
    while (*number < value && lws_service(context, 0) >= 0) {}
}

int main(int argc, char **argv) {
    if (argc < 5 || sscanf(argv[2], "ws://%63[^:]:%d%127s", host, &port, path) != 3) return 64;
    long count = atol(argv[3]);
    is_receiving = !strcmp(argv[1], "receive");
    width = is_receiving ? 1 : atol(argv[4]);
    if (count < 1 || width < 1) return 64;
    static const struct lws_protocols protocols[] = {{"bench", called, sizeof(struct peer), BUFFER, 0, NULL, 0}, {0}};
    struct lws_context_creation_info info = {0};
    info.port = CONTEXT_PORT_NO_LISTEN;
    info.protocols = protocols;
    info.pt_serv_buf_size = 2 * BUFFER;
    info.options = LWS_SERVER_OPTION_DISABLE_IPV6;
    lws_set_log_level(LLL_ERR, NULL);
    context = lws_create_context(&info);
    sockets = calloc((size_t)width, sizeof *sockets);
    if (!context || !sockets) return 69;
    if (is_receiving) {
        start_counting();
        for (long i = 0; i < count; i++) {
            if (!dial(0)) failed();
            wait_for(&finished, i + 1);
        }
    } else {
        for (long i = 0; i < width; i++) {
            sockets[i] = dial(count / width + (i < count % width));
            if (!sockets[i]) return 69;
        }
        wait_for(&opened, width);
        if (errors) return 69;
        start_counting();
        wait_for(&finished, width);
    }
    printf("{\"requests\": %ld, \"bytes\": %lld, \"wall\": %.6f, \"cpu\": %.6f, \"errors\": %lld}\n", count, bytes, now() - begin,
        cpu() - used, errors);
    return 0;
}
