#include "CSternaCodecs.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

struct CSternaGIF {
    GifFileType *gif;
    const uint8_t *rest;
    size_t count;
    int isAtEnd;
    uint32_t loops;
    GraphicsControlBlock control;
};

static int readBytes(GifFileType *gif, GifByteType *target, int count) {
    CSternaGIF *decoder = gif->UserData;
    if (count < 0) return 0;
    size_t taken = (size_t)count;
    if (taken > decoder->count) {
        taken = decoder->count;
        decoder->isAtEnd = 1;
    }
    memcpy(target, decoder->rest, taken);
    decoder->rest += taken;
    decoder->count -= taken;
    return (int)taken;
}

static CSternaCodecStatus failure(const CSternaGIF *decoder) {
    if (decoder->isAtEnd) return CSternaCodecTruncated;
    return decoder->gif && decoder->gif->Error == D_GIF_ERR_NOT_ENOUGH_MEM ? CSternaCodecLimit : CSternaCodecDamaged;
}

CSternaGIF *CSternaGIF_open(CSternaCodecBytes file, uint32_t *width, uint32_t *height, CSternaCodecStatus *status) {
    *status = CSternaCodecLimit;
    CSternaGIF *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->rest = file.bytes;
    decoder->count = file.count;
    decoder->loops = 1;
    int error = 0;
    decoder->gif = DGifOpen(decoder, readBytes, &error);
    if (!decoder->gif) {
        *status = failure(decoder);
        free(decoder);
        return NULL;
    }
    *width = (uint32_t)decoder->gif->SWidth;
    *height = (uint32_t)decoder->gif->SHeight;
    *status = CSternaCodecDone;
    return decoder;
}

/// Reads the extension whose head was read: how the next frame is shown, and how often all are.
static CSternaCodecStatus readExtension(CSternaGIF *decoder) {
    int code;
    GifByteType *block;
    if (DGifGetExtension(decoder->gif, &code, &block) == GIF_ERROR) return failure(decoder);
    int isLooping = 0;
    while (block) {
        if (code == GRAPHICS_EXT_FUNC_CODE && block[0] >= 4) {
            DGifExtensionToGCB(block[0], block + 1, &decoder->control);
        } else if (code == APPLICATION_EXT_FUNC_CODE && block[0] == 11) {
            isLooping = !memcmp(block + 1, "NETSCAPE2.0", 11) || !memcmp(block + 1, "ANIMEXTS1.0", 11);
        } else if (isLooping && block[0] >= 3 && block[1] == 1) {
            uint32_t again = (uint32_t)block[2] | (uint32_t)block[3] << 8;
            decoder->loops = again ? again + 1 : 0;
        }
        if (DGifGetExtensionNext(decoder->gif, &block) == GIF_ERROR) return failure(decoder);
    }
    return CSternaCodecDone;
}

CSternaCodecStatus CSternaGIF_next(CSternaGIF *decoder, CSternaGIFFrame *frame) {
    decoder->control = (GraphicsControlBlock){DISPOSAL_UNSPECIFIED, 0, 0, NO_TRANSPARENT_COLOR};
    for (;;) {
        GifRecordType type;
        if (DGifGetRecordType(decoder->gif, &type) == GIF_ERROR) return failure(decoder);
        if (type == TERMINATE_RECORD_TYPE) return CSternaCodecEnd;
        if (type == EXTENSION_RECORD_TYPE) {
            CSternaCodecStatus status = readExtension(decoder);
            if (status != CSternaCodecDone) return status;
        } else if (type == IMAGE_DESC_RECORD_TYPE) {
            if (DGifGetImageHeader(decoder->gif) == GIF_ERROR) return failure(decoder);
            const GifImageDesc *image = &decoder->gif->Image;
            frame->left = (uint32_t)image->Left;
            frame->top = (uint32_t)image->Top;
            frame->width = (uint32_t)image->Width;
            frame->height = (uint32_t)image->Height;
            frame->delay = (uint32_t)decoder->control.DelayTime;
            frame->disposal = (uint32_t)decoder->control.DisposalMode;
            return CSternaCodecDone;
        } else {
            return CSternaCodecDamaged;
        }
    }
}

CSternaCodecStatus CSternaGIF_skip(CSternaGIF *decoder) {
    int size;
    GifByteType *block;
    if (DGifGetCode(decoder->gif, &size, &block) == GIF_ERROR) return failure(decoder);
    while (block) {
        if (DGifGetCodeNext(decoder->gif, &block) == GIF_ERROR) return failure(decoder);
    }
    return CSternaCodecDone;
}

static void drawLine(
    const CSternaGIF *decoder, const GifByteType *line, uint32_t y, uint8_t *canvas, uint32_t width, uint32_t height) {
    const GifImageDesc *image = &decoder->gif->Image;
    const ColorMapObject *map = image->ColorMap ? image->ColorMap : decoder->gif->SColorMap;
    uint32_t row = (uint32_t)image->Top + y;
    if (row >= height || !map) return;
    for (uint32_t x = 0; x < (uint32_t)image->Width; x++) {
        uint32_t column = (uint32_t)image->Left + x;
        if (column >= width) break;
        int index = line[x];
        if (index == decoder->control.TransparentColor || index >= map->ColorCount) continue;
        uint8_t *pixel = canvas + ((size_t)row * width + column) * 4;
        pixel[0] = map->Colors[index].Red;
        pixel[1] = map->Colors[index].Green;
        pixel[2] = map->Colors[index].Blue;
        pixel[3] = 0xFF;
    }
}

CSternaCodecStatus CSternaGIF_draw(CSternaGIF *decoder, uint8_t *canvas, uint32_t width, uint32_t height) {
    static const uint32_t starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
    const GifImageDesc *image = &decoder->gif->Image;
    uint32_t rows = (uint32_t)image->Height;
    GifByteType *line = malloc((size_t)(image->Width > 0 ? image->Width : 1));
    if (!line) return CSternaCodecLimit;
    CSternaCodecStatus status = CSternaCodecDone;
    int passes = image->Interlace ? 4 : 1;
    for (int pass = 0; pass < passes && status == CSternaCodecDone; pass++) {
        uint32_t step = image->Interlace ? steps[pass] : 1;
        for (uint32_t y = image->Interlace ? starts[pass] : 0; y < rows; y += step) {
            if (DGifGetLine(decoder->gif, line, image->Width) == GIF_ERROR) {
                status = failure(decoder);
                break;
            }
            drawLine(decoder, line, y, canvas, width, height);
        }
    }
    free(line);
    return status;
}

uint32_t CSternaGIF_loops(const CSternaGIF *decoder) { return decoder->loops; }

void CSternaGIF_close(CSternaGIF *decoder) {
    int error;
    if (decoder->gif) DGifCloseFile(decoder->gif, &error);
    free(decoder);
}
