#include "CSternaCodecs.h"

#include <stdlib.h>
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

static CSternaCodecBytes chunk(WebPDemuxer *demuxer, const char *name) {
    WebPChunkIterator iterator;
    CSternaCodecBytes found = {NULL, 0};
    if (WebPDemuxGetChunk(demuxer, name, 1, &iterator)) {
        found = (CSternaCodecBytes){iterator.chunk.bytes, iterator.chunk.size};
        WebPDemuxReleaseChunkIterator(&iterator);
    }
    return found;
}

static CSternaCodecStatus status(VP8StatusCode code) {
    switch (code) {
    case VP8_STATUS_OK: return CSternaCodecDone;
    case VP8_STATUS_NOT_ENOUGH_DATA:
    case VP8_STATUS_SUSPENDED: return CSternaCodecTruncated;
    case VP8_STATUS_OUT_OF_MEMORY: return CSternaCodecLimit;
    default: return CSternaCodecDamaged;
    }
}

CSternaCodecStatus CSternaWebP_info(CSternaCodecBytes file, CSternaWebPInfo *info) {
    memset(info, 0, sizeof *info);
    WebPBitstreamFeatures features;
    VP8StatusCode code = WebPGetFeatures(file.bytes, file.count, &features);
    if (code != VP8_STATUS_OK) return status(code);
    info->width = (uint32_t)features.width;
    info->height = (uint32_t)features.height;
    info->isAnimated = features.has_animation;
    WebPDemuxState state;
    WebPData data = {file.bytes, file.count};
    WebPDemuxer *demuxer = WebPDemuxPartial(&data, &state);
    if (!demuxer) return features.has_animation ? CSternaCodecDamaged : CSternaCodecDone;
    info->profile = chunk(demuxer, "ICCP");
    info->exif = chunk(demuxer, "EXIF");
    info->frames = WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT);
    info->loops = WebPDemuxGetI(demuxer, WEBP_FF_LOOP_COUNT);
    WebPDemuxDelete(demuxer);
    if (!features.has_animation || state == WEBP_DEMUX_DONE) return CSternaCodecDone;
    return state == WEBP_DEMUX_PARSE_ERROR ? CSternaCodecDamaged : CSternaCodecTruncated;
}

CSternaCodecStatus CSternaWebP_decode(
    CSternaCodecBytes file, uint32_t width, uint32_t height, int premultiplies, uint8_t *pixels, size_t bytesPerRow) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config)) return CSternaCodecDamaged;
    VP8StatusCode code = WebPGetFeatures(file.bytes, file.count, &config.input);
    if (code != VP8_STATUS_OK) return status(code);
    if ((uint32_t)config.input.width != width || (uint32_t)config.input.height != height) {
        config.options.use_scaling = 1;
        config.options.scaled_width = (int)width;
        config.options.scaled_height = (int)height;
    }
    config.output.colorspace = premultiplies ? MODE_rgbA : MODE_RGBA;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)bytesPerRow;
    config.output.u.RGBA.size = bytesPerRow * height;
    // Incremental, so that the rows are there that come before the end of an incomplete file.
    WebPIDecoder *decoder = WebPIDecode(NULL, 0, &config);
    if (!decoder) return CSternaCodecLimit;
    code = WebPIUpdate(decoder, file.bytes, file.count);
    WebPIDelete(decoder);
    WebPFreeDecBuffer(&config.output);
    return status(code);
}

struct CSternaWebPAnimation {
    WebPAnimDecoder *decoder;
    uint32_t *delays;
    uint32_t frames;
};

CSternaWebPAnimation *CSternaWebPAnimation_open(CSternaCodecBytes file, int premultiplies) {
    CSternaWebPAnimation *animation = calloc(1, sizeof *animation);
    if (!animation) return NULL;
    WebPAnimDecoderOptions options;
    WebPData data = {file.bytes, file.count};
    if (WebPAnimDecoderOptionsInit(&options)) {
        options.color_mode = premultiplies ? MODE_rgbA : MODE_RGBA;
        options.use_threads = 0;
        animation->decoder = WebPAnimDecoderNew(&data, &options);
    }
    if (!animation->decoder) {
        free(animation);
        return NULL;
    }
    const WebPDemuxer *demuxer = WebPAnimDecoderGetDemuxer(animation->decoder);
    animation->frames = WebPDemuxGetI(demuxer, WEBP_FF_FRAME_COUNT);
    animation->delays = calloc(animation->frames ? animation->frames : 1, sizeof *animation->delays);
    if (!animation->delays) {
        CSternaWebPAnimation_close(animation);
        return NULL;
    }
    WebPIterator iterator;
    if (WebPDemuxGetFrame(demuxer, 1, &iterator)) {
        uint32_t index = 0;
        do {
            animation->delays[index++] = iterator.duration < 0 ? 0 : (uint32_t)iterator.duration;
        } while (index < animation->frames && WebPDemuxNextFrame(&iterator));
        WebPDemuxReleaseIterator(&iterator);
    }
    return animation;
}

uint32_t CSternaWebPAnimation_delay(const CSternaWebPAnimation *animation, uint32_t index) {
    return index < animation->frames ? animation->delays[index] : 0;
}

const uint8_t *CSternaWebPAnimation_next(CSternaWebPAnimation *animation) {
    uint8_t *pixels = NULL;
    int timestamp;
    if (!WebPAnimDecoderHasMoreFrames(animation->decoder)) return NULL;
    return WebPAnimDecoderGetNext(animation->decoder, &pixels, &timestamp) ? pixels : NULL;
}

void CSternaWebPAnimation_rewind(CSternaWebPAnimation *animation) { WebPAnimDecoderReset(animation->decoder); }

void CSternaWebPAnimation_close(CSternaWebPAnimation *animation) {
    WebPAnimDecoderDelete(animation->decoder);
    free(animation->delays);
    free(animation);
}
