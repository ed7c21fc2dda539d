import HTTPTypes
import NIOCore
import SternaPlatform
import Synchronization

@testable import SternaCore
@testable import SternaSerialization

// Decodes a file as a response's body, in pieces as the engine's, and throws it away: CodingsClient CODING FILE

/// A file in pieces of 64 KiB.
final class FileBody: BodyStream {
    private let descriptor: CInt

    init(_ path: String) { descriptor = open(path, O_RDONLY) }
    deinit { close(descriptor) }

    func next() async throws -> Bytes? {
        var piece = Bytes()
        let count = piece.writeWithUnsafeMutableBytes(minimumWritableBytes: 64 << 10) { space in
            max(read(descriptor, space.baseAddress, 64 << 10), 0)
        }
        return count > 0 ? piece : nil
    }

    func cancel() {}
    var length: Int64? { nil }
    var trailers: HTTPFields? { nil }
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: CodingsClient CODING FILE")
    exit(2)
}
let codings = try ContentCoding.parse(arguments[1])
var limits = DecodingLimits()
limits.ratio = 1 << 20
let source = ResponseBody(FileBody(arguments[2]))
let body = codings.isEmpty ? source : ResponseBody(DecodedBody(source, codings: codings, limits: limits))
var count = 0
for try await piece in body { count += piece.readableBytes }
print(count)
