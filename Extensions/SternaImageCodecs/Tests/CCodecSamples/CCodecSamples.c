#include "CCodecSamples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <lcms2.h>
#include <webp/encode.h>

/// How a file is encoded: `quality` up to 100; colours with half the resolution, as cameras have them, or the whole.
typedef struct {
    int quality;
    int halvesColours;
    /// 0 for one scan, 1 for a progressive image, 2 for a scan of each component.
    int scans;
} JPEGStyle;

static uint8_t *encode(const uint8_t *pixels, int width, int height, int components, JPEGStyle style, const uint8_t *profile,
                       size_t profileCount, size_t *count) {
    struct jpeg_compress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    unsigned char *file = NULL;
    unsigned long size = 0;
    jpeg_mem_dest(&info, &file, &size);
    info.image_width = (JDIMENSION)width;
    info.image_height = (JDIMENSION)height;
    info.input_components = components;
    info.in_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, style.quality, TRUE);
    for (int index = 0; !style.halvesColours && index < info.num_components; index++) {
        info.comp_info[index].h_samp_factor = info.comp_info[index].v_samp_factor = 1;
    }
    if (style.scans == 1) jpeg_simple_progression(&info);
    jpeg_scan_info scans[4];
    if (style.scans == 2) {
        memset(scans, 0, sizeof scans);
        for (int index = 0; index < info.num_components; index++) {
            scans[index].comps_in_scan = 1;
            scans[index].component_index[0] = index;
            scans[index].Se = 63;
        }
        info.scan_info = scans;
        info.num_scans = info.num_components;
    }
    jpeg_start_compress(&info, TRUE);
    if (profileCount) jpeg_write_icc_profile(&info, profile, (unsigned int)profileCount);
    while (info.next_scanline < info.image_height) {
        JSAMPROW row = (JSAMPROW)pixels + (size_t)info.next_scanline * (size_t)width * (size_t)components;
        jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    jpeg_destroy_compress(&info);
    *count = size;
    return file;
}

uint8_t *CCodecSamples_jpeg(
    const uint8_t *pixels, int width, int height, int components, int scans, const uint8_t *profile,
    size_t profileCount, size_t *count) {
    // Colours stay near what they were.
    JPEGStyle style = {100, 0, scans};
    return encode(pixels, width, height, components, style, profile, profileCount, count);
}

uint8_t *CCodecSamples_photo(int width, int height, int isProgressive, size_t *count) {
    *count = 0;
    uint8_t *pixels = malloc(3 * (size_t)width * (size_t)height);
    if (!pixels) return NULL;
    uint32_t random = 1;
    uint8_t *pixel = pixels;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++, pixel += 3) {
            random = random * 1664525 + 1013904223;
            int noise = (int)(random >> 28) - 8;
            // Edges every 97 and 61 pixels, as those of things.
            int shade = 60 + 90 * x / width + 60 * y / height + ((x / 97 + y / 61) % 2) * 30 + noise;
            pixel[0] = (uint8_t)shade;
            pixel[1] = (uint8_t)(shade * 3 / 4 + 20);
            pixel[2] = (uint8_t)(255 - shade);
        }
    }
    JPEGStyle style = {90, 1, isProgressive};
    uint8_t *file = encode(pixels, width, height, 3, style, NULL, 0, count);
    free(pixels);
    return file;
}

uint8_t *CCodecSamples_decodeJPEG(const uint8_t *file, size_t count, int eighths, int *width, int *height) {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    info.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, file, count);
    jpeg_read_header(&info, TRUE);
    info.scale_num = (unsigned int)eighths;
    info.scale_denom = 8;
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    *width = (int)info.output_width;
    *height = (int)info.output_height;
    uint8_t *pixels = malloc(3 * (size_t)info.output_width * info.output_height);
    while (pixels && info.output_scanline < info.output_height) {
        JSAMPROW row = pixels + 3 * (size_t)info.output_width * info.output_scanline;
        jpeg_read_scanlines(&info, &row, 1);
    }
    if (pixels) jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    return pixels;
}

uint8_t *CCodecSamples_webp(const uint8_t *pixels, int width, int height, float quality, size_t *count) {
    uint8_t *file = NULL;
    *count = quality < 0 ? WebPEncodeLosslessRGBA(pixels, width, height, 4 * width, &file)
                         : WebPEncodeRGBA(pixels, width, height, 4 * width, quality, &file);
    return file;
}

static uint8_t *saved(cmsHPROFILE profile, size_t *count) {
    cmsUInt32Number size = 0;
    uint8_t *bytes = NULL;
    if (profile && cmsSaveProfileToMem(profile, NULL, &size)) {
        bytes = malloc(size);
        if (bytes) cmsSaveProfileToMem(profile, bytes, &size);
    }
    if (profile) cmsCloseProfile(profile);
    *count = size;
    return bytes;
}

uint8_t *CCodecSamples_linearGreyProfile(size_t *count) {
    cmsToneCurve *curve = cmsBuildGamma(NULL, 1);
    cmsHPROFILE profile = cmsCreateGrayProfile(cmsD50_xyY(), curve);
    cmsFreeToneCurve(curve);
    return saved(profile, count);
}

uint8_t *CCodecSamples_swappedProfile(size_t *count) {
    const cmsCIExyY white = {0.3127, 0.3290, 1};
    const cmsCIExyYTRIPLE primaries = {{0.15, 0.06, 1}, {0.30, 0.60, 1}, {0.64, 0.33, 1}};
    cmsToneCurve *curve = cmsBuildGamma(NULL, 2.2);
    cmsToneCurve *const curves[3] = {curve, curve, curve};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, curves);
    cmsFreeToneCurve(curve);
    return saved(profile, count);
}
