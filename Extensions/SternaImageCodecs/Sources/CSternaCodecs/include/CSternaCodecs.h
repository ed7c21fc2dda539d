// Decoders of image files, for Swift. The libraries report errors by longjmp, which must not pass over Swift's frames: each function here
// catches them, and returns a status. Pixels are red, green, blue and alpha, a byte each.
#ifndef C_STERNA_CODECS_H
#define C_STERNA_CODECS_H

#include <stddef.h>
#include <stdint.h>

typedef enum {
    CSternaCodecDone = 0,
    /// The file ends early; what came before is decoded.
    CSternaCodecTruncated,
    /// The file is damaged; what came before is decoded.
    CSternaCodecDamaged,
    /// The file asks for more memory, or more scans, than is allowed.
    CSternaCodecLimit,
    /// No frame is left.
    CSternaCodecEnd,
} CSternaCodecStatus;

/// A part of the file, or of a decoder's memory; valid as long as both.
typedef struct {
    const uint8_t *bytes;
    size_t count;
} CSternaCodecBytes;

// MARK: PNG

typedef struct CSternaPNG CSternaPNG;

typedef struct {
    uint32_t width;
    uint32_t height;
    CSternaCodecBytes profile;
    CSternaCodecBytes exif;
} CSternaPNGInfo;

/// Reads all before the pixels; null if that fails. The library takes no more memory than is given.
CSternaPNG *CSternaPNG_open(CSternaCodecBytes file, size_t memory, CSternaPNGInfo *info, CSternaCodecStatus *status);
/// Lowers the memory that the library takes, what it has taken included, to what the pixels leave.
CSternaCodecStatus CSternaPNG_restrict(CSternaPNG *decoder, size_t memory);
/// Decodes the rows, once. The colours are not multiplied by alpha.
CSternaCodecStatus CSternaPNG_decode(CSternaPNG *decoder, uint8_t *pixels, size_t bytesPerRow);
void CSternaPNG_close(CSternaPNG *decoder);

// MARK: JPEG

typedef struct CSternaJPEG CSternaJPEG;

typedef struct {
    uint32_t width;
    uint32_t height;
    /// Whether the decoded bytes are cyan, magenta, yellow and black; inverted, as Adobe's programs write them, or not.
    int isCMYK;
    int isInverted;
    CSternaCodecBytes profile;
    CSternaCodecBytes exif;
} CSternaJPEGInfo;

/// Reads all before the pixels; null if that fails.
CSternaJPEG *CSternaJPEG_open(
    CSternaCodecBytes file, size_t memory, int scans, CSternaJPEGInfo *info, CSternaCodecStatus *status);
/// Chooses a scale of eighths, and returns the size at it.
CSternaCodecStatus CSternaJPEG_scale(CSternaJPEG *decoder, int eighths, uint32_t *width, uint32_t *height);
/// Decodes the rows, once; `memory` bounds what a progressive image takes beside them.
CSternaCodecStatus CSternaJPEG_decode(CSternaJPEG *decoder, size_t memory, uint8_t *pixels, size_t bytesPerRow);
/// The number of rows that were decoded.
uint32_t CSternaJPEG_rows(const CSternaJPEG *decoder);
void CSternaJPEG_close(CSternaJPEG *decoder);

// MARK: WebP

typedef struct {
    uint32_t width;
    uint32_t height;
    int isAnimated;
    uint32_t frames;
    uint32_t loops;
    CSternaCodecBytes profile;
    CSternaCodecBytes exif;
} CSternaWebPInfo;

/// Reads the head of a file. An animation must be complete.
CSternaCodecStatus CSternaWebP_info(CSternaCodecBytes file, CSternaWebPInfo *info);
/// Decodes an image that stands still, scaled to a size. The colours are multiplied by alpha if that is asked for.
CSternaCodecStatus CSternaWebP_decode(
    CSternaCodecBytes file, uint32_t width, uint32_t height, int premultiplies, uint8_t *pixels, size_t bytesPerRow);

typedef struct CSternaWebPAnimation CSternaWebPAnimation;

/// Begins an animation; the file must live as long. Null if it is damaged, or if there is no memory. The colours are multiplied by alpha if
/// that is asked for.
CSternaWebPAnimation *CSternaWebPAnimation_open(CSternaCodecBytes file, int premultiplies);
/// How long a frame is shown, in milliseconds.
uint32_t CSternaWebPAnimation_delay(const CSternaWebPAnimation *animation, uint32_t index);
/// Decodes the next frame with all before it, and returns its pixels, valid until the next call; null if it is damaged, or if no frame is
/// left.
const uint8_t *CSternaWebPAnimation_next(CSternaWebPAnimation *animation);
/// Begins at the first frame again.
void CSternaWebPAnimation_rewind(CSternaWebPAnimation *animation);
void CSternaWebPAnimation_close(CSternaWebPAnimation *animation);

// MARK: GIF

typedef struct CSternaGIF CSternaGIF;

typedef struct {
    uint32_t left;
    uint32_t top;
    uint32_t width;
    uint32_t height;
    /// In hundredths of a second.
    uint32_t delay;
    /// 2 clears the frame's area before the next one, 3 restores what was there.
    uint32_t disposal;
} CSternaGIFFrame;

/// Reads the head of a file, which must live as long; null if that fails.
CSternaGIF *CSternaGIF_open(CSternaCodecBytes file, uint32_t *width, uint32_t *height, CSternaCodecStatus *status);
/// Reads the head of the next frame.
CSternaCodecStatus CSternaGIF_next(CSternaGIF *decoder, CSternaGIFFrame *frame);
/// Passes over the pixels of the frame.
CSternaCodecStatus CSternaGIF_skip(CSternaGIF *decoder);
/// Draws the frame onto a canvas.
CSternaCodecStatus CSternaGIF_draw(CSternaGIF *decoder, uint8_t *canvas, uint32_t width, uint32_t height);
/// How often the animation is shown, as far as it was read; 0 for ever.
uint32_t CSternaGIF_loops(const CSternaGIF *decoder);
void CSternaGIF_close(CSternaGIF *decoder);

// MARK: Colours

typedef enum { CSternaColorsRGBA, CSternaColorsCMYK, CSternaColorsInvertedCMYK } CSternaColors;

/// Converts pixels by an ICC profile to sRGB, those without colours by one of greys, too. Returns whether it could; if not, they are as
/// before.
int CSternaColor_convert(CSternaCodecBytes profile, CSternaColors colors, uint8_t *pixels, size_t count);
/// Converts pixels of CMYK without a profile.
void CSternaColor_convertCMYK(uint8_t *pixels, size_t count, int isInverted);
/// Multiplies colours by alpha.
void CSternaColor_premultiply(uint8_t *pixels, size_t count);

#endif
