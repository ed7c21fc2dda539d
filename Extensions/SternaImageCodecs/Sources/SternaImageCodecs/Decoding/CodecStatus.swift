import CSternaCodecs
import Sterna
import SternaImages

extension CSternaCodecStatus {
    /// Throws the error of a decoder; nothing for a file that ends early where that is allowed. Returns whether it ended early.
    @discardableResult
    func check(_ format: ImageFormat, allowsPartial: Bool = false) throws(SternaError) -> Bool {
        switch self {
        case CSternaCodecDone, CSternaCodecEnd: return false
        case CSternaCodecLimit:
            throw SternaError(
                .limitExceeded, phase: .decode,
                "Decoding the \(format.name) image takes more memory, or more scans, than ImageLimits allows.")
        case CSternaCodecTruncated:
            if allowsPartial { return true }
            throw SternaError(
                .decodingFailed, phase: .decode,
                "The \(format.name) image is incomplete: the file ends early. Set allowsPartialImages to show what there is."
            )
        default:
            if allowsPartial { return true }
            throw SternaError(.decodingFailed, phase: .decode, "The \(format.name) image is damaged.")
        }
    }
}

extension ImageFormat {
    /// As people write it.
    var name: String { self == .webp ? "WebP" : rawValue.uppercased() }
}

extension UnsafeRawBufferPointer {
    /// The bytes for a decoder, as long as this memory is valid.
    var codecBytes: CSternaCodecBytes {
        CSternaCodecBytes(bytes: baseAddress?.assumingMemoryBound(to: UInt8.self), count: count)
    }
}

extension CSternaCodecBytes {
    /// A copy of the bytes, or of the first ones.
    func copy(upTo count: Int = .max) -> [UInt8] {
        guard let bytes else { return [] }
        return Array(UnsafeBufferPointer(start: bytes, count: Swift.min(self.count, count)))
    }
}

/// A copy of a file at a fixed place, for decoders that go on reading it.
// Invariant: it is written in `init` alone.
final class FileMemory: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer

    init(_ source: UnsafeRawBufferPointer) {
        bytes = .allocate(byteCount: source.count, alignment: 16)
        bytes.copyMemory(from: source)
    }

    deinit { bytes.deallocate() }

    var codecBytes: CSternaCodecBytes { UnsafeRawBufferPointer(bytes).codecBytes }
}
