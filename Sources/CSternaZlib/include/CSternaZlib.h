#ifndef C_STERNA_ZLIB_H
#define C_STERNA_ZLIB_H

#include <zlib.h>

// zlib's inflateInit2 and deflateInit2 are macros, which Swift cannot call.
int CSternaZlib_inflateInit2(z_streamp stream, int windowBits);
int CSternaZlib_deflateInit2(z_streamp stream, int level, int windowBits);

#endif
