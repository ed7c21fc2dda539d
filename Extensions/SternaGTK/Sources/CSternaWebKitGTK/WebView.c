#include "CSternaWebKitGTK.h"

GtkWidget *sterna_webkit_view(WebKitWebContext *context) {
    WebKitNetworkSession *session = webkit_network_session_new_ephemeral();
    GtkWidget *view = g_object_new(WEBKIT_TYPE_WEB_VIEW, "web-context", context, "network-session", session, NULL);
    g_object_unref(session);
    return view;
}

typedef struct {
    void (*asked)(gpointer data, WebKitURISchemeRequest *request);
    gpointer data;
    void (*release)(gpointer data);
} Scheme;

static void on_request(WebKitURISchemeRequest *request, gpointer data) {
    Scheme *scheme = data;
    scheme->asked(scheme->data, request);
}

static void end_scheme(gpointer data) {
    Scheme *scheme = data;
    scheme->release(scheme->data);
    g_free(scheme);
}

void sterna_webkit_register(WebKitWebContext *context, const char *scheme, bool is_secure,
                            void (*asked)(gpointer data, WebKitURISchemeRequest *request), gpointer data, void (*release)(gpointer data)) {
    Scheme *kept = g_new(Scheme, 1);
    *kept = (Scheme){asked, data, release};
    webkit_web_context_register_uri_scheme(context, scheme, on_request, kept, end_scheme);
    WebKitSecurityManager *security = webkit_web_context_get_security_manager(context);
    if (is_secure) webkit_security_manager_register_uri_scheme_as_secure(security, scheme);
    webkit_security_manager_register_uri_scheme_as_cors_enabled(security, scheme);
}

void sterna_webkit_fields(WebKitURISchemeRequest *request, void (*field)(const char *name, const char *value, gpointer data), gpointer data) {
    SoupMessageHeaders *headers = webkit_uri_scheme_request_get_http_headers(request);
    if (headers) soup_message_headers_foreach(headers, field, data);
}

uint8_t *sterna_webkit_body(WebKitURISchemeRequest *request, int64_t limit, int64_t *count) {
    *count = 0;
    GInputStream *stream = webkit_uri_scheme_request_get_http_body(request);
    if (!stream) return NULL;
    GByteArray *all = g_byte_array_new();
    uint8_t piece[16384];
    gssize length;
    while ((length = g_input_stream_read(stream, piece, sizeof piece, NULL, NULL)) > 0 && (int64_t)all->len + length <= limit) {
        g_byte_array_append(all, piece, (guint)length);
    }
    g_object_unref(stream);
    *count = length == 0 ? (int64_t)all->len : -1;
    uint8_t *bytes = g_byte_array_free(all, FALSE);
    if (*count > 0) return bytes;
    g_free(bytes);
    return NULL;
}

void sterna_webkit_answer(WebKitURISchemeRequest *request, unsigned status, const char *type, const char *const *fields,
                          const void *bytes, size_t count) {
    GBytes *body = g_bytes_new(bytes, count);
    GInputStream *stream = g_memory_input_stream_new_from_bytes(body);
    g_bytes_unref(body);
    WebKitURISchemeResponse *response = webkit_uri_scheme_response_new(stream, (gint64)count);
    g_object_unref(stream);
    webkit_uri_scheme_response_set_status(response, status, NULL);
    if (type) webkit_uri_scheme_response_set_content_type(response, type);
    SoupMessageHeaders *headers = soup_message_headers_new(SOUP_MESSAGE_HEADERS_RESPONSE);
    for (; fields[0] && fields[1]; fields += 2) soup_message_headers_append(headers, fields[0], fields[1]);
    webkit_uri_scheme_response_set_http_headers(response, headers);
    webkit_uri_scheme_request_finish_with_response(request, response);
    g_object_unref(response);
}

void sterna_webkit_fail(WebKitURISchemeRequest *request, const char *message) {
    GError *error = g_error_new_literal(WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_FAILED, message);
    webkit_uri_scheme_request_finish_error(request, error);
    g_error_free(error);
}

typedef struct {
    SternaWebKitEvents events;
    gpointer data;
    void (*release)(gpointer data);
} Observer;

static void on_progress(WebKitWebView *view, GParamSpec *property, gpointer data) {
    (void)property;
    Observer *observer = data;
    observer->events.progressed(observer->data, webkit_web_view_get_estimated_load_progress(view));
}

static void on_load(WebKitWebView *view, WebKitLoadEvent event, gpointer data) {
    (void)view;
    Observer *observer = data;
    observer->events.loaded(observer->data, (int)event);
}

static gboolean on_failure(WebKitWebView *view, WebKitLoadEvent event, const char *uri, GError *error, gpointer data) {
    (void)view;
    (void)event;
    Observer *observer = data;
    bool is_cancelled = g_error_matches(error, WEBKIT_NETWORK_ERROR, WEBKIT_NETWORK_ERROR_CANCELLED) ||
                        g_error_matches(error, WEBKIT_POLICY_ERROR, WEBKIT_POLICY_ERROR_FRAME_LOAD_INTERRUPTED_BY_POLICY_CHANGE);
    observer->events.failed(observer->data, uri, error->message, is_cancelled);
    // WebKit's own page for errors is not shown.
    return TRUE;
}

static gboolean on_policy(WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data) {
    (void)view;
    Observer *observer = data;
    if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) return FALSE;
    WebKitNavigationAction *action = webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
    const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
    if (!observer->events.refuses(observer->data, uri, type == WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION)) return FALSE;
    webkit_policy_decision_ignore(decision);
    return TRUE;
}

static void end_observer(gpointer data) {
    Observer *observer = data;
    observer->release(observer->data);
    g_free(observer);
}

void sterna_webkit_observe(GtkWidget *view, const SternaWebKitEvents *events, gpointer data, void (*release)(gpointer data)) {
    Observer *observer = g_new(Observer, 1);
    *observer = (Observer){*events, data, release};
    g_object_set_data_full(G_OBJECT(view), "sterna-observer", observer, end_observer);
    g_signal_connect(view, "notify::estimated-load-progress", G_CALLBACK(on_progress), observer);
    g_signal_connect(view, "load-changed", G_CALLBACK(on_load), observer);
    g_signal_connect(view, "load-failed", G_CALLBACK(on_failure), observer);
    g_signal_connect(view, "decide-policy", G_CALLBACK(on_policy), observer);
}
