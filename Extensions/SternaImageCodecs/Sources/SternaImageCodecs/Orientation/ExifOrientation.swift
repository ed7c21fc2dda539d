/// Reads the orientation in EXIF data: a number in the first directory of a TIFF file.
enum ExifOrientation {
    private static let tag = 0x0112
    private static let short = 3

    /// Returns the orientation; up where the data says nothing, or cannot be read.
    static func read(_ bytes: [UInt8]) -> ImageOrientation {
        // Some programs write the name of the segment before the data, also outside of JPEG.
        let data = bytes.starts(with: Array("Exif\0\0".utf8)) ? Array(bytes.dropFirst(6)) : bytes
        guard let reader = TIFFReader(data), let start = reader.number(4, bytes: 4),
            let count = reader.number(start, bytes: 2)
        else { return .up }
        for index in 0..<count {
            let entry = start + 2 + 12 * index
            guard let name = reader.number(entry, bytes: 2) else { return .up }
            guard name == tag else { continue }
            guard reader.number(entry + 2, bytes: 2) == short, reader.number(entry + 4, bytes: 4) == 1,
                let value = reader.number(entry + 8, bytes: 2)
            else { return .up }
            return ImageOrientation(rawValue: value) ?? .up
        }
        return .up
    }
}

/// Numbers in either order of bytes, as the head of a TIFF file says.
private struct TIFFReader {
    let bytes: [UInt8]
    let isBigEndian: Bool

    init?(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0x49, 0x49, 0x2A, 0]) {
            isBigEndian = false
        } else if bytes.starts(with: [0x4D, 0x4D, 0, 0x2A]) {
            isBigEndian = true
        } else {
            return nil
        }
    }

    /// The number of up to four bytes at a place; nil outside of the data.
    func number(_ place: Int, bytes count: Int) -> Int? {
        guard place >= 0, place <= bytes.count - count else { return nil }
        let digits = bytes[place..<place + count]
        return (isBigEndian ? Array(digits) : digits.reversed()).reduce(0) { $0 << 8 | Int($1) }
    }
}
