#include "CSternaCodecs.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/// Decoded profiles and other chunks are no longer than this.
static const png_alloc_size_t longestChunk = 4 << 20;

struct CSternaPNG {
    png_structp png;
    png_infop info;
    const uint8_t *rest;
    size_t count;
    /// What it may take in all, and what is left of it.
    size_t limit;
    size_t memory;
    CSternaCodecStatus status;
    jmp_buf jump;
};

static void fail(png_structp png, png_const_charp message) {
    CSternaPNG *decoder = png_get_error_ptr(png);
    (void)message;
    if (decoder->status == CSternaCodecDone) decoder->status = CSternaCodecDamaged;
    longjmp(decoder->jump, 1);
}

static void ignore(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void readBytes(png_structp png, png_bytep target, size_t count) {
    CSternaPNG *decoder = png_get_io_ptr(png);
    if (count > decoder->count) {
        decoder->status = CSternaCodecTruncated;
        png_error(png, "end");
    }
    memcpy(target, decoder->rest, count);
    decoder->rest += count;
    decoder->count -= count;
}

/// Before each area stands its size, in as many bytes as keep the alignment.
enum { prefix = 16 };

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
    CSternaPNG *decoder = png_get_mem_ptr(png);
    if (size > decoder->memory || size > SIZE_MAX - prefix) {
        decoder->status = CSternaCodecLimit;
        return NULL;
    }
    uint8_t *area = malloc(size + prefix);
    if (!area) return NULL;
    memcpy(area, &size, sizeof size);
    decoder->memory -= size;
    return area + prefix;
}

static void release(png_structp png, png_voidp pointer) {
    if (!pointer) return;
    CSternaPNG *decoder = png_get_mem_ptr(png);
    uint8_t *area = (uint8_t *)pointer - prefix;
    png_alloc_size_t size;
    memcpy(&size, area, sizeof size);
    decoder->memory += size;
    free(area);
}

static void readInfo(CSternaPNG *decoder, CSternaPNGInfo *info) {
    png_structp png = decoder->png;
    png_read_info(png, decoder->info);
    // What decides on the output is set before the colours are asked for.
    png_set_scale_16(png);
    png_set_expand(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    info->width = png_get_image_width(png, decoder->info);
    info->height = png_get_image_height(png, decoder->info);
    png_charp name;
    int compression;
    png_bytep profile;
    png_uint_32 length;
    int intent;
    if (!png_get_sRGB(png, decoder->info, &intent)
        && png_get_iCCP(png, decoder->info, &name, &compression, &profile, &length)) {
        info->profile = (CSternaCodecBytes){profile, length};
    }
    png_bytep exif;
    if (png_get_eXIf_1(png, decoder->info, &length, &exif)) info->exif = (CSternaCodecBytes){exif, length};
}

CSternaPNG *CSternaPNG_open(CSternaCodecBytes file, size_t memory, CSternaPNGInfo *info, CSternaCodecStatus *status) {
    memset(info, 0, sizeof *info);
    *status = CSternaCodecLimit;
    CSternaPNG *const decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->rest = file.bytes;
    decoder->count = file.count;
    decoder->limit = memory;
    decoder->memory = memory;
    if (setjmp(decoder->jump)) {
        *status = decoder->status;
        CSternaPNG_close(decoder);
        return NULL;
    }
    decoder->png = png_create_read_struct_2(
        PNG_LIBPNG_VER_STRING, decoder, fail, ignore, decoder, allocate, release);
    if (decoder->png) decoder->info = png_create_info_struct(decoder->png);
    if (!decoder->info) {
        CSternaPNG_close(decoder);
        return NULL;
    }
    png_set_read_fn(decoder->png, decoder, readBytes);
    // In small pieces, since what is left of an incomplete file is not passed on if it is less than one.
    png_set_compression_buffer_size(decoder->png, 1024);
    png_set_chunk_malloc_max(decoder->png, longestChunk);
    png_set_chunk_cache_max(decoder->png, 64);
    readInfo(decoder, info);
    *status = CSternaCodecDone;
    return decoder;
}

CSternaCodecStatus CSternaPNG_restrict(CSternaPNG *decoder, size_t memory) {
    size_t used = decoder->limit - decoder->memory;
    if (memory < used) return CSternaCodecLimit;
    decoder->limit = memory;
    decoder->memory = memory - used;
    return CSternaCodecDone;
}

CSternaCodecStatus CSternaPNG_decode(CSternaPNG *decoder, uint8_t *pixels, size_t bytesPerRow) {
    if (setjmp(decoder->jump)) return decoder->status;
    png_structp png = decoder->png;
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, decoder->info);
    if (png_get_rowbytes(png, decoder->info) > bytesPerRow) return CSternaCodecDamaged;
    png_uint_32 height = png_get_image_height(png, decoder->info);
    for (int pass = 0; pass < passes; pass++) {
        for (png_uint_32 row = 0; row < height; row++) png_read_row(png, pixels + row * bytesPerRow, NULL);
    }
    png_read_end(png, NULL);
    return CSternaCodecDone;
}

void CSternaPNG_close(CSternaPNG *decoder) {
    png_destroy_read_struct(&decoder->png, &decoder->info, NULL);
    free(decoder);
}
