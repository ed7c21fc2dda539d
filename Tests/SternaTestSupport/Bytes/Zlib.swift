import CSternaZlib
import NIOCore
import SternaCore

/// Compresses for tests, by zlib itself.
enum Zlib {
    enum Container: CInt, CaseIterable, Sendable {
        case gzip = 31
        case zlib = 15
        case raw = -15
    }

    static func deflate(_ bytes: some Sequence<UInt8>, _ container: Container, level: CInt = 6) -> [UInt8] {
        var input = Array(bytes)
        var stream = z_stream()
        guard CSternaZlib_deflateInit2(&stream, level, container.rawValue) == Z_OK else { return [] }
        defer { deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(input.count))) + 64)
        let count = input.withUnsafeMutableBufferPointer { source in
            output.withUnsafeMutableBufferPointer { target in
                stream.next_in = source.baseAddress
                stream.avail_in = UInt32(source.count)
                stream.next_out = target.baseAddress
                stream.avail_out = UInt32(target.count)
                let result = CSternaZlib.deflate(&stream, Z_FINISH)
                return result == Z_STREAM_END ? target.count - Int(stream.avail_out) : 0
            }
        }
        return Array(output.prefix(count))
    }

    static func gzip(_ text: String) -> [UInt8] { deflate(text.utf8, .gzip) }

    static func gzip(_ bytes: [UInt8], level: CInt = 9) -> [UInt8] { deflate(bytes, .gzip, level: level) }

}
