import HTTPTypes
import NIOCore
import SternaCore
import Synchronization
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Decoded bodies")
struct DecodedBodyTests {
    /// A body in pieces, and how many of them were asked for.
    private final class Pieces: BodyStream {
        private let rest: Mutex<(pieces: ArraySlice<[UInt8]>, taken: Int)>

        init(_ pieces: [[UInt8]]) { rest = Mutex((pieces[...], 0)) }

        func next() async throws -> Bytes? {
            rest.withLock { state in
                state.taken += 1
                return state.pieces.popFirst().map { Bytes(bytes: $0) }
            }
        }

        func cancel() {}
        var length: Int64? { nil }
        var trailers: HTTPFields? { nil }
        var taken: Int { rest.withLock { $0.taken } }
    }

    private func decode(
        _ pieces: [[UInt8]], _ codings: [ContentCoding], limits: DecodingLimits = DecodingLimits()
    ) async throws -> [UInt8] {
        let body = DecodedBody(ResponseBody(Pieces(pieces)), codings: codings, limits: limits)
        var decoded: [UInt8] = []
        while let piece = try await body.next() {
            #expect(piece.readableBytes > 0 && piece.readableBytes <= DecodedBody.pieceBytes)
            decoded += piece.readableBytesView
        }
        try await expectNil(body.next())
        return decoded
    }

    @Test("Sizes about the size of a piece come whole", arguments: Zlib.Container.allCases)
    func sizes(container: Zlib.Container) async throws {
        let codings: [ContentCoding] = [container == .gzip ? .gzip : .deflate]
        var limits = DecodingLimits()
        limits.ratio = 10_000
        for count in [
            DecodedBody.pieceBytes - 1, DecodedBody.pieceBytes, DecodedBody.pieceBytes + 1,
            DecodedBody.pieceBytes + 100, DecodedBody.pieceBytes + 257, 2 * DecodedBody.pieceBytes,
            3 * DecodedBody.pieceBytes + 7,
        ] {
            let coded = Zlib.deflate(Array(repeating: UInt8(0), count: count), container)
            for pieces in [[coded], coded.map { [$0] }] {
                do {
                    let decoded = try await decode(pieces, codings, limits: limits)
                    expectEqual(decoded.count, count)
                } catch {
                    Issue.record("\(count) bytes in \(pieces.count) pieces: \(error)")
                }
            }
        }
    }

    @Test("Codings are undone from the last to the first, at every split point")
    func twice() async throws {
        let content = Array("the Arctic tern".utf8)
        let coded = Zlib.deflate(Zlib.deflate(content, .zlib), .gzip)
        for split in coded.indices {
            let pieces = [Array(coded[..<split]), Array(coded[split...])]
            try await expectEqual(decode(pieces, [.deflate, .gzip]), content)
        }
        await #expect(throws: SternaError.self) { try await decode([coded], [.gzip, .deflate]) }
    }

    @Test("An inner coding that ends too early is an error")
    func innerTruncation() async throws {
        let inner = Zlib.gzip("the Arctic tern")
        let coded = Zlib.deflate(inner.dropLast(3), .gzip)
        let error = await #expect(throws: SternaError.self) { try await decode([coded], [.gzip, .gzip]) }
        expectEqual(error?.kind, .contentCodingFailed)
    }

    @Test(
        "A body that grows beyond the ratio is refused before it is decoded whole",
        arguments: Zlib.Container.allCases)
    func ratio(container: Zlib.Container) async throws {
        let coded = Zlib.deflate(Array(repeating: UInt8(0), count: 16 << 20), container)
        let source = Pieces(
            stride(from: 0, to: coded.count, by: 256).map { Array(coded[$0..<min($0 + 256, coded.count)]) })
        let body = DecodedBody(
            ResponseBody(source), codings: [container == .gzip ? .gzip : .deflate], limits: DecodingLimits())
        var count: Int64 = 0
        let error = await #expect(throws: SternaError.self) {
            while let piece = try await body.next() { count += Int64(piece.readableBytes) }
        }
        expectEqual(error?.kind, .limitExceeded)
        #expect(count <= DecodingLimits().ratioFloor)
        #expect(source.taken < coded.count / 256 / 2)
    }

    @Test("Two codings do not hide the ratio")
    func nestedBomb() async throws {
        let inner = Zlib.deflate(Array(repeating: UInt8(0), count: 24 << 20), .gzip)
        let coded = Zlib.deflate(inner, .gzip)
        let error = await #expect(throws: SternaError.self) { try await decode([coded], [.gzip, .gzip]) }
        expectEqual(error?.kind, .limitExceeded)
    }

    @Test("The decoded size is limited", arguments: [(99_999, false), (100_000, true), (100_001, true)])
    func size(limit: Int64, fits: Bool) async throws {
        let coded = Zlib.deflate(noise(100_000), .gzip)
        var limits = DecodingLimits()
        limits.bytes = limit
        if fits {
            try await expectEqual(decode([coded], [.gzip], limits: limits).count, 100_000)
        } else {
            let error = await #expect(throws: SternaError.self) { try await decode([coded], [.gzip], limits: limits) }
            expectEqual(error?.kind, .limitExceeded)
        }
    }

    @Test("The limit counts the output of each coding, even if the next coding makes nothing of it")
    func hiddenBomb() async throws {
        let members = repeatElement(Zlib.gzip(""), count: 250_000).flatMap { $0 }
        let coded = Zlib.deflate(members, .gzip, level: 9)
        let error = await #expect(throws: SternaError.self) { try await decode([coded], [.gzip, .gzip]) }
        expectEqual(error?.kind, .limitExceeded)
    }

    @Test("A cancelled body throws .cancelled")
    func cancelling() async throws {
        let whole = ResponseBody(Bytes(bytes: Zlib.gzip("the Arctic tern")))
        let body = DecodedBody(whole, codings: [.gzip], limits: DecodingLimits())
        body.cancel()
        for _ in 0..<2 {
            let error = await #expect(throws: SternaError.self) { try await body.next() }
            expectEqual(error?.kind, .cancelled)
        }
    }

    @Test("After an error no rest of the body is handed out as if whole")
    func afterError() async throws {
        var coded = Zlib.gzip("the Arctic tern")
        coded[coded.count - 5] ^= 1
        let body = DecodedBody(ResponseBody(Bytes(bytes: coded)), codings: [.gzip], limits: DecodingLimits())
        var ended = false
        for _ in 0..<3 where !ended {
            do {
                ended = try await body.next() == nil
            } catch {
                continue
            }
        }
        #expect(!ended)
    }

    /// A body whose pieces come when a test says so.
    private final class LateBody: BodyStream {
        private let state: Mutex<(rest: Bytes?, isOpen: Bool, readers: Int)>

        init(_ bytes: [UInt8]) { state = Mutex((Bytes(bytes: bytes), false, 0)) }

        func open() { state.withLock { $0.isOpen = true } }

        func waitForReader(_ count: Int) async {
            while state.withLock({ $0.readers }) < count { await Task.yield() }
        }

        func next() async throws -> Bytes? {
            state.withLock { $0.readers += 1 }
            while !state.withLock({ $0.isOpen }) { try await Task.sleep(for: .milliseconds(1)) }
            return state.withLock { $0.rest.take() }
        }

        func cancel() {}
        var length: Int64? { nil }
        var trailers: HTTPFields? { nil }
    }

    @Test("A second reader is refused while the first one waits, which gets all of it")
    func concurrent() async throws {
        let late = LateBody(Zlib.deflate(Array("hello".utf8), .gzip))
        let body = DecodedBody(ResponseBody(late), codings: [.gzip], limits: DecodingLimits())
        async let first = body.next()
        await late.waitForReader(1)
        for _ in 0..<3 {
            let error = await #expect(throws: SternaError.self) { _ = try await body.next() }
            expectEqual(error?.kind, .invalidRequest)
        }
        late.open()
        try await expectEqual(first?.text, "hello")
        try await expectNil(body.next())
    }

    @Test("A cancelled read ends itself alone; giving the body up ends every read")
    func cancelled() async throws {
        let late = LateBody(Zlib.deflate(Array("hello".utf8), .gzip))
        let body = DecodedBody(ResponseBody(late), codings: [.gzip], limits: DecodingLimits())
        let reader = Task { try await body.next() }
        await late.waitForReader(1)
        reader.cancel()
        let error = await #expect(throws: SternaError.self) { _ = try await reader.value }
        expectEqual(error?.kind, .cancelled)
        late.open()
        try await expectEqual(body.next()?.text, "hello")
        body.cancel()
        let end = await #expect(throws: SternaError.self) { _ = try await body.next() }
        expectEqual(end?.kind, .cancelled)
    }

    @Test("A body that was read before throws, rather than ending")
    func readBefore() async throws {
        let source = ResponseBody(Pieces([Zlib.deflate(Array("hello".utf8), .gzip)]))
        _ = try await source.collect(upTo: 1_000)
        let body = DecodedBody(source, codings: [.gzip], limits: DecodingLimits())
        let error = await #expect(throws: SternaError.self) { _ = try await body.next() }
        expectEqual(error?.kind, .invalidRequest)
    }
}
