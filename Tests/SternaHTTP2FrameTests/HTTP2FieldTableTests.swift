import HTTPTypes
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// The dynamic table of a connection (RFC 7541 §2.3.2), which every field block may change.
@Suite("HTTP/2: the table of fields", .timeLimit(.minutes(5)))
struct HTTP2FieldTableTests {
    /// The first place behind the static table.
    private static let first = 62

    private static func name(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .eTag }

    private static func ok(_ change: (inout HeaderBlock) -> Void) -> [UInt8] {
        var block = HeaderBlock()
        block.index(8)
        change(&block)
        return block.bytes
    }

    /// Sends blocks as answers one after the other over one connection and gives their fields.
    private func fields(
        secure: Bool = false, _ blocks: [[UInt8]], method: Request.Method = .get
    ) async throws -> [[String]] {
        try await FrameScene.withSession(secure: secure) {
            $0.redirects = .doNotFollow
        } script: { connection in
            try await connection.handshake()
            for block in blocks {
                let stream = try await connection.request().stream
                try await connection.send(.headers(stream, block, end: true))
            }
            try await connection.roundTrip()
            #expect(!connection.log.contains { $0.kind == .reset || $0.kind == .goAway })
        } body: { api, peer in
            var found: [[String]] = []
            for _ in blocks {
                try await api.withResponse(to: RequestDraft(method, "row")) { response in
                    found.append(
                        ["\(response.status.code)"] + response.headers.map { "\($0.name.canonicalName)=\($0.value)" })
                }
            }
            expectEqual(peer.connectionCount, 1)
            return found
        }
    }

    @Test("An entry of one response is an index in the next ones", arguments: [false, true])
    func indexed(secure: Bool) async throws {
        let found = try await fields(
            secure: secure,
            [
                Self.ok { block in
                    block.literal("x-a", "one", .withIncrementalIndexing)
                    block.literal("x-b", "two", .withIncrementalIndexing)
                    block.literal("x-c", "three", .withoutIndexing)
                    block.literal("x-d", "four", .neverIndexed)
                },
                // The last that was added comes first; those that were not added are not there.
                Self.ok { block in
                    block.index(Self.first)
                    block.index(Self.first + 1)
                    block.literal(nameIndex: Self.first, value: "new")
                },
                Self.ok { block in
                    block.literal(nameIndex: Self.first + 1, value: "newer", .withIncrementalIndexing)
                    block.index(Self.first)
                    block.index(Self.first + 1)
                },
            ])
        expectEqual(
            found,
            [
                ["200", "x-a=one", "x-b=two", "x-c=three", "x-d=four"], ["200", "x-b=two", "x-a=one", "x-b=new"],
                ["200", "x-a=newer", "x-a=newer", "x-b=two"],
            ])
    }

    @Test("An entry is there within its own block")
    func within() async throws {
        let found = try await fields([
            Self.ok { block in
                block.literal("x-a", "one", .withIncrementalIndexing)
                block.index(Self.first)
            }
        ])
        expectEqual(found, [["200", "x-a=one", "x-a=one"]])
    }

    @Test("The table's size may change in front of a block, once or twice, down to nothing and up again")
    func sizes() async throws {
        var shrunk = HeaderBlock()
        shrunk.tableSize(0)
        shrunk.tableSize(4_096)
        shrunk.index(8)
        shrunk.literal("x-b", "two", .withIncrementalIndexing)
        shrunk.index(Self.first)
        var small = HeaderBlock()
        // Room for one entry: 32 bytes and the texts.
        small.tableSize(40)
        small.index(8)
        small.literal("x-c", "three", .withIncrementalIndexing)
        small.index(Self.first)
        var empty = HeaderBlock()
        empty.tableSize(0)
        empty.index(8)
        empty.literal("x-d", "four", .withIncrementalIndexing)
        let found = try await fields([
            Self.ok { $0.literal("x-a", "one", .withIncrementalIndexing) }, shrunk.bytes, small.bytes, empty.bytes,
            Self.ok { $0.literal("x-e", "five") },
        ])
        expectEqual(
            found,
            [
                ["200", "x-a=one"], ["200", "x-b=two", "x-b=two"], ["200", "x-c=three", "x-c=three"],
                ["200", "x-d=four"], ["200", "x-e=five"],
            ])
    }

    @Test("The oldest go where there is no room, and all where one alone is too long")
    func eviction() async throws {
        let text = String(repeating: "e", count: 1_000)
        let found = try await fields([
            Self.ok { block in
                for number in 0..<5 { block.literal("x-\(number)", text, .withIncrementalIndexing) }
                block.literal(nameIndex: Self.first + 2, value: "third")
            },
            Self.ok { block in
                block.literal("x-long", String(repeating: "l", count: 5_000), .withIncrementalIndexing)
                block.literal("x-a", "one", .withIncrementalIndexing)
                block.index(Self.first)
            },
        ])
        expectEqual(found.count, 2)
        expectEqual(found.first?.last, "x-2=third")
        expectEqual(found.last?.suffix(2), ["x-a=one", "x-a=one"])
    }

    @Test("A response that is refused has changed the table all the same")
    func refused() async throws {
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let bad = try await connection.request().stream
            var block = HeaderBlock([("Bad", "1")])
            block.literal("x-a", "one", .withIncrementalIndexing)
            block.literal(":status", "200", .withIncrementalIndexing)
            block.literal("x-b", "two", .withIncrementalIndexing)
            try await connection.send(.headers(bad, block.bytes))
            let good = try await connection.request().stream
            var next = HeaderBlock()
            next.index(Self.first + 1)
            next.index(Self.first)
            next.index(Self.first + 2)
            try await connection.send(.headers(good, next.bytes, end: true))
        } body: { api, peer in
            await Wire.failure(.malformedResponse, .read) { try await api.get("bad") }
            let reply = try await api.get("good")
            expectEqual(reply.headers[Self.name("x-a")], "one")
            expectEqual(reply.headers[Self.name("x-b")], "two")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("So has one whose request was given up")
    func cancelled() async throws {
        let arrived = Counter()
        try await FrameScene.withSession { connection in
            try await connection.handshake()
            let first = try await connection.request().stream
            arrived.add()
            _ = try await connection.receive(.reset, stream: first)
            try await connection.send(
                .headers(first, Self.ok { $0.literal("x-a", "one", .withIncrementalIndexing) }),
                .data(first, [1, 2, 3], end: true))
            let second = try await connection.request().stream
            try await connection.send(.headers(second, Self.ok { $0.index(Self.first) }, end: true))
            try await connection.roundTrip()
            expectEqual(connection.log.count { $0.kind == .reset }, 1)
        } body: { api, peer in
            let task = Task { try await api.get("first") }
            #expect(await eventually { arrived.value == 1 })
            task.cancel()
            _ = await task.result
            let reply = try await api.get("second")
            expectEqual(reply.headers[Self.name("x-a")], "one")
            expectEqual(peer.connectionCount, 1)
        }
    }

    @Test("Texts in Huffman's code, as RFC 7541 C.6 has them, in a table of 256 bytes")
    func huffman() async throws {
        let blocks = [
            "3fe101 4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad"
                + "1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
            "4883 640e ffc1 c0bf",
            "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 e6c7"
                + "b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
        ].map(Self.bytes(ofHex:))
        let found = try await fields(blocks, method: .head)
        let location = "location=https://www.example.com"
        expectEqual(
            found,
            [
                ["302", "cache-control=private", "date=Mon, 21 Oct 2013 20:13:21 GMT", location],
                ["307", "cache-control=private", "date=Mon, 21 Oct 2013 20:13:21 GMT", location],
                [
                    "200", "cache-control=private", "date=Mon, 21 Oct 2013 20:13:22 GMT", location,
                    "content-encoding=gzip", "set-cookie=foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
                ],
            ])
    }

    private static func bytes(ofHex text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
