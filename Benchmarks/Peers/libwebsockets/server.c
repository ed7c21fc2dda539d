// server port: a WebSocket server on 127.0.0.1 by libwebsockets, without compression.
// ws://…/echo sends each message back; ws://…/receive/N sends N binary messages of 64 KiB and closes.
#include <libwebsockets.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum { MESSAGE = 64 << 10, LONGEST = 1 << 20 };

struct peer {
    unsigned char *bytes;  // after LWS_PRE bytes for the library
    size_t length;
    int is_text, is_whole;
    long long left;  // messages of /receive
};

static unsigned char content[LWS_PRE + MESSAGE];

static int established(struct lws *wsi, struct peer *p) {
    char path[64];
    if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) <= 0) return -1;
    if (!strncmp(path, "/receive/", 9)) {
        p->left = atoll(path + 9);
        lws_callback_on_writable(wsi);
        return 0;
    }
    p->bytes = malloc(LWS_PRE + LONGEST);
    return p->bytes ? 0 : -1;
}

static int received(struct lws *wsi, struct peer *p, void *in, size_t length) {
    if (!p->bytes || p->length + length > LONGEST) return -1;
    memcpy(p->bytes + LWS_PRE + p->length, in, length);
    p->length += length;
    p->is_text = !lws_frame_is_binary(wsi);
    if (!lws_is_final_fragment(wsi) || lws_remaining_packet_payload(wsi)) return 0;
    p->is_whole = 1;
    // Nothing more is read before this is sent, so that one buffer is enough.
    lws_rx_flow_control(wsi, 0);
    lws_callback_on_writable(wsi);
    return 0;
}

static int writable(struct lws *wsi, struct peer *p) {
    if (p->is_whole) {
        if (lws_write(wsi, p->bytes + LWS_PRE, p->length, p->is_text ? LWS_WRITE_TEXT : LWS_WRITE_BINARY) < (int)p->length) return -1;
        p->length = 0, p->is_whole = 0;
        lws_rx_flow_control(wsi, 1);
    } else if (p->left > 0) {
        if (lws_write(wsi, content + LWS_PRE, MESSAGE, LWS_WRITE_BINARY) < MESSAGE) return -1;
        p->left--;
        lws_callback_on_writable(wsi);
    } else if (!p->bytes) {
        lws_close_reason(wsi, LWS_CLOSE_STATUS_NORMAL, NULL, 0);
        return -1;
    }
    return 0;
}

static int called(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length) {
    struct peer *p = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: return established(wsi, p);
    case LWS_CALLBACK_RECEIVE: return received(wsi, p, in, length);
    case LWS_CALLBACK_SERVER_WRITEABLE: return writable(wsi, p);
    case LWS_CALLBACK_CLOSED: free(p->bytes); p->bytes = NULL; return 0;
    default: return 0;
    }
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    static const struct lws_protocols protocols[] = {{"bench", called, sizeof(struct peer), MESSAGE, 0, NULL, 0}, {0}};
    struct lws_context_creation_info info = {0};
    info.port = atoi(argv[1]);
    info.iface = "127.0.0.1";
    info.protocols = protocols;
    info.pt_serv_buf_size = 2 * MESSAGE;
    info.options = LWS_SERVER_OPTION_DISABLE_IPV6;
    lws_set_log_level(LLL_ERR, NULL);
    struct lws_context *context = lws_create_context(&info);
    if (!context) return 69;
    while (lws_service(context, 0) >= 0) {}
    lws_context_destroy(context);
    return 0;
}
