#ifndef CSTERNA_HTML_H
#define CSTERNA_HTML_H

/// What libxml2's HTML parser finds, in the order of the document. All text is UTF-8 and ends with a NUL. A callback that returns
/// something else than 0 ends the parsing.
typedef struct {
    void *context;
    /// The attributes are names and values in turn, and end with NULL. A value is NULL where the attribute has none.
    int (*start)(void *context, const char *name, const char *const *attributes);
    int (*end)(void *context, const char *name);
    /// Text; raw in `script` and `style`, whose bytes stand in the document as they are.
    int (*text)(void *context, const char *bytes, int count, int is_raw);
    int (*comment)(void *context, const char *text);
    int (*doctype)(void *context, const char *name, const char *public_id, const char *system_id);
} sterna_html_events;

typedef enum {
    STERNA_HTML_DONE = 0,
    /// A callback has ended it.
    STERNA_HTML_STOPPED = 1,
    /// Elements are nested too deeply, or there are so many mistakes in deep elements that going on would take too long.
    STERNA_HTML_TOO_COMPLEX = 2,
    STERNA_HTML_NO_MEMORY = 3,
} sterna_html_result;

/// Parses a document in UTF-8 as leniently as libxml2 can. It needs no tree, and never uses the network or the file system.
sterna_html_result sterna_html_parse(const char *bytes, int count, const sterna_html_events *events);

/// Prepares libxml2 for use by several threads; to be called once, before the first document.
void sterna_html_initialize(void);

#endif
