import HTTPTypes
import NIOCore
import NIOHPACK
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("HTTP/2: what goes into tables, and how long a head is (RFC 7541)")
struct RequestFieldIndexingTests {
    private func made(_ headers: [(String, String)], secrets: Set<String> = []) throws -> HTTP2RequestFields {
        var request = Request(.get, try HTTPURL("https://example.test/"))
        for (name, value) in headers {
            request.headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        if !secrets.isEmpty { request.options[SecretHeadersKey.self] = secrets }
        var secretNames = SecretNames()
        return try HTTP2RequestFields(request, length: nil, secretNames: &secretNames)
    }

    @Test(
        "What is secret is never put into a table, on no hop (RFC 7541, 7.1.3)",
        arguments: [
            "Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "X-Amz-Security-Token", "Ocp-Apim-Subscription-Key",
        ])
    func secret(name: String) throws {
        let field = try made([(name, "s3cret")]).headers.first { $0.name == name.lowercased() }
        expectEqual(field?.indexable, .neverIndexed)
    }

    @Test("So is what the caller calls secret, in any case", arguments: ["X-Mine", "x-mine", "X-MINE"])
    func marked(name: String) throws {
        let field = try made([("X-miNe", "1")], secrets: [name]).headers.first { $0.name == "x-mine" }
        expectEqual(field?.indexable, .neverIndexed)
    }

    @Test(
        "What is the same for all requests goes into the table", arguments: ["User-Agent", "Accept", "Accept-Encoding"])
    func indexed(name: String) throws {
        let field = try made([(name, "a")]).headers.first { $0.name == name.lowercased() }
        expectEqual(field?.indexable, .indexable)
    }

    @Test("The path does not, nor do fields of which nothing is known", arguments: [":path", "x-request-id"])
    func notIndexed(name: String) throws {
        let field = try made([("X-Request-ID", "1")]).headers.first { $0.name == name }
        expectEqual(field?.indexable, .nonIndexable)
    }

    @Test("What is known of names is what the rule says, also when so many came that some were forgotten")
    func remembered() {
        let names =
            (0..<1_000).map { $0.isMultiple(of: 3) ? "x-\($0)-token" : "x-\($0)-page" } + ["cookie", "accept", "", "x"]
        var known = SecretNames()
        for name in names + names.reversed() {
            let isSecret = known.contains(name)
            expectEqual(isSecret, Redaction.isSecretHeader(name), "\(name)")
            #expect(known.count <= SecretNames.limit)
        }
    }

    // MARK: One frame

    private func encoded(_ fields: HTTP2RequestFields) throws -> Int {
        var encoder = HPACKEncoder(allocator: ByteBufferAllocator())
        try encoder.beginEncoding(allocator: ByteBufferAllocator())
        try encoder.append(headers: fields.headers)
        return try encoder.endEncoding().readableBytes
    }

    @Test("A head that takes more than one frame is refused, and nothing shorter by far", arguments: 0..<40)
    func size(seed: Int) throws {
        var dice = SeededRandom(seed: UInt64(seed) &* 977 &+ 5)
        // Characters of 5 bits, of 13, and of all lengths (RFC 7541, appendix B).
        let alphabet = [Array("aeiost012".utf8), Array("!|~^".utf8), Array(0x21...0x7E)][seed % 3]
        let headers = (0..<Int.random(in: 1...60, using: &dice)).map { number in
            let value = (0..<Int.random(in: 0...900, using: &dice)).map { _ in
                alphabet.randomElement(using: &dice) ?? 0x41
            }
            return ("x-\(number)", String(decoding: value, as: UTF8.self))
        }
        let fields = try made(headers)
        let count = try encoded(fields)
        #expect(count <= 4 * fields.size + 12 * fields.headers.count)
        for limit in [count - 1, count / 2, 1] {
            let error = #expect(throws: SternaError.self) { try fields.checkSize(limit) }
            expectEqual(error?.kind, .limitExceeded)
            expectEqual(error?.phase, .prepare)
        }
        for limit in [count + 32, 2 * count + 100, 1 << 24] { try fields.checkSize(limit) }
    }

    // MARK: Behind a body

    @Test("Trailer fields: names in lower case, none in the table")
    func trailers() throws {
        let name = try #require(HTTPField.Name("X-Digest"))
        let fields: HTTPFields = [name: "a", .eTag: "b"]
        let headers = try HTTP2TrailerFields.headers(fields, maximum: 16_384)
        expectEqual(headers.map { "\($0.name): \($0.value)" }, ["x-digest: a", "etag: b"])
        #expect(headers.allSatisfy { $0.indexable == .nonIndexable })
    }

    @Test(
        "Fields that may not stand there (RFC 9110, 6.5.1; RFC 9113, 8.1)",
        arguments: ["Content-Length", "Transfer-Encoding", "Host", "Authorization", "Connection", "TE", "Content-Type"])
    func forbidden(name: String) throws {
        let fields: HTTPFields = [try #require(HTTPField.Name(name)): "1"]
        let error = #expect(throws: SternaError.self) { try HTTP2TrailerFields.headers(fields, maximum: 16_384) }
        expectEqual(error?.kind, .invalidHeader)
    }
}
