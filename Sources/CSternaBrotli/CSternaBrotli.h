#ifndef C_STERNA_BROTLI_H
#define C_STERNA_BROTLI_H

#include <brotli/decode.h>
#include <brotli/encode.h>

#endif
