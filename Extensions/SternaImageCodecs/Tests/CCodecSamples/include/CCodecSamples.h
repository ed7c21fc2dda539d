// Image files for tests, by the encoders of the libraries. Each function returns memory for `free`, or null.
#ifndef C_CODEC_SAMPLES_H
#define C_CODEC_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

/// A JPEG file of pixels with 1, 3 or 4 components; 4 are CMYK, inverted as Adobe's programs write them. Its scans: 0 for a single one, 1 for
/// those of a progressive image, 2 for one of each component.
uint8_t *CCodecSamples_jpeg(
    const uint8_t *pixels, int width, int height, int components, int scans, const uint8_t *profile,
    size_t profileCount, size_t *count);
/// A JPEG file as a camera writes it: colours that change slowly, with noise, in quality 90 with halved chroma.
uint8_t *CCodecSamples_photo(int width, int height, int isProgressive, size_t *count);
/// The pixels of a JPEG file by the library alone, at a number of eighths of its size, in red, green and blue.
uint8_t *CCodecSamples_decodeJPEG(const uint8_t *file, size_t count, int eighths, int *width, int *height);
/// A WebP file of red, green, blue and alpha; lossy of some quality, or lossless for one below zero.
uint8_t *CCodecSamples_webp(const uint8_t *pixels, int width, int height, float quality, size_t *count);
/// An ICC profile for RGB in which red and blue have changed places.
uint8_t *CCodecSamples_swappedProfile(size_t *count);
/// An ICC profile for greys that are not encoded for the eye: half the number is half the light.
uint8_t *CCodecSamples_linearGreyProfile(size_t *count);

#endif
