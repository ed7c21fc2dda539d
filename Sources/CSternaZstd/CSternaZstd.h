#ifndef C_STERNA_ZSTD_H
#define C_STERNA_ZSTD_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
