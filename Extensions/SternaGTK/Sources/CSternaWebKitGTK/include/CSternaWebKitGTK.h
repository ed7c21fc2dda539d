// What Swift cannot call of WebKitGTK: variadic functions, and callbacks with several arguments.

#ifndef CSTERNA_WEBKIT_GTK_H
#define CSTERNA_WEBKIT_GTK_H

#include <stdbool.h>
#include <stdint.h>
#include <webkit/webkit.h>

// Makes a view with a context and a network session of its own, which keep nothing: cookies and caches are the program's.
GtkWidget *sterna_webkit_view(WebKitWebContext *context);

// Has requests of a scheme answered by a function, which may answer later. The scheme counts as secure if it is, and takes part in CORS.
void sterna_webkit_register(WebKitWebContext *context, const char *scheme, bool is_secure,
                            void (*asked)(gpointer data, WebKitURISchemeRequest *request), gpointer data, void (*release)(gpointer data));

// Calls a function with each header field of a request.
void sterna_webkit_fields(WebKitURISchemeRequest *request, void (*field)(const char *name, const char *value, gpointer data), gpointer data);

// Reads the body of a request up to a limit; returns NULL with `count` 0 for none, and with `count` -1 for a longer or unreadable one. To be
// freed with g_free.
uint8_t *sterna_webkit_body(WebKitURISchemeRequest *request, int64_t limit, int64_t *count);

// Answers a request. `bytes` are copied; `fields` are names and values in turn, ended by NULL.
void sterna_webkit_answer(WebKitURISchemeRequest *request, unsigned status, const char *type, const char *const *fields,
                          const void *bytes, size_t count);

// Answers a request with an error.
void sterna_webkit_fail(WebKitURISchemeRequest *request, const char *message);

typedef struct {
    // The estimated progress has changed.
    void (*progressed)(gpointer data, double fraction);
    // A load has started (0), was redirected (1), committed (2), or has finished (3).
    void (*loaded)(gpointer data, int event);
    void (*failed)(gpointer data, const char *uri, const char *message, bool is_cancelled);
    // Returns whether the view must not load a URI itself.
    bool (*refuses)(gpointer data, const char *uri, bool is_new_window);
} SternaWebKitEvents;

// Calls functions for the events of a view. `release` is called with `data` when the view has ended.
void sterna_webkit_observe(GtkWidget *view, const SternaWebKitEvents *events, gpointer data, void (*release)(gpointer data));

#endif
