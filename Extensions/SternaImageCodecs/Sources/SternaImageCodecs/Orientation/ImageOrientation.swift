import SternaImages

/// How an image lies in its file, by the numbers of EXIF: where the first row and the first column are.
enum ImageOrientation: Int, Sendable, Hashable, CaseIterable {
    case up = 1, upMirrored, down, downMirrored, leftMirrored, right, rightMirrored, left

    /// Whether rows and columns change places.
    var isTransposed: Bool { rawValue >= 5 }

    /// The size of an image as it is shown, or that in the file of one that is shown.
    func size(of size: PixelSize) -> PixelSize {
        isTransposed ? PixelSize(width: size.height, height: size.width) : size
    }

    /// Where in the file a shown pixel is: that at the origin, and the steps to the next ones.
    private func steps(_ width: Int, _ height: Int) -> (origin: Int, column: Int, row: Int) {
        let last = (height - 1) * width
        return switch self {
        case .up: (0, 1, width)
        case .upMirrored: (width - 1, -1, width)
        case .down: (last + width - 1, -1, -width)
        case .downMirrored: (last, 1, -width)
        case .leftMirrored: (0, width, 1)
        case .right: (last, -width, 1)
        case .rightMirrored: (last + width - 1, -width, -1)
        case .left: (width - 1, width, -1)
        }
    }

    /// Returns the image as it is shown.
    func turn(_ image: PixelBuffer) throws -> PixelBuffer {
        guard self != .up else { return image }
        let shown = size(of: image.size)
        let (origin, column, row) = steps(image.size.width, image.size.height)
        return try PixelBuffer(shown) { target in
            image.withUnsafeBytes { source in
                for y in 0..<shown.height {
                    var place = origin + y * row
                    for x in 0..<shown.width {
                        target.storeBytes(
                            of: source.load(fromByteOffset: 4 * place, as: UInt32.self),
                            toByteOffset: 4 * (y * shown.width + x), as: UInt32.self)
                        place += column
                    }
                }
            }
        }
    }
}
