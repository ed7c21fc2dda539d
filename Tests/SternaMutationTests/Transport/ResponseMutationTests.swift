import MutationKit
import NIOCore
import NIOHPACK
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("Mutations: responses")
struct ResponseMutationTests {
    /// The first byte says how the bytes are cut, whether the request was HEAD, and whether the connection ends.
    static let http1 = MutatedReader(
        "HTTP1",
        seeds: [
            "\u{0}HTTP/1.1 200 OK\r\nContent-Length: 5\r\nKeep-Alive: timeout=5, max=100\r\n\r\nhello",
            "\u{1}HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n10\r\n0123456789abcdef\r\n0\r\nX: y\r\n\r\n",
            "\u{2}HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
            "\u{5}HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\nuntil the end",
            "\u{4}HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\tc\r\nTransfer-Encoding: ,identity\r\n\r\nuntil the end",
            "\u{0}HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 7, 7\r\n\r\n",
        ],
        tokens: [
            "\r\n", "\r", "\n", "\r\n\r\n", ":", ";", ",", " ", "\t", "0\r\n\r\n", "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 100 \r\n\r\n",
            "Content-Length: ", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Keep-Alive: timeout=",
            "ffffffffffffffff\r\n", "7fffffffffffffff\r\n", "fffffffffffffff\r\n", "Trailer: x\r\n", "\r\n ",
            "identity",
        ], acceptsSeeds: false
    ) { bytes in
        guard let first = bytes.first else { return .refused }
        let size = [bytes.count, 1, 7, 40][Int(first & 3)]
        let rest = Array(bytes.dropFirst())
        let pieces = stride(from: 0, to: rest.count, by: size).map { Array(rest[$0..<min($0 + size, rest.count)]) }
        let isHead = first & 8 != 0
        let transcript = ParserTranscript.of(pieces, isHeadRequest: isHead, closes: first & 4 != 0)
        guard transcript == ParserTranscript.of([rest], isHeadRequest: isHead, closes: first & 4 != 0) else {
            throw MutationFailure("Cut into pieces it is read in another way.")
        }
        return transcript.failure == nil && transcript.hasEnded ? .accepted : .refused
    }

    @Test("No mutated response of HTTP/1 ends the process, however it is cut")
    func survivesHTTP1() async {
        let report = await Self.http1.supervise {
            await #expect(processExitsWith: .success) { await ResponseMutationTests.http1.run() }
        }
        expectNil(report.failure, "\(report)")
    }

    private static func block(_ fields: [(String, String)]) -> [UInt8] {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        var buffer = ByteBuffer()
        try? encoder.encode(headers: HPACKHeaders(fields), to: &buffer)
        return Array(buffer.readableBytesView)
    }

    /// Blocks of fields as HPACK has them.
    static let http2 = MutatedReader(
        "HTTP2Fields",
        seeds: [
            block([(":status", "200"), ("content-type", "text/html"), ("content-length", "9223372036854775807")]),
            block([(":status", "103"), ("link", "</a>"), ("etag", "\"x\"")]),
            block([("grpc-status", "0"), ("x", "é")]),
            block([(":status", "200"), ("content-length", "5, 5"), ("set-cookie", "a=b"), ("set-cookie", "c=d")]),
        ],
        tokens: [
            [0x88], [0x40, 0x01, 0x61, 0x01, 0x62], [0x0F, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F], [0x3F, 0xE1, 0xFF, 0x03],
            [0x20],
            [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0x80], [0xFF, 0x80, 0x80, 0x00],
            [0x82, 0xFF, 0xFF],
        ]
    ) { bytes in
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        var block = ByteBuffer(bytes: bytes)
        guard let headers = try? decoder.decodeHeaders(from: &block) else { return .refused }
        let trailers = try? HTTP2ResponseFields.trailers(headers, limits: Limits())
        let response = try? HTTP2ResponseFields(headers, limits: Limits())
        if let response { _ = (response.section.fields, response.contentLength, response.isInformational) }
        return trailers == nil && response == nil ? .refused : .accepted
    }

    @Test("No mutated block of fields of HTTP/2 ends the process")
    func survivesFields() async {
        let report = await Self.http2.supervise {
            await #expect(processExitsWith: .success) { await ResponseMutationTests.http2.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
