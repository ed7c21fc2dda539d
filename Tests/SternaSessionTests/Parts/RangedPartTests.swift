import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Parts: several ranges of a file", .timeLimit(.minutes(5)))
struct RangedPartTests {
    private static let file = Array("abcdefghijklmnopqrstuvwxyz".utf8)

    /// A piece with its position.
    private struct Piece: Equatable {
        var range: Range<Int64>?
        var text: String

        init(_ range: Range<Int64>?, _ text: String) { (self.range, self.text) = (range, text) }
    }

    private static func read(
        _ ranges: [Range<Int64>], of draft: RequestDraft = .get("file"), in api: Session
    ) async throws -> [Piece] {
        var pieces: [Piece] = []
        for try await piece in api.ranges(ranges, of: draft) {
            try await pieces.append(Piece(piece.range, piece.body.collect(upTo: 1_000).text))
        }
        return pieces
    }

    private static func read(_ ranges: [Range<Int64>], from answer: ServerResponse) async throws -> [Piece] {
        let (api, _) = try mocked(by: MockTransport { _ in answer })
        return try await read(ranges, in: api)
    }

    private static func pieces(_ pieces: [(line: String, text: String)]) -> ServerResponse {
        .multipart(
            pieces.map { .text($0.text, headers: ["Content-Range": $0.line]) }, subtype: "byteranges", status: 206)
    }

    @Test("A server's pieces, over a socket")
    func pieces() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/file") { .ranges(of: Self.file, for: $0, headers: ["ETag": "\"1\""]) }
            let api = try Session(baseURL: server.url) { $0.network.engine = Engine() }
            try await expectEqual(
                Self.read([20..<22, 0..<3, 3..<5, 25..<90], in: api),
                [Piece(0..<5, "abcde"), Piece(20..<22, "uv"), Piece(25..<26, "z")])
            expectEqual(server.requests().last?.headers["Range"], "bytes=0-4,20-21,25-89")
            // No coding, whose bytes would have other positions.
            expectNil(server.requests().last?.headers["Accept-Encoding"])
            try await expectEqual(Self.read([4..<6], in: api), [Piece(4..<6, "ef")])
            // Of two ranges one is within the file.
            try await expectEqual(Self.read([24..<25, 50..<60], in: api), [Piece(24..<25, "y")])
            let same = RequestDraft.get("file", headers: ["If-Range": "\"1\""])
            try await expectEqual(
                Self.read([0..<1, 2..<3], of: same, in: api), [Piece(0..<1, "a"), Piece(2..<3, "c")])
            let changed = RequestDraft.get("file", headers: ["If-Range": "\"2\""])
            try await expectEqual(
                Self.read([0..<1, 2..<3], of: changed, in: api), [Piece(0..<26, "abcdefghijklmnopqrstuvwxyz")])
            let error = await #expect(throws: SternaError.self) { try await Self.read([26..<27, 30..<40], in: api) }
            expectEqual(error?.kind, .unacceptableStatus)
            expectEqual(error?.status, 416)
            expectEqual(error?.serverMessage, "range not satisfiable")
            expectEqual(error?.response?.headers[.contentRange], "bytes */26")
        }
    }

    @Test("The complete length is that of the whole file")
    func completeLength() async throws {
        let answers = [
            Self.pieces([("bytes 0-0/26", "a"), ("bytes 2-2/*", "c")]),
            ServerResponse.bytes(Self.file),
        ]
        var lengths: [[Int64?]] = []
        for answer in answers {
            let (api, _) = try mocked(by: MockTransport { _ in answer })
            var seen: [Int64?] = []
            for try await piece in api.ranges([0..<1, 2..<3], of: .get("file")) { seen.append(piece.completeLength) }
            lengths.append(seen)
        }
        expectEqual(lengths, [[26, 26], [26]])
    }

    @Test("A server that merges ranges, and one that sends them in another order")
    func merged() async throws {
        try await expectEqual(
            Self.read([0..<2, 4..<6], from: Self.pieces([("bytes 0-5/26", "abcdef")])), [Piece(0..<6, "abcdef")])
        try await expectEqual(
            Self.read([0..<2, 4..<6], from: Self.pieces([("bytes 4-5/26", "ef"), ("bytes 0-1/26", "ab")])),
            [Piece(4..<6, "ef"), Piece(0..<2, "ab")])
    }

    @Test("A server that sends one of several ranges, or all in one")
    func single() async throws {
        for (line, text) in [("bytes 0-1/26", "ab"), ("bytes 0-5/26", "abcdef")] {
            let answer = ServerResponse.bytes(text.utf8, status: 206, headers: ["Content-Range": line])
            let pieces = try await Self.read([0..<2, 4..<6], from: answer)
            expectEqual(pieces, [Piece(0..<Int64(text.utf8.count), text)])
        }
    }

    @Test("A server that ignores ranges, also without saying the length")
    func whole() async throws {
        try await expectEqual(Self.read([0..<2, 4..<6], from: .text("abcdef")), [Piece(0..<6, "abcdef")])
        let endless = ServerResponse(body: .stream(length: nil) { try await $0.write("abcdef") })
        try await expectEqual(Self.read([0..<2, 4..<6], from: endless), [Piece(nil, "abcdef")])
        try await expectEqual(Self.read([0..<2, 4..<6], from: .text("")), [Piece(0..<0, "")])
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let what: String
        let answer: ServerResponse
        let kind: SternaError.Kind
        var testDescription: String { what }

        init(_ what: String, _ kind: SternaError.Kind, _ answer: ServerResponse) {
            (self.what, self.kind, self.answer) = (what, kind, answer)
        }

        init(_ what: String, _ pieces: [(line: String, text: String)], _ kind: SternaError.Kind = .malformedResponse) {
            self.init(what, kind, RangedPartTests.pieces(pieces))
        }
    }

    static let faults: [Fault] = [
        Fault("the same bytes twice", [("bytes 0-1/26", "ab"), ("bytes 0-1/26", "ab")]),
        Fault("other bytes", [("bytes 0-1/26", "ab"), ("bytes 10-11/26", "kl")]),
        Fault("files of different lengths", [("bytes 0-1/26", "ab"), ("bytes 4-5/27", "ef")]),
        Fault("a piece that is too short", [("bytes 0-1/26", "a")]),
        Fault("a piece that is too long", [("bytes 0-1/26", "abc")]),
        Fault("another unit", [("lines 0-1/26", "ab")]),
        Fault(
            "more pieces than ranges", [("bytes 0-0/26", "a"), ("bytes 1-1/26", "b"), ("bytes 4-5/26", "ef")],
            .limitExceeded),
        Fault("no position", .malformedResponse, .bytes("ab".utf8, status: 206)),
        Fault(
            "a single piece of other bytes", .malformedResponse,
            .bytes("kl".utf8, status: 206, headers: ["Content-Range": "bytes 10-11/26"])),
        Fault(
            "a single piece that is too short", .malformedResponse,
            .bytes("a".utf8, status: 206, headers: ["Content-Range": "bytes 0-1/26"])),
        Fault(
            "compressed bytes", .malformedResponse,
            .bytes("ab".utf8, status: 206, headers: ["Content-Range": "bytes 0-1/26", "Content-Encoding": "gzip"])),
        Fault(
            "no boundary", .malformedResponse,
            .bytes("".utf8, mediaType: "multipart/byteranges", status: 206)),
        Fault(
            "no closing delimiter", .truncated,
            .bytes(
                "--b\r\nContent-Range: bytes 0-1/26\r\n\r\nab\r\n--b\r\nContent-Range: bytes 4-5/26\r\n\r\nef\r\n".utf8,
                mediaType: "multipart/byteranges; boundary=b", status: 206)),
        Fault("another status", .unacceptableStatus, .message("gone", status: 410)),
        Fault("a success without a file", .unacceptableStatus, ServerResponse(status: 204)),
    ]

    @Test("Faulty answers are named errors with the response", arguments: faults)
    func faulty(fault: Fault) async throws {
        let error = await #expect(throws: SternaError.self) { try await Self.read([0..<2, 4..<6], from: fault.answer) }
        expectEqual(error?.kind, fault.kind, "\(error.map { "\($0)" } ?? "none")")
        expectEqual(error?.status, fault.answer.status)
        expectEqual(error?.url?.hasSuffix("/v1/file"), true)
    }

    @Test("A request that cannot ask for ranges sends nothing")
    func refused() async throws {
        let (api, mock) = try mocked()
        let drafts: [RequestDraft] = [
            .post("file"), .head("file"), .get("file", headers: ["Range": "bytes=0-1"]),
        ]
        for draft in drafts {
            let error = await #expect(throws: SternaError.self) { try await Self.read([0..<2], of: draft, in: api) }
            expectEqual(error?.kind, .invalidRequest)
        }
        let error = await #expect(throws: SternaError.self) { try await Self.read([], in: api) }
        expectEqual(error?.kind, .invalidRequest)
        #expect(mock.requests.isEmpty)
    }
}
