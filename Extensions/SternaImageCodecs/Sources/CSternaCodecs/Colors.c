#include "CSternaCodecs.h"

#include <lcms2.h>

static uint8_t product(uint32_t one, uint32_t other) {
    uint32_t sum = one * other + 128;
    return (uint8_t)((sum + (sum >> 8)) >> 8);
}

void CSternaColor_premultiply(uint8_t *pixels, size_t count) {
    for (size_t index = 0; index < count; index++, pixels += 4) {
        if (pixels[3] == 0xFF) continue;
        for (int channel = 0; channel < 3; channel++) pixels[channel] = product(pixels[channel], pixels[3]);
    }
}

void CSternaColor_convertCMYK(uint8_t *pixels, size_t count, int isInverted) {
    for (size_t index = 0; index < count; index++, pixels += 4) {
        uint8_t black = isInverted ? pixels[3] : 0xFF - pixels[3];
        for (int channel = 0; channel < 3; channel++) {
            pixels[channel] = product(isInverted ? pixels[channel] : 0xFF - pixels[channel], black);
        }
        pixels[3] = 0xFF;
    }
}

/// A profile is no longer than this; those of printers have about a megabyte.
static const size_t longestProfile = 4 << 20;

/// Whether the pixels are greys alone.
static int isGrey(const uint8_t *pixels, size_t count) {
    for (size_t index = 0; index < count; index++, pixels += 4) {
        if (pixels[0] != pixels[1] || pixels[0] != pixels[2]) return 0;
    }
    return 1;
}

int CSternaColor_convert(CSternaCodecBytes profile, CSternaColors colors, uint8_t *pixels, size_t count) {
    if (!profile.bytes || profile.count > longestProfile || count > UINT32_MAX) return 0;
    cmsContext context = cmsCreateContext(NULL, NULL);
    if (!context) return 0;
    cmsHPROFILE source = cmsOpenProfileFromMemTHR(context, profile.bytes, (cmsUInt32Number)profile.count);
    cmsHPROFILE target = cmsCreate_sRGBProfileTHR(context);
    cmsHTRANSFORM transform = NULL;
    cmsColorSpaceSignature space = colors == CSternaColorsRGBA ? cmsSigRgbData : cmsSigCmykData;
    // The profile of a grey image; its pixels have the grey thrice.
    int hasGreys = source && colors == CSternaColorsRGBA && cmsGetColorSpace(source) == cmsSigGrayData && isGrey(pixels, count);
    if (source && target && (hasGreys || cmsGetColorSpace(source) == space)) {
        cmsUInt32Number format = hasGreys ? COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1)
            : colors == CSternaColorsRGBA ? TYPE_RGBA_8
            : colors == CSternaColorsCMYK ? TYPE_CMYK_8 : TYPE_CMYK_8_REV;
        // Of greys, the alpha is left where it is.
        cmsUInt32Number flags = colors == CSternaColorsRGBA && !hasGreys ? cmsFLAGS_COPY_ALPHA : 0;
        transform = cmsCreateTransformTHR(
            context, source, format, target, TYPE_RGBA_8, INTENT_PERCEPTUAL, flags);
    }
    if (transform) {
        cmsDoTransform(transform, pixels, pixels, (cmsUInt32Number)count);
        cmsDeleteTransform(transform);
        if (colors != CSternaColorsRGBA) {
            for (size_t index = 0; index < count; index++) pixels[4 * index + 3] = 0xFF;
        }
    }
    if (source) cmsCloseProfile(source);
    if (target) cmsCloseProfile(target);
    cmsDeleteContext(context);
    return transform != NULL;
}
