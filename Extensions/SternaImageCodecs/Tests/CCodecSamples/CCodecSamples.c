#include "CCodecSamples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <lcms2.h>
#include <webp/encode.h>

uint8_t *CCodecSamples_jpeg(
    const uint8_t *pixels, int width, int height, int components, int isProgressive, const uint8_t *profile,
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
    jpeg_set_quality(&info, 100, TRUE);
    // Without subsampling, so that colours stay near what they were.
    for (int index = 0; index < info.num_components; index++) {
        info.comp_info[index].h_samp_factor = info.comp_info[index].v_samp_factor = 1;
    }
    if (isProgressive) jpeg_simple_progression(&info);
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

uint8_t *CCodecSamples_webp(const uint8_t *pixels, int width, int height, float quality, size_t *count) {
    uint8_t *file = NULL;
    *count = quality < 0 ? WebPEncodeLosslessRGBA(pixels, width, height, 4 * width, &file)
                         : WebPEncodeRGBA(pixels, width, height, 4 * width, quality, &file);
    return file;
}

uint8_t *CCodecSamples_swappedProfile(size_t *count) {
    const cmsCIExyY white = {0.3127, 0.3290, 1};
    const cmsCIExyYTRIPLE primaries = {{0.15, 0.06, 1}, {0.30, 0.60, 1}, {0.64, 0.33, 1}};
    cmsToneCurve *curve = cmsBuildGamma(NULL, 2.2);
    cmsToneCurve *const curves[3] = {curve, curve, curve};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, curves);
    cmsFreeToneCurve(curve);
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
