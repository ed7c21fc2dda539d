#include "CSternaCodecs.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

struct CSternaJPEG {
    struct jpeg_decompress_struct info;
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    int scans;
    CSternaCodecStatus status;
    uint8_t *profile;
    jmp_buf jump;
};

static void fail(j_common_ptr info) {
    CSternaJPEG *decoder = info->client_data;
    int code = info->err->msg_code;
    if (code == JERR_OUT_OF_MEMORY || code == JERR_NO_BACKING_STORE) {
        decoder->status = CSternaCodecLimit;
    } else if (code == JERR_INPUT_EOF || code == JERR_INPUT_EMPTY) {
        decoder->status = CSternaCodecTruncated;
    } else if (decoder->status == CSternaCodecDone) {
        decoder->status = CSternaCodecDamaged;
    }
    longjmp(decoder->jump, 1);
}

/// The library goes on after what it calls a warning, with grey in place of what is missing.
static void warn(j_common_ptr info, int level) {
    if (level >= 0) return;
    CSternaJPEG *decoder = info->client_data;
    switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
        decoder->status = CSternaCodecTruncated;
        break;
    // Bytes between segments do no harm, and cameras write them; nor does an unknown colour transform.
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
        break;
    default:
        if (decoder->status == CSternaCodecDone) decoder->status = CSternaCodecDamaged;
    }
}

static void print(j_common_ptr info) { (void)info; }

static void countScans(j_common_ptr info) {
    CSternaJPEG *decoder = info->client_data;
    if (info->is_decompressor && decoder->info.input_scan_number > decoder->scans) {
        decoder->status = CSternaCodecLimit;
        longjmp(decoder->jump, 1);
    }
}

/// The length of a file without a segment at its end that is incomplete: the library would take what is missing for content, and fail with
/// all that came before.
static size_t lengthOfWholeSegments(CSternaCodecBytes file) {
    const uint8_t *bytes = file.bytes;
    size_t place = 2;
    while (place < file.count) {
        const uint8_t *found = memchr(bytes + place, 0xFF, file.count - place);
        if (!found) break;
        place = (size_t)(found - bytes);
        if (file.count - place < 4) break;
        uint8_t marker = bytes[place + 1];
        if (marker == 0xD9) break;
        if (marker == 0xFF) {
            place += 1;
        } else if (marker <= 1 || (marker >= 0xD0 && marker <= 0xD8)) {
            place += 2;
        } else {
            size_t length = (size_t)bytes[place + 2] << 8 | bytes[place + 3];
            if (length > file.count - place - 2) return place;
            place += 2 + length;
        }
    }
    return file.count;
}

static void readInfo(CSternaJPEG *decoder, CSternaCodecBytes file, CSternaJPEGInfo *result) {
    struct jpeg_decompress_struct *info = &decoder->info;
    jpeg_create_decompress(info);
    info->client_data = decoder;
    decoder->progress.progress_monitor = countScans;
    info->progress = &decoder->progress;
    jpeg_mem_src(info, file.bytes, lengthOfWholeSegments(file));
    jpeg_save_markers(info, JPEG_APP0 + 1, 0xFFFF);
    jpeg_save_markers(info, JPEG_APP0 + 2, 0xFFFF);
    jpeg_read_header(info, TRUE);
    result->width = info->image_width;
    result->height = info->image_height;
    result->isCMYK = info->jpeg_color_space == JCS_CMYK || info->jpeg_color_space == JCS_YCCK;
    result->isInverted = info->saw_Adobe_marker;
    info->out_color_space = result->isCMYK ? JCS_CMYK : JCS_EXT_RGBA;
    for (jpeg_saved_marker_ptr marker = info->marker_list; marker; marker = marker->next) {
        if (marker->marker == JPEG_APP0 + 1 && marker->data_length > 6 && !memcmp(marker->data, "Exif\0", 6)) {
            result->exif = (CSternaCodecBytes){marker->data + 6, marker->data_length - 6};
            break;
        }
    }
    JOCTET *profile = NULL;
    unsigned int length = 0;
    if (jpeg_read_icc_profile(info, &profile, &length)) {
        decoder->profile = profile;
        result->profile = (CSternaCodecBytes){profile, length};
    }
}

CSternaJPEG *CSternaJPEG_open(
    CSternaCodecBytes file, size_t memory, int scans, CSternaJPEGInfo *result, CSternaCodecStatus *status) {
    memset(result, 0, sizeof *result);
    *status = CSternaCodecLimit;
    // Markers are kept in memory: all of them are parts of the file.
    if (file.count > memory) return NULL;
    CSternaJPEG *const decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    decoder->scans = scans;
    decoder->info.err = jpeg_std_error(&decoder->errors);
    decoder->info.client_data = decoder;
    decoder->errors.error_exit = fail;
    decoder->errors.emit_message = warn;
    decoder->errors.output_message = print;
    if (setjmp(decoder->jump)) {
        *status = decoder->status;
        CSternaJPEG_close(decoder);
        return NULL;
    }
    readInfo(decoder, file, result);
    // What is missing before the pixels leaves nothing to decode; odd markers there do no harm.
    if (decoder->status == CSternaCodecTruncated) {
        *status = decoder->status;
        CSternaJPEG_close(decoder);
        return NULL;
    }
    decoder->status = CSternaCodecDone;
    *status = CSternaCodecDone;
    return decoder;
}

CSternaCodecStatus CSternaJPEG_scale(CSternaJPEG *decoder, int eighths, uint32_t *width, uint32_t *height) {
    if (setjmp(decoder->jump)) return decoder->status;
    decoder->info.scale_num = (unsigned int)eighths;
    decoder->info.scale_denom = 8;
    jpeg_calc_output_dimensions(&decoder->info);
    *width = decoder->info.output_width;
    *height = decoder->info.output_height;
    return CSternaCodecDone;
}

CSternaCodecStatus CSternaJPEG_decode(CSternaJPEG *decoder, size_t memory, uint8_t *pixels, size_t bytesPerRow) {
    struct jpeg_decompress_struct *info = &decoder->info;
    if (setjmp(decoder->jump)) return decoder->status;
    // libjpeg takes 0 for no limit.
    info->mem->max_memory_to_use = memory > 0x7FFFFFFF ? 0x7FFFFFFF : memory == 0 ? 1 : (long)memory;
    jpeg_start_decompress(info);
    if ((size_t)info->output_width * (size_t)info->output_components > bytesPerRow || info->output_components != 4) {
        return CSternaCodecDamaged;
    }
    while (info->output_scanline < info->output_height) {
        JSAMPROW row = pixels + (size_t)info->output_scanline * bytesPerRow;
        jpeg_read_scanlines(info, &row, 1);
        // What follows would be grey. Several scans are read before the first row: what they leave out lacks detail, or colours.
        if (decoder->status == CSternaCodecTruncated && !jpeg_has_multiple_scans(info)) return decoder->status;
    }
    jpeg_finish_decompress(info);
    return decoder->status;
}

uint32_t CSternaJPEG_rows(const CSternaJPEG *decoder) { return decoder->info.output_scanline; }

void CSternaJPEG_close(CSternaJPEG *decoder) {
    jpeg_destroy_decompress(&decoder->info);
    free(decoder->profile);
    free(decoder);
}
