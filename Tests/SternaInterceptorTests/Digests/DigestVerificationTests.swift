import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// The examples of RFC 9530, appendix B, and what they leave open: each with the content in one piece and in several, collected and
/// streamed.
@Suite("Digests of responses")
struct DigestVerificationTests {
    private static let hello = "{\"hello\": \"world\"}\n"
    private static let right = "sha-256=:\(Samples.sha256):"
    private static let right512 = "sha-512=:\(Samples.sha512):"
    private static let wrong = "sha-256=:\(String(repeating: "A", count: 43))=:"
    private static let wrong512 = "sha-512=:\(String(repeating: "A", count: 86))==:"
    private static let empty = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
    private static let book = "{\n  \"id\": \"123\",\n  \"title\": \"New Title\"\n}\n"
    private static let bookDigest = "sha-256=:uVSlinTTdQUwm2On4k8TJUikGN1bf/Ds8WPX4oe0h9I=:"

    /// A response, and the kinds of errors with `.verify` and with `.require`.
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var method = HTTPRequest.Method.get
        var status = 200
        var fields: ServerHeaders = [:]
        var trailers: ServerHeaders = [:]
        var content = Array(hello.utf8)
        var verified: SternaError.Kind?
        var required: SternaError.Kind?

        init(_ name: String, _ change: (inout Row) -> Void) {
            testDescription = name
            change(&self)
        }

        /// A row whose response is refused in the same way by both settings.
        init(_ name: String, fails kind: SternaError.Kind?, _ change: (inout Row) -> Void) {
            self.init(name, change)
            (verified, required) = (kind, kind)
        }

        /// A row whose response has no digest of its content.
        init(lacking name: String, _ change: (inout Row) -> Void) {
            self.init(name, change)
            required = .unacceptableResponse
        }
    }

    private static let examples: [Row] = [
        Row("B.1: full representation", fails: nil) {
            $0.fields = ["Repr-Digest": right, "Content-Digest": right]
        },
        Row("B.2: no representation data", fails: nil) {
            $0.method = .head
            $0.fields = ["Repr-Digest": right, "Content-Digest": empty]
            $0.content = []
        },
        Row("B.3: a part", fails: nil) {
            $0.status = 206
            $0.fields = [
                "Repr-Digest": right, "Content-Range": "bytes 10-18/19",
                "Content-Digest": "sha-256=:jjcgBDWNAtbYUXI37CVG3gRuGOAjaaDRGpIUFsdyepQ=:",
            ]
            $0.content = Array("\"world\"}\n".utf8)
        },
        Row("B.4: brotli, with the bytes of erratum 8890", fails: nil) {
            $0.method = .put
            $0.fields = [
                "Content-Encoding": "br", "Content-Location": "/items/123",
                "Repr-Digest": "sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:",
            ]
            $0.content = [0x0B, 0x09, 0x80] + Array(hello.utf8) + [0x03]
        },
        Row("B.5: a digest of content that is not sent", fails: nil) {
            $0.method = .put
            $0.status = 204
            $0.fields = ["Repr-Digest": "sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:"]
            $0.content = []
        },
        Row("B.7: another resource after POST", fails: nil) {
            $0.method = .post
            $0.status = 201
            $0.fields = ["Content-Location": "/books/123", "Location": "/books/123", "Repr-Digest": bookDigest]
            $0.content = Array(book.utf8)
        },
        Row("B.8: the request's status after POST", fails: nil) {
            $0.method = .post
            $0.status = 201
            $0.fields = [
                "Location": "/books/123", "Repr-Digest": "sha-256=:yXIGDTN5VrfoyisKlXgRKUHHMs35SNtyC3szSz1dbO8=:",
            ]
            $0.content = Array(
                #"{\#n  "status": "created",\#n  "id": "123",\#n  "ts": 1569327729,\#n  "instance": "/books/123"\#n}\#n"#
                    .utf8)
        },
        Row("B.9: the patched resource", fails: nil) {
            $0.method = .patch
            $0.fields = ["Content-Location": "/books/123", "Repr-Digest": bookDigest]
            $0.content = Array(book.utf8)
        },
        Row("B.10: an error", fails: nil) {
            $0.method = .patch
            $0.status = 404
            $0.fields = ["Repr-Digest": "sha-256=:EXB0S2VF2H7ijkAVJkH1Sm0pBho0iDZcvVUHHXTTZSA=:"]
            $0.content = Array(
                #"{\#n  "title": "Not Found",\#n  "detail": "Cannot PATCH a non-existent resource",\#n  "status": 404\#n}\#n"#
                    .utf8)
        },
        Row("B.11: a trailer", fails: nil) {
            $0.fields = ["Trailer": "Repr-Digest"]
            $0.trailers = ["Repr-Digest": right]
        },
        Row("C.2: an algorithm that was not asked for", fails: nil) { $0.fields = ["Repr-Digest": right512] },
    ]

    private static let others: [Row] = [
        Row(lacking: "no digest") { _ in },
        Row("wrong content", fails: .digestMismatch) { $0.fields = ["Content-Digest": wrong] },
        Row("wrong representation", fails: .digestMismatch) { $0.fields = ["Repr-Digest": wrong] },
        Row("one of two fields wrong", fails: .digestMismatch) {
            $0.fields = ["Content-Digest": right, "Repr-Digest": wrong]
        },
        Row("the stronger of two wrong", fails: .digestMismatch) {
            $0.fields = ["Content-Digest": "\(right), \(wrong512)"]
        },
        Row("the weaker of two wrong", fails: .digestMismatch) {
            $0.fields = ["Content-Digest": wrong, "Repr-Digest": right512]
        },
        Row("two lines", fails: .digestMismatch) { $0.fields = ["Content-Digest": right, "content-digest": wrong512] },
        Row("unknown algorithms beside a known one", fails: nil) {
            $0.fields = ["Content-Digest": "md5=:AAAA:, \(right);a=1, sha=:AAAA:, crc32c=:AAAA:"]
        },
        Row(lacking: "only unknown algorithms") { $0.fields = ["Content-Digest": "md5=:AAAA:, sha=:AAAA:"] },
        Row(lacking: "malformed") { $0.fields = ["Content-Digest": "sha-256=\(Samples.sha256)"] },
        Row(lacking: "malformed behind a wrong one") { $0.fields = ["Content-Digest": "\(wrong), @"] },
        Row("malformed, and one that is not", fails: .digestMismatch) {
            $0.fields = ["Content-Digest": "@", "Repr-Digest": wrong]
        },
        Row(lacking: "the field of RFC 3230") { $0.fields = ["Digest": "sha-256=AAAA"] },
        Row("wrong trailer", fails: .digestMismatch) {
            $0.fields = ["Trailer": "Content-Digest"]
            $0.trailers = ["Content-Digest": wrong]
        },
        Row("wrong trailer that is not announced", fails: .digestMismatch) { $0.trailers = ["Repr-Digest": wrong512] },
        Row("wrong trailer after a right field", fails: .digestMismatch) {
            $0.fields = ["Repr-Digest": right]
            $0.trailers = ["Content-Digest": wrong512]
        },
        Row(lacking: "an announced trailer that does not come") {
            $0.fields = ["Trailer": "Content-Digest"]
            $0.trailers = ["X-Sum": "1"]
        },
        Row(lacking: "a part with the digest of the whole") {
            $0.status = 206
            $0.fields = ["Repr-Digest": right, "Content-Range": "bytes 0-4/19"]
            $0.content = Array("{\"hel".utf8)
        },
        Row("a wrong part", fails: .digestMismatch) {
            $0.status = 206
            $0.fields = ["Content-Digest": right, "Content-Range": "bytes 0-4/19"]
            $0.content = Array("{\"hel".utf8)
        },
        Row(lacking: "the digest of what PUT has changed") {
            $0.method = .put
            $0.fields = ["Repr-Digest": wrong]
        },
        Row("no content after POST", fails: nil) {
            $0.method = .post
            $0.fields = ["Repr-Digest": wrong]
            $0.content = []
        },
        Row("wrong digest of no content", fails: .digestMismatch) {
            $0.method = .post
            $0.fields = ["Content-Digest": wrong]
            $0.content = []
        },
        Row("right digest of no content", fails: nil) {
            $0.fields = ["Content-Digest": empty]
            $0.content = []
        },
        Row(lacking: "no content after GET") { $0.content = [] },
        Row("an error without a digest", fails: nil) { $0.status = 500 },
        Row("a wrong digest of an error", fails: .digestMismatch) {
            $0.status = 500
            $0.fields = ["Content-Digest": wrong]
        },
    ]

    private static func response(_ row: Row, piece: Int?) -> ServerResponse {
        guard let piece else {
            let trailers = row.trailers.fields.isEmpty ? nil : fields(row.trailers)
            return ServerResponse(
                status: row.status, headers: row.fields,
                body: ResponseBody(Bytes(copying: row.content), trailers: trailers))
        }
        return ServerResponse(
            status: row.status, headers: row.fields,
            body: .stream(length: nil) { writer in
                var rest = row.content[...]
                while !rest.isEmpty {
                    try await writer.write(Array(rest.prefix(piece)))
                    rest = rest.dropFirst(piece)
                }
            }, trailers: row.trailers)
    }

    private static func fields(_ headers: ServerHeaders) -> HTTPFields {
        HTTPFields(
            headers.compactMap { field in HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) } })
    }

    private static func failure(_ work: () async throws -> Void) async -> SternaError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? SternaError ?? SternaError.cancelled(phase: .prepare)
        }
    }

    @Test("Responses are verified, and digests required", arguments: examples + others, [nil, 1, 7])
    func verifies(row: Row, piece: Int?) async throws {
        // A response to HEAD has no body to stream.
        guard !row.content.isEmpty || piece == nil else { return }
        for options in [DigestOptions.verify, .require] {
            let kind = options == .verify ? row.verified : row.required
            let (api, _) = try mocked(by: MockTransport { _ in Self.response(row, piece: piece) }) {
                $0.digests = options
                $0.acceptsAnyStatus = true
                $0.decodesContent = false
            }
            let collected = await Self.failure {
                let reply = try await api.request(row.method, "items/123")
                expectEqual(reply.body.array, row.content)
            }
            expectEqual(collected?.kind, kind, "\(options) collected")
            let streamed = await Self.failure {
                try await api.withResponse(to: RequestDraft(row.method, "items/123")) { response in
                    var all: [UInt8] = []
                    for try await piece in response.body { all += piece.array }
                    expectEqual(all, row.content)
                }
            }
            expectEqual(streamed?.kind, kind, "\(options) streamed")
        }
    }

    @Test("A wrong digest is no matter to a request that does not verify it")
    func off() async throws {
        let answer = ServerResponse.text(Self.hello, headers: ["Content-Digest": Self.wrong])
        let (api, _) = try mocked(by: MockTransport { _ in answer }) { $0.digests = [.want, .send] }
        try await expectEqual(api.get("a").text(), Self.hello)
        let error = await #expect(throws: SternaError.self) { try await api.get("a") { $0.digests = .verify } }
        expectEqual(error?.kind, .digestMismatch)
    }

    @Test("The error says what was expected, what came and what to do, and has the response's head")
    func message() async throws {
        let answer = ServerResponse.text("hello", headers: ["Content-Digest": Self.right])
        let (api, _) = try mocked(by: MockTransport { _ in answer }) { $0.digests = .verify }
        let error = try #require(await #expect(throws: SternaError.self) { try await api.get("a?token=s3cret") })
        for part in [
            "sha-256", "response's content", "Content-Digest", "send the request again",
            // Of “hello”, and of the representation.
            "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
            "44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38",
        ] {
            #expect(error.detail.contains(part), "\(part)")
        }
        expectEqual(error.phase, .read)
        #expect(error.requestSent)
        expectEqual(error.response?.status, .ok)
        expectEqual(error.response?.body.whole?.readableBytes, 0)
        #expect("\(error)".contains("/v1/a") && !"\(error)".contains("s3cret"))
    }

    @Test("A streamed body has all its pieces before the error, which every later read repeats")
    func end() async throws {
        let answer = Self.response(Row("") { $0.fields = ["Content-Digest": Self.wrong] }, piece: 6)
        let (api, _) = try mocked(by: MockTransport { _ in answer }) { $0.digests = .verify }
        try await api.withResponse(to: .get("a")) { response in
            var iterator = response.body.makeAsyncIterator()
            var text = ""
            while text.utf8.count < Self.hello.utf8.count, let piece = try await iterator.next() { text += piece.text }
            expectEqual(text, Self.hello)
            for _ in 0..<2 {
                let error = await Self.failure { _ = try await iterator.next() }
                expectEqual(error?.kind, .digestMismatch)
            }
        }
    }

    @Test("A body of known length without a required digest is refused before it is read, and cancelled")
    func early() async throws {
        let body = CountedPieces(CountedPieces.numbered(4, of: 10), length: 40)
        let answer = ServerResponse(headers: [:], body: ResponseBody(body))
        let (api, _) = try mocked(by: MockTransport { _ in answer }) { $0.digests = .require }
        let error = await Self.failure { try await api.withResponse(to: .get("a")) { _ in } }
        expectEqual(error?.kind, .unacceptableResponse)
        expectEqual(error?.phase, .read)
        expectEqual(body.taken, 0)
        #expect(body.isCancelled)
    }

    @Test("Content in a coding is verified as it was sent", arguments: [nil, 5])
    func coded(piece: Int?) async throws {
        let coded = Zlib.gzip(Self.hello)
        let digest = try await DigestField.text(of: .bytes(coded), by: [.sha512])
        let rows: [(String, SternaError.Kind?)] = [(digest, nil), (Self.right, .digestMismatch)]
        for (field, kind) in rows {
            for name in ["Content-Digest", "Repr-Digest"] {
                let answer = Self.response(
                    Row("") {
                        $0.fields = [name: field, "Content-Encoding": "gzip"]
                        $0.content = coded
                    }, piece: piece)
                let (api, _) = try mocked(by: MockTransport { _ in answer }) { $0.digests = .require }
                let error = await Self.failure { try await expectEqual(api.get("a").body.text, Self.hello) }
                expectEqual(error?.kind, kind, "\(name)")
            }
        }
    }

    @Test("A retry policy that names the error sends the request again")
    func retried() async throws {
        let answers = [Self.wrong, Self.right].map { ServerResponse.text(Self.hello, headers: ["Repr-Digest": $0]) }
        for retries in [true, false] {
            let (api, mock) = try mocked(by: MockTransport(responses: answers)) {
                $0.digests = .verify
                $0.retry = .transient
                if retries { $0.retry.errors.insert(.digestMismatch) }
                $0.retry.backoff = .constant(.milliseconds(1))
            }
            let error = await Self.failure { try await expectEqual(api.get("a").text(), Self.hello) }
            expectEqual(error?.kind, retries ? nil : .digestMismatch)
            expectEqual(mock.requests.count, retries ? 2 : 1)
        }
    }

    @Test("A response that does not match is not stored; one from the cache is not verified again")
    func cached() async throws {
        for (digest, count) in [(Self.right, 1), (Self.wrong, 2)] {
            for piece in [nil, 4] {
                let answer = Self.response(
                    Row("") { $0.fields = ["Content-Digest": digest, "Cache-Control": "max-age=60"] }, piece: piece)
                let (api, mock) = try mocked(by: MockTransport { _ in answer }) {
                    $0.digests = .require
                    $0.cache.store = .memory(bytes: 1 << 20)
                }
                for _ in 0..<2 { _ = await Self.failure { try await api.get("a") } }
                expectEqual(mock.requests.count, count, "\(digest)")
            }
        }
    }
}
