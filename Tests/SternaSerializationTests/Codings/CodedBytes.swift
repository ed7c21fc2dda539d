#if Brotli || Zstd
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import SternaCore
@testable import SternaSerialization
@testable import SternaTestSupport

/// Encodes and decodes for the tests of all codings.
enum CodedBytes {
    static let text = Array("the Arctic tern flies further".utf8)

    /// Empty, short, repeated, without a pattern, and long enough for several blocks.
    static let contents: [[UInt8]] = [
        [], Array("a".utf8), text, (0..<40).flatMap { _ in text }, noise(700), Array(repeating: 0, count: 3_000),
    ]

    /// Decodes pieces one after another, each to its end.
    static func decode(_ pieces: [[UInt8]], _ coding: ContentCoding, limit: Int = 1 << 20) throws -> [UInt8] {
        let decoder = coding.makeDecoder()
        var waiting = Bytes()
        var decoded: [UInt8] = []
        for piece in pieces {
            waiting.writeBytes(piece)
            while true {
                let output = try decoder.decode(&waiting, limit: limit)
                #expect(output.readableBytes <= limit)
                if output.readableBytes == 0 { break }
                decoded += output.readableBytesView
            }
        }
        try decoder.finish()
        return decoded
    }

    /// Decodes pieces of a response's body.
    static func read(
        _ pieces: [[UInt8]], _ codings: [ContentCoding], limits: DecodingLimits = DecodingLimits()
    ) async throws -> [UInt8] {
        let body = DecodedBody(ResponseBody(PiecesBody(pieces)), codings: codings, limits: limits)
        var decoded: [UInt8] = []
        while let piece = try await body.next() { decoded += piece.readableBytesView }
        return decoded
    }

    static func encode(_ content: [UInt8], _ coding: ContentCoding, level: Int? = nil) async throws -> [UInt8] {
        // A body of no bytes has no coding, unless its length is unknown.
        try await bytes(stream(content).compressed(coding, level: level))
    }

    /// Returns a body of unknown length.
    static func stream(_ content: [UInt8]) -> Body {
        let pieces = AsyncStream<Bytes> { continuation in
            if !content.isEmpty { continuation.yield(Bytes(copying: content)) }
            continuation.finish()
        }
        return Body.stream(pieces)
    }

    static func bytes(_ body: Body) async throws -> [UInt8] {
        var reader = BodyReader(body)
        var all: [UInt8] = []
        while let piece = try await reader.next(upTo: 1 << 20) { all += piece.readableBytesView }
        return all
    }

    /// Expects the content from the coded bytes cut anywhere, byte by byte, and with outputs of few bytes.
    static func expectEveryCut(_ coded: [UInt8], _ coding: ContentCoding, _ content: [UInt8]) throws {
        for cut in coded.indices {
            let pieces = [Array(coded[..<cut]), Array(coded[cut...])]
            try #require(try decode(pieces, coding) == content, "cut at \(cut)")
        }
        for limit in [1, 2, 7, 64, content.count, 1 << 20] where limit > 0 {
            try #require(try decode([coded], coding, limit: limit) == content, "limit \(limit)")
            try #require(try decode(coded.map { [$0] }, coding, limit: limit) == content, "bytes, limit \(limit)")
        }
    }

    /// Expects that the bytes are refused wherever they are cut, with a message that has a text.
    static func expectRefused(_ coded: [UInt8], _ coding: ContentCoding, _ message: String = "") {
        for cut in coded.indices {
            let error = #expect(throws: SternaError.self) {
                try decode([Array(coded[..<cut]), Array(coded[cut...])], coding)
            }
            expectEqual(error?.kind, .contentCodingFailed)
            #expect(message.isEmpty || (error.map { "\($0)" } ?? "").contains(message), "cut at \(cut)")
        }
    }

    /// Expects that no part of the bytes from their beginning is taken for the whole.
    static func expectTruncated(_ coded: [UInt8], _ coding: ContentCoding) {
        for count in 1..<coded.count {
            let error = #expect(throws: SternaError.self) { try decode([Array(coded[..<count])], coding) }
            expectEqual(error?.kind, .contentCodingFailed)
        }
    }
}

private final class PiecesBody: BodyStream {
    private let rest: Mutex<ArraySlice<[UInt8]>>

    init(_ pieces: [[UInt8]]) { rest = Mutex(pieces[...]) }

    func next() async throws -> Bytes? { rest.withLock { $0.popFirst().map { Bytes(copying: $0) } } }
    func cancel() {}
    var length: Int64? { nil }
    var trailers: HTTPFields? { nil }
}
#endif
