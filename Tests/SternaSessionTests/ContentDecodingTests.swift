import Foundation
import HTTPTypes
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Content decoding")
struct ContentDecodingTests {
    static let text = "the Arctic tern flies further than any other animal"

    private func session(
        _ body: [UInt8], coding: String?, status: Int = 200, chunk: Int? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> (api: Session, mock: MockTransport) {
        var headers: ServerHeaders = ["Content-Type": "text/plain", "Content-Length": "\(body.count)"]
        // A field's value holds no control character but the tab.
        if let coding { headers[.contentEncoding] = coding.replacing("\u{1F}", with: " ") }
        let fields = headers
        return try mocked(
            by: MockTransport { _ in
                let content =
                    chunk.map { ResponseBody(ChunkedBody(body, size: $0)) } ?? ResponseBody(Bytes(copying: body))
                return .init(status: status, headers: fields, body: content)
            }, configure)
    }

    static let codings: [(String, [Zlib.Container])] = [
        ("gzip", [.gzip]), ("x-gzip", [.gzip]), ("GZIP", [.gzip]), ("deflate", [.zlib]), ("deflate", [.raw]),
        ("identity", []),
        ("", []), ("gzip, deflate", [.gzip, .zlib]), ("deflate, gzip", [.raw, .gzip]), ("gzip, identity", [.gzip]),
        ("gzip,gzip,gzip,gzip", [.gzip, .gzip, .gzip, .gzip]),
    ]

    @Test("Each coding is decoded, whole and byte by byte, collected and streamed", arguments: codings)
    func decode(field: String, containers: [Zlib.Container]) async throws {
        let coded = containers.reduce(Array(Self.text.utf8)) { Zlib.deflate($0, $1) }
        for chunk in [nil, 1, 7] {
            let (api, mock) = try session(coded, coding: field, chunk: chunk)
            let reply = try await api.get("a")
            try await expectEqual(reply.text(), Self.text)
            expectEqual(mock.requests.first?.headers[.acceptEncoding], "gzip, deflate")
            if !containers.isEmpty {
                // These would be untrue of the decoded body.
                expectNil(reply.headers[.contentEncoding])
                expectNil(reply.headers[.contentLength])
            }
            let streamed = try await api.withResponse(to: .get("a")) { response in
                var all = ""
                for try await piece in response.body { all += piece.text }
                return all
            }
            expectEqual(streamed, Self.text)
        }
    }

    @Test("gzip with several members decodes to their concatenated contents", arguments: [nil, 1])
    func members(chunk: Int?) async throws {
        let coded = Zlib.gzip("one ") + Zlib.gzip("") + Zlib.gzip("two")
        try await expectEqual(session(coded, coding: "gzip", chunk: chunk).api.get("a").text(), "one two")
    }

    private func failure(_ body: [UInt8], _ coding: String, chunk: Int?, status: Int = 200) async throws -> SternaError
    {
        let (api, _) = try session(body, coding: coding, status: status, chunk: chunk)
        let collected = try #require(await #expect(throws: SternaError.self) { try await api.get("a?token=s3cret") })
        let streamed = await #expect(throws: SternaError.self) {
            try await api.withResponse(to: .get("a?token=s3cret")) { response in
                for try await _ in response.body {}
            }
        }
        expectEqual(streamed?.kind, collected.kind)
        expectEqual(streamed?.phase, collected.phase)
        return collected
    }

    static let damages: [(String, @Sendable ([UInt8]) -> [UInt8])] = [
        ("truncated by one", { Array($0.dropLast()) }),
        ("truncated half", { Array($0.prefix($0.count / 2)) }),
        ("header alone", { Array($0.prefix(10)) }),
        ("first byte alone", { Array($0.prefix(1)) }),
        ("checksum", { $0.dropLast(5) + [$0[$0.count - 5] ^ 1] + $0.suffix(4) }),
        ("length", { $0.dropLast() + [1] }),
        ("content", { $0.prefix(15) + [$0[15] ^ 0xFF] + $0.dropFirst(16) }),
        ("trailing garbage", { $0 + Array("garbage".utf8) }),
        ("no gzip at all", { _ in Array("plain text".utf8) }),
    ]

    @Test("Damaged gzip is an error, never a shorter body", arguments: damages.indices, [nil, 1])
    func damaged(number: Int, chunk: Int?) async throws {
        let (name, damage) = Self.damages[number]
        let error = try await failure(damage(Zlib.gzip(Self.text)), "gzip", chunk: chunk)
        expectEqual(error.kind, .contentCodingFailed, "\(name)")
        expectEqual(error.phase, .decode, "\(name)")
    }

    @Test("Truncated deflate is an error", arguments: [Zlib.Container.zlib, .raw], [nil, 1])
    func truncatedDeflate(container: Zlib.Container, chunk: Int?) async throws {
        let coded = Zlib.deflate(Self.text.utf8, container)
        for count in [1, coded.count / 2, coded.count - 1] {
            let error = try await failure(Array(coded.prefix(count)), "deflate", chunk: chunk)
            expectEqual(error.kind, .contentCodingFailed, "\(count)")
        }
    }

    static let unknownCodings = ["br", "zstd", "gzip, br", "br, gzip", "compress", "none", "utf-8", "x\u{1F}y"]

    @Test(
        "The bytes of a coding that is not known are there as they came, with its field", arguments: unknownCodings,
        [nil, 1])
    func unknown(coding: String, chunk: Int?) async throws {
        let (api, _) = try session([1, 2, 3], coding: coding, chunk: chunk)
        let reply = try await api.get("a")
        expectEqual(reply.body.array, [1, 2, 3])
        try expectEqual(reply.data(), Data([1, 2, 3]))
        // A field's value holds no control character but the tab.
        expectEqual(reply.headers[.contentEncoding], coding.replacing("\u{1F}", with: " "))
        expectEqual(reply.headers[.contentLength], "3")
        try await expectEqual(reply.value(by: .data), Data([1, 2, 3]))
        let streamed = try await api.withResponse(to: .get("a")) { try await $0.body.collect(upTo: 100) }
        expectEqual(streamed.array, [1, 2, 3])
    }

    @Test("Serializers reject a body with an unknown coding, and name the coding", arguments: unknownCodings)
    func unreadable(coding: String) async throws {
        let (api, _) = try session(Array(#"{"a":"b"}"#.utf8), coding: coding)
        let reply = try await api.get("a?token=s3cret") {
            $0.responseSerializer = JSONResponseSerializer(validation: ResponseValidation())
        }
        let readers: [@Sendable (Reply) throws -> Void] = [
            { _ = try $0.text() as String }, { _ = try $0.json() as JSON },
            { _ = try $0.decode([String: String].self) },
            { _ = try $0.value(by: .text) as String },
            {
                _ = try $0.value(by: JSONResponseSerializer(validation: ResponseValidation()).map { "\($0)" }) as String
            },
        ]
        for read in readers {
            let error = #expect(throws: SternaError.self) { try read(reply) }
            expectEqual(error?.kind, .contentCodingFailed)
            expectEqual(error?.phase, .decode)
            #expect(error?.response != nil)
            expectEqual(error?.body?.text, #"{"a":"b"}"#)
            expectEqual(error?.description.contains { $0.isNewline }, false)
            if !coding.contains("\u{1F}") { expectEqual(error?.detail.contains(coding), true) }
        }
    }

    @Test("An unacceptable status stays the error if the body has an unknown coding", arguments: [nil, 1])
    func unknownError(chunk: Int?) async throws {
        let (api, _) = try session(Array(#"{"message":"m"}"#.utf8), coding: "br", status: 404, chunk: chunk)
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual(error?.body?.text, #"{"message":"m"}"#)
        expectNil(error?.serverMessage)
        expectNil(error?.value)
    }

    @Test("More than four codings are an error", arguments: [nil, 1])
    func manyCodings(chunk: Int?) async throws {
        try await expectEqual(failure([1], "gzip,gzip,gzip,gzip,gzip", chunk: chunk).kind, .contentCodingFailed)
    }

    @Test(
        "An error of decoding keeps the response, tells the place, and that the request was sent", arguments: [nil, 1])
    func particulars(chunk: Int?) async throws {
        for (body, coding) in [(Zlib.gzip(Self.text).dropLast(3), "gzip")] {
            let error = try await failure(Array(body), coding, chunk: chunk, status: 404)
            #expect(error.url == "https://api.example.com/v1/a?token=***")
            expectEqual(error.method, .get)
            #expect(error.requestSent)
            expectEqual(error.status, 404)
        }
    }

    @Test("An error while a body is streamed has the request's details, too")
    func streamedParticulars() async throws {
        let (api, _) = try session(Array(Zlib.gzip(Self.text).dropLast(3)), coding: "gzip", chunk: 1)
        let error = await #expect(throws: SternaError.self) {
            try await api.withResponse(to: .get("a?token=s3cret")) { response in
                for try await _ in response.body {}
            }
        }
        #expect(error?.url == "https://api.example.com/v1/a?token=***")
        expectEqual(error?.method, .get)
        expectEqual(error?.requestSent, true)
    }

    static let emptyBodies: [(String, Int?)] = [
        ("gzip", nil), ("gzip", 1), ("deflate", nil), ("deflate", 1), ("br", nil), ("br", 1),
    ]

    @Test("Without a body there is nothing to decode, whatever the field says", arguments: emptyBodies)
    func empty(coding: String, chunk: Int?) async throws {
        for status in [200, 204] {
            let api = try session([], coding: coding, status: status, chunk: chunk).api
            #expect(try await api.get("a").body.isEmpty)
        }
        let error = await #expect(throws: SternaError.self) {
            try await session([], coding: coding, status: 304, chunk: chunk).api.get("a")
        }
        expectEqual(error?.kind, .unacceptableStatus)
    }

    @Test("HEAD keeps the fields of the coded body", arguments: ["gzip", "br"])
    func head(coding: String) async throws {
        let reply = try await session([], coding: coding).api.head("a")
        expectEqual(reply.headers[.contentEncoding], coding)
        expectEqual(reply.headers[.contentLength], "0")
    }

    static let ownFields: [(Headers, String?)] = [
        (["Accept-Encoding": "br"], "br"), (["accept-encoding": "gzip"], "gzip"), (["Accept-Encoding": ""], ""),
        (["Accept-Encoding": "identity"], "identity"), (["Range": "bytes=0-3"], nil),
    ]

    @Test(
        "What is known is decoded whatever the request asks for, a whole answer to a range included",
        arguments: ownFields)
    func whateverIsAccepted(headers: Headers, accepted: String?) async throws {
        let coded = Zlib.gzip(Self.text)
        let (api, mock) = try session(coded, coding: "gzip")
        let reply = try await api.get("a", headers: headers)
        try await expectEqual(reply.text(), Self.text)
        expectNil(reply.headers[.contentEncoding])
        expectEqual(mock.requests.first?.headers[.acceptEncoding], accepted)
        // What is not known, the caller has to decode.
        let other = try await session(coded, coding: "br").api.get("a", headers: headers)
        expectEqual(other.body.array, coded)
        expectEqual(other.headers[.contentEncoding], "br")
    }

    @Test("A session's own Accept-Encoding, and that of a ready request, are decoded, too")
    func otherFields() async throws {
        let coded = Zlib.gzip(Self.text)
        let (api, mock) = try session(coded, coding: "gzip") { $0.headers = ["Accept-Encoding": "gzip"] }
        try await expectEqual(api.get("a").text(), Self.text)
        var ready = Request(.get, try HTTPURL("https://api.example.com/a"))
        for accepted in [nil, "identity", "gzip"] {
            ready.headers[.acceptEncoding] = accepted
            try await expectEqual(api.send(ready).text(), Self.text)
            expectEqual(mock.requests.last?.headers[.acceptEncoding], accepted)
        }
        ready.decodesContent = false
        try await expectEqual(api.send(ready).body.array, coded)
    }

    @Test("A range of encoded bytes is not decoded")
    func part() async throws {
        let coded = Zlib.gzip(Self.text)
        let (api, _) = try session(Array(coded.prefix(9)), coding: "gzip", status: 206)
        let reply = try await api.get("a", headers: ["Range": "bytes=0-8"])
        expectEqual(reply.body.array, Array(coded.prefix(9)))
        expectEqual(reply.headers[.contentEncoding], "gzip")
    }

    @Test(
        "decodesContent leaves bodies encoded: the session's, a request's, and after redirects", arguments: [nil, 1])
    func switchedOff(chunk: Int?) async throws {
        let coded = Zlib.gzip(Self.text)
        let (decoding, mock) = try session(coded, coding: "gzip", chunk: chunk)
        let leaving = decoding.with { $0.decodesContent = false }
        #expect(dumped(leaving).contains("decodesContent"))
        for reply in [try await leaving.get("a"), try await decoding.get("a") { $0.decodesContent = false }] {
            expectEqual(reply.body.array, coded)
            expectEqual(reply.headers[.contentEncoding], "gzip")
            expectEqual(reply.headers[.contentLength], "\(coded.count)")
        }
        try await expectEqual(leaving.get("a") { $0.decodesContent = true }.text(), Self.text)
        expectEqual(mock.requests.last?.headers[.acceptEncoding], "gzip, deflate")
        let body = Bytes(copying: coded)
        let redirecting = MockTransport { request in
            request.url.path.hasSuffix("/a")
                ? .redirect(to: "/b") : .init(headers: ["Content-Encoding": "gzip"], body: ResponseBody(body))
        }
        let (api, _) = try mocked(by: redirecting)
        try await expectEqual(api.get("a") { $0.decodesContent = false }.body.array, coded)
    }

    @Test("The curl command decodes if the request does")
    func curl() throws {
        let (api, _) = try mocked()
        var draft = RequestDraft(.get, "a", headers: ["Accept-Encoding": "gzip"])
        #expect(try api.curl(for: draft).contains("--compressed"))
        draft.settings.decodesContent = false
        #expect(try !api.curl(for: draft).contains("--compressed"))
    }

    @Test("The body of an error is decoded for its message")
    func errorBody() async throws {
        let coded = Bytes(copying: Zlib.gzip(#"{"message":"No such user."}"#))
        let (api, _) = try mocked(
            by: MockTransport { _ in
                .init(
                    status: 404, headers: ["Content-Type": "application/json", "Content-Encoding": "gzip"],
                    body: ResponseBody(coded))
            })
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.message, "No such user.")
    }

    @Test("Each redirected request has one Accept-Encoding")
    func redirects() async throws {
        let mock = MockTransport(responses: [.redirect(to: "/b"), .redirect(to: "https://other.test/"), .json([:])])
        try await mocked(by: mock).api.get("a")
        expectEqual(
            mock.requests.map { $0.headers[values: .acceptEncoding] }, Array(repeating: ["gzip, deflate"], count: 3))
    }
}
