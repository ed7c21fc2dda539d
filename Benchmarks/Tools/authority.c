// Preloaded into URLSession's client: each handle of libcurl that it makes trusts the file of TRUST_AUTHORITY. On Linux URLSession
// trusts what libcurl does, and has no setting for that.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

enum { CAINFO = 10065 };

void *curl_easy_init(void) {
    static void *(*make)(void);
    static int (*set)(void *, int, ...);
    if (!make) {
        set = (int (*)(void *, int, ...))dlsym(RTLD_NEXT, "curl_easy_setopt");
        make = (void *(*)(void))dlsym(RTLD_NEXT, "curl_easy_init");
    }
    void *easy = make();
    const char *file = getenv("TRUST_AUTHORITY");
    if (easy && file) set(easy, CAINFO, file);
    return easy;
}
