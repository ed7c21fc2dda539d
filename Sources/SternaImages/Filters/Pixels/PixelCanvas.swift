import SternaPlatform

/// A part of an image, in pixels from its upper left corner. It may begin and end within a pixel.
struct PixelArea: Sendable, Hashable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double

    static func all(of size: PixelSize) -> PixelArea {
        PixelArea(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    }
}

/// Places images on a canvas of another size, and crops them.
enum PixelCanvas {
    /// Returns an image centred on a transparent canvas, which crops it.
    static func center(_ image: PixelBuffer, on canvas: PixelSize) throws -> PixelBuffer {
        guard image.size != canvas else { return image }
        let (width, height) = (min(image.size.width, canvas.width), min(image.size.height, canvas.height))
        let (left, top) = ((image.size.width - width) / 2, (image.size.height - height) / 2)
        let (x, y) = ((canvas.width - width) / 2, (canvas.height - height) / 2)
        return try PixelBuffer(canvas) { target in
            image.withUnsafeBytes { source in
                for row in 0..<height {
                    let from = 4 * ((top + row) * image.size.width + left)
                    let to = 4 * ((y + row) * canvas.width + x)
                    UnsafeMutableRawBufferPointer(rebasing: target[to..<to + 4 * width])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[from..<from + 4 * width]))
                }
            }
        }
    }

    /// Returns the central part of an image; the size is limited to the image's.
    static func crop(_ image: PixelBuffer, to size: PixelSize) throws -> PixelBuffer {
        try center(
            image,
            on: PixelSize(width: min(size.width, image.size.width), height: min(size.height, image.size.height)))
    }
}
