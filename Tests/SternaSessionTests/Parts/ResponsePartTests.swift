import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Parts of responses", .timeLimit(.minutes(5)))
struct ResponsePartTests {
    private func read<R>(_ answer: ServerResponse, _ read: (Response) async throws -> R) async throws -> R {
        let (api, _) = try mocked(by: MockTransport { _ in answer })
        return try await api.withResponse(to: .get("report")) { try await read($0) }
    }

    private static func parts(_ texts: [String], subtype: String = "mixed") -> ServerResponse {
        .multipart(
            texts.enumerated().map {
                .text($0.element, mediaType: "text/plain", headers: ["ETag": "\($0.offset)"])
            },
            subtype: subtype)
    }

    private static func raw(_ body: String, type: String = "multipart/mixed; boundary=b") -> ServerResponse {
        ServerResponse(headers: ["Content-Type": type], body: .bytes(Array(body.utf8)))
    }

    private static func next(
        _ parts: inout some AsyncIteratorProtocol<ResponsePart, any Error>
    ) async throws -> ResponsePart {
        let part = try await parts.next()
        return try #require(part)
    }

    /// The texts of all parts.
    private static func texts(_ response: Response) async throws -> [String] {
        var texts: [String] = []
        for try await part in response.parts { try await texts.append(part.body.collect(upTo: 1 << 20).text) }
        return texts
    }

    @Test(
        "Parts have header fields and bodies, in any type of several parts",
        arguments: ["mixed", "form-data", "Related"])
    func inOrder(subtype: String) async throws {
        try await read(Self.parts(["one", "", "three"], subtype: subtype)) { response in
            var seen: [String] = []
            for try await part in response.parts {
                expectEqual(part.mediaType?.essence, "text/plain")
                expectNil(part.range)
                let text = try await part.body.collect(upTo: 10).text
                seen.append("\(part.headers[.eTag] ?? "-") \(text)")
            }
            expectEqual(seen, ["0 one", "1 ", "2 three"])
        }
    }

    @Test("A body that is not read, or only in part, is skipped")
    func skipped() async throws {
        try await read(Self.parts(["one", "two", "three"])) { response in
            var numbers: [String?] = []
            for try await part in response.parts { numbers.append(part.headers[.eTag]) }
            expectEqual(numbers, ["0", "1", "2"])
        }
    }

    @Test("A part cannot be read once the next one was requested; that one can")
    func stale() async throws {
        try await read(Self.parts(["one", "two"])) { response in
            var parts = response.parts.makeAsyncIterator()
            let first = try await Self.next(&parts)
            let second = try await Self.next(&parts)
            let error = await #expect(throws: SternaError.self) { try await first.body.collect(upTo: 10) }
            expectEqual(error?.kind, .invalidRequest)
            try await expectEqual(second.body.collect(upTo: 10).text, "two")
            let again = await #expect(throws: SternaError.self) { try await second.body.collect(upTo: 10) }
            expectEqual(again?.kind, .invalidRequest)
            try await expectNil(parts.next())
            try await expectNil(parts.next())
        }
    }

    @Test("A part that is too long for its reader, or is given up, does not end the others")
    func givenUp() async throws {
        try await read(Self.parts(["one", "two", "three"])) { response in
            var parts = response.parts.makeAsyncIterator()
            let first = try await Self.next(&parts)
            let long = await #expect(throws: SternaError.self) { try await first.body.collect(upTo: 2) }
            expectEqual(long?.kind, .limitExceeded)
            let second = try await Self.next(&parts)
            second.body.cancel()
            let cancelled = await #expect(throws: SternaError.self) { try await second.body.collect(upTo: 10) }
            expectEqual(cancelled?.kind, .cancelled)
            try await expectEqual(parts.next()?.body.collect(upTo: 10).text, "three")
        }
    }

    @Test("A part that is multipart itself is one body, of which a response can be made")
    func nested() async throws {
        let inner = "--c\r\n\r\none\r\n--c\r\n\r\ntwo\r\n--c--\r\n"
        let type = "Content-Type: multipart/mixed; boundary=c"
        try await read(Self.raw("--b\r\n\(type)\r\n\r\n\(inner)\r\n--b\r\n\(type)\r\n\r\n\(inner)\r\n--b--")) {
            response in
            var parts = response.parts.makeAsyncIterator()
            try await expectEqual(parts.next()?.body.collect(upTo: 1_000).text, inner)
            let second = try await Self.next(&parts)
            let own = Response(
                status: .ok, section: FieldSection(second.headers), body: second.body, url: response.url)
            try await expectEqual(Self.texts(own), ["one", "two"])
        }
    }

    @Test("Parts of byte ranges have positions, unless their field is invalid")
    func positions() async throws {
        let body =
            "--b\r\nContent-Range: bytes 2-4/9\r\n\r\nabc\r\n--b\r\nContent-Range: bytes 7-7/*\r\n\r\nd\r\n"
            + "--b\r\nContent-Range: lines 1-2/9\r\n\r\ne\r\n--b--"
        try await read(Self.raw(body, type: "multipart/byteranges; boundary=\"b\"")) { response in
            var places: [Range<Int64>?] = []
            var lengths: [Int64?] = []
            for try await part in response.parts {
                places.append(part.range)
                lengths.append(part.completeLength)
            }
            expectEqual(places, [2..<5, 7..<8, nil])
            expectEqual(lengths, [9, nil, nil])
        }
    }

    @Test("The reply of a verb is read any number of times; a streamed response once")
    func again() async throws {
        let (api, _) = try mocked(by: MockTransport { _ in Self.parts(["one", "two"]) })
        let response = try await api.get("report").response
        for _ in 1...2 { try await expectEqual(Self.texts(response), ["one", "two"]) }
        try await read(Self.parts(["one"])) { response in
            try await expectEqual(Self.texts(response), ["one"])
            let error = await #expect(throws: SternaError.self) { try await Self.texts(response) }
            expectEqual(error?.kind, .invalidRequest)
        }
    }

    @Test("Another media type is an error that leaves the body to its reader")
    func otherType() async throws {
        try await read(.text("--b\r\n\r\none\r\n--b--")) { response in
            let error = await #expect(throws: SternaError.self) { try await Self.texts(response) }
            expectEqual(error?.kind, .unacceptableMediaType)
            expectEqual(error?.status, 200)
            expectEqual(error?.detail.contains("multipart/*"), true)
            try await expectEqual(response.body.collect(upTo: 100).text, "--b\r\n\r\none\r\n--b--")
        }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        let what: String
        let type: String
        let body: String
        let kind: SternaError.Kind
        let parts: Int
        var testDescription: String { what }

        init(
            _ what: String, _ body: String, _ kind: SternaError.Kind, parts: Int,
            type: String = "multipart/mixed; boundary=b"
        ) {
            (self.what, self.body, self.kind, self.parts, self.type) = (what, body, kind, parts, type)
        }
    }

    @Test(
        "Faults are named errors, after the parts before them",
        arguments: [
            Fault("no boundary", "--b\r\n\r\none\r\n--b--", .malformedResponse, parts: 0, type: "multipart/mixed"),
            Fault(
                "an empty boundary", "--\r\n\r\none\r\n----", .malformedResponse, parts: 0,
                type: "multipart/mixed; boundary=\"\""),
            Fault("an empty body", "", .malformedResponse, parts: 0),
            Fault("another boundary", "--c\r\n\r\none\r\n--c--", .malformedResponse, parts: 0),
            Fault("no closing delimiter", "--b\r\n\r\none\r\n--b\r\n\r\ntwo\r\n", .truncated, parts: 1),
            Fault(
                "a header that is none", "--b\r\n\r\none\r\n--b\r\nA\r\n\r\ntwo\r\n--b--", .malformedResponse, parts: 1),
            Fault(
                "a long header",
                "--b\r\n\r\none\r\n--b\r\nA: \(String(repeating: "a", count: 1 << 16))\r\n\r\n\r\n--b--",
                .limitExceeded, parts: 1),
        ])
    func faults(fault: Fault) async throws {
        try await read(Self.raw(fault.body, type: fault.type)) { response in
            var count = 0
            let error = await #expect(throws: SternaError.self) {
                for try await part in response.parts {
                    _ = try await part.body.collect(upTo: 100)
                    count += 1
                }
            }
            expectEqual(error?.kind, fault.kind)
            expectEqual(count, fault.parts)
            expectEqual(error?.status, 200)
            expectEqual(error?.url?.hasSuffix("/v1/report"), true)
        }
    }

    @Test("Limits of one's own")
    func limits() async throws {
        try await read(Self.parts(["one", "two"])) { response in
            var texts: [String] = []
            let error = await #expect(throws: SternaError.self) {
                for try await part in response.parts(limits: { $0.parts = 1 }) {
                    try await texts.append(part.body.collect(upTo: 10).text)
                }
            }
            expectEqual(error?.kind, .limitExceeded)
            expectEqual(texts, ["one"])
        }
        try await read(Self.parts(["one", "four"])) { response in
            var parts = response.parts(limits: { $0.body = 3 }).makeAsyncIterator()
            try await expectEqual(parts.next()?.body.collect(upTo: 10).text, "one")
            let second = try await Self.next(&parts)
            let error = await #expect(throws: SternaError.self) { try await second.body.collect(upTo: 10) }
            expectEqual(error?.kind, .limitExceeded)
            let again = await #expect(throws: SternaError.self) { try await parts.next() }
            expectEqual(again?.kind, .limitExceeded)
        }
    }

    @Test("A part shows no secrets")
    func mirror() async throws {
        try await read(Self.raw("--b\r\nSet-Cookie: sid=secret\r\n\r\nhidden\r\n--b--")) { response in
            var parts = response.parts.makeAsyncIterator()
            let part = try await Self.next(&parts)
            let text = dumped(part)
            #expect(!text.contains("secret") && !text.contains("hidden"), "\(text)")
        }
    }
}
