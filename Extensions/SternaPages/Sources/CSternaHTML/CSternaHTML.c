#include "CSternaHTML.h"

#include <libxml/HTMLparser.h>
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <string.h>

// The parser searches all open elements for each end tag that has no start tag, and all attributes of a tag for each further one. So
// their numbers have a limit, and so has the work done for mistakes and for tags with many attributes.
#define DEEPEST 2048
#define MOST_WORK 100000000L

// The bytes of names, above which the parser takes no further block of them: there are 85,000 bytes at most, and so less than 20,000
// attributes in a tag.
#define NAME_BYTES 22000

typedef struct {
    const sterna_html_events *events;
    htmlParserCtxtPtr parser;
    sterna_html_result result;
    long work;
    // The places of paragraphs in the stack of open elements that the parser has added around text.
    int implied[8];
    int implied_count;
    // The number of open elements of SVG and MathML, in which a slash ends an element.
    int foreign;
} run;

static int is(const xmlChar *name, const char *other) { return strcmp((const char *)name, other) == 0; }

static int is_foreign(const xmlChar *name) { return is(name, "svg") || is(name, "math"); }

// Whether the parser has added an element: behind a name in the document stands the end of its tag.
static int is_implied(run *self, const xmlChar *name, const xmlChar **attributes) {
    if (!is(name, "p") || attributes != NULL) return 0;
    xmlChar next = *self->parser->input->cur;
    return next != '>' && next != '/';
}

// Elements without content that libxml2 does not know.
static int is_newer_void(const xmlChar *name) { return is(name, "source") || is(name, "track") || is(name, "wbr"); }

// Passes over a slash that ends the tag of an element of HTML, which means nothing there; the parser would end the element.
static void skip_slash(run *self, const xmlChar *name) {
    xmlParserInputPtr input = self->parser->input;
    int is_closed = input->cur + 1 < input->end && input->cur[0] == '/' && input->cur[1] == '>';
    if (is_foreign(name)) {
        if (!is_closed) self->foreign += 1;
    } else if (is_closed && self->foreign == 0 && !is_newer_void(name)) {
        input->cur += 1;
    }
}

static void stop(run *self, sterna_html_result result) {
    if (self->result == STERNA_HTML_DONE) self->result = result;
    xmlStopParser(self->parser);
}

static void on_start(void *data, const xmlChar *name, const xmlChar **attributes) {
    static const char *const none[] = {NULL};
    run *self = data;
    if (self->result != STERNA_HTML_DONE) return;
    if (self->parser->nameNr > DEEPEST) {
        stop(self, STERNA_HTML_TOO_COMPLEX);
        return;
    }
    int depth = self->parser->nameNr;
    while (self->implied_count > 0 && self->implied[self->implied_count - 1] >= depth) self->implied_count -= 1;
    if (self->implied_count < 8 && is_implied(self, name, attributes)) {
        self->implied[self->implied_count] = depth;
        self->implied_count += 1;
        return;
    }
    skip_slash(self, name);
    const char *const *list = attributes ? (const char *const *)attributes : none;
    long count = 0;
    while (list[2 * count]) count += 1;
    self->work += count * count / 2;
    if (self->work > MOST_WORK) {
        stop(self, STERNA_HTML_TOO_COMPLEX);
        return;
    }
    if (self->events->start(self->events->context, (const char *)name, list)) stop(self, STERNA_HTML_STOPPED);
}

static void on_end(void *data, const xmlChar *name) {
    run *self = data;
    if (self->result != STERNA_HTML_DONE) return;
    if (self->implied_count > 0 && self->implied[self->implied_count - 1] == self->parser->nameNr && is(name, "p")) {
        self->implied_count -= 1;
        return;
    }
    if (is_foreign(name) && self->foreign > 0) self->foreign -= 1;
    if (self->events->end(self->events->context, (const char *)name)) stop(self, STERNA_HTML_STOPPED);
}

static void on_text(run *self, const xmlChar *text, int count, int is_raw) {
    if (self->result != STERNA_HTML_DONE || count <= 0) return;
    if (self->events->text(self->events->context, (const char *)text, count, is_raw)) stop(self, STERNA_HTML_STOPPED);
}

static void on_characters(void *data, const xmlChar *text, int count) { on_text(data, text, count, 0); }

static void on_raw(void *data, const xmlChar *text, int count) { on_text(data, text, count, 1); }

static void on_comment(void *data, const xmlChar *text) {
    run *self = data;
    if (self->result != STERNA_HTML_DONE || text == NULL) return;
    if (self->events->comment(self->events->context, (const char *)text)) stop(self, STERNA_HTML_STOPPED);
}

static void on_doctype(void *data, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id) {
    run *self = data;
    if (self->result != STERNA_HTML_DONE || name == NULL) return;
    if (self->events->doctype(self->events->context, (const char *)name, (const char *)public_id, (const char *)system_id))
        stop(self, STERNA_HTML_STOPPED);
}

// Called for each mistake; one with an end tag has cost a search through the open elements, one with an attribute through the others.
#if LIBXML_VERSION >= 21200
static void on_mistake(void *data, const xmlError *error) {
#else
static void on_mistake(void *data, xmlErrorPtr error) {
#endif
    (void)error;
    run *self = data;
    self->work += 1 + self->parser->nameNr + self->parser->maxatts / 2;
    if (self->work > MOST_WORK) stop(self, STERNA_HTML_TOO_COMPLEX);
}

void sterna_html_initialize(void) { xmlInitParser(); }

sterna_html_result sterna_html_parse(const char *bytes, int count, const sterna_html_events *events) {
    if (count <= 0) return STERNA_HTML_DONE;
    htmlParserCtxtPtr parser = htmlCreateMemoryParserCtxt(bytes, count);
    if (parser == NULL) return STERNA_HTML_NO_MEMORY;
    run self = {.events = events, .parser = parser, .result = STERNA_HTML_DONE};
    // Sets the handlers' options, too, so that ours come after it.
    htmlCtxtUseOptions(
        parser, HTML_PARSE_RECOVER | HTML_PARSE_NONET | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NODEFDTD
                    | HTML_PARSE_NOIMPLIED | HTML_PARSE_IGNORE_ENC);
    xmlDictSetLimit(parser->dict, NAME_BYTES);
    xmlCharEncodingHandlerPtr encoding = xmlFindCharEncodingHandler("UTF-8");
    if (encoding != NULL) xmlSwitchToEncoding(parser, encoding);
    memset(parser->sax, 0, sizeof(*parser->sax));
    parser->sax->initialized = XML_SAX2_MAGIC;
    parser->sax->startElement = on_start;
    parser->sax->endElement = on_end;
    parser->sax->characters = on_characters;
    parser->sax->ignorableWhitespace = on_characters;
    parser->sax->cdataBlock = on_raw;
    parser->sax->comment = on_comment;
    parser->sax->internalSubset = on_doctype;
    parser->sax->serror = on_mistake;
    parser->userData = &self;
    htmlParseDocument(parser);
    sterna_html_result result = self.result;
    if (result == STERNA_HTML_DONE && parser->errNo == XML_ERR_NO_MEMORY) result = STERNA_HTML_NO_MEMORY;
    // There is no tree without handlers that build one; what there is of it goes with the parser.
    xmlDocPtr document = parser->myDoc;
    parser->myDoc = NULL;
    if (document != NULL) xmlFreeDoc(document);
    htmlFreeParserCtxt(parser);
    return result;
}
