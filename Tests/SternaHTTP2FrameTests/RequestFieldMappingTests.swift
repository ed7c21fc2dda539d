import HTTPTypes
import NIOCore
import NIOHPACK
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("HTTP/2: the fields of a request, as a value (RFC 9113, 8.2 and 8.3.1)")
struct RequestFieldMappingTests {
    private func fields(
        _ method: HTTPRequest.Method = .get, _ url: String = "https://example.test/",
        _ headers: [(String, String)] = [],
        length: Int64? = nil, expectsContinue: Bool = false, _ change: (inout Request) -> Void = { _ in }
    ) throws -> [String] {
        var secretNames = SecretNames()
        let made = try HTTP2RequestFields(
            try request(method, url, headers, change), length: length, expectsContinue: expectsContinue,
            secretNames: &secretNames)
        let size = made.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        expectEqual(made.size, size)
        return made.headers.map { "\($0.name): \($0.value)" }
    }

    private func request(
        _ method: HTTPRequest.Method, _ url: String, _ headers: [(String, String)], _ change: (inout Request) -> Void
    ) throws -> Request {
        var request = Request(method, try HTTPURL(url))
        for (name, value) in headers {
            request.headers.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        change(&request)
        return request
    }

    struct Line: Sendable, CustomTestStringConvertible {
        let method: HTTPRequest.Method
        let url: String
        let fields: [String]
        var testDescription: String { "\(method.rawValue) \(url)" }

        init(_ method: HTTPRequest.Method, _ url: String, _ scheme: String, _ authority: String, _ path: String) {
            self.method = method
            self.url = url
            fields = [
                ":method: \(method.rawValue)", ":scheme: \(scheme)", ":authority: \(authority)", ":path: \(path)",
            ]
        }
    }

    @Test(
        "The line of a request is four pseudo-fields, each once, before all others",
        arguments: [
            Line(.get, "https://example.test/", "https", "example.test", "/"),
            Line(.get, "http://example.test", "http", "example.test", "/"),
            Line(.get, "https://example.test?a=1", "https", "example.test", "/?a=1"),
            Line(.get, "https://example.test/a%20b/c?d=e%26#f", "https", "example.test", "/a%20b/c?d=e%26"),
            Line(.put, "https://EXAMPLE.test:443/x", "https", "example.test", "/x"),
            Line(.put, "https://example.test:80/x", "https", "example.test:80", "/x"),
            Line(.delete, "http://example.test:8080/", "http", "example.test:8080", "/"),
            // What names a user is never part of it (8.3.1).
            Line(.get, "https://ada:secret@example.test/", "https", "example.test", "/"),
            Line(.get, "https://[::1]:8443/", "https", "[::1]:8443", "/"),
            Line(.get, "https://192.0.2.1/", "https", "192.0.2.1", "/"),
            Line(HTTPRequest.Method("PROPFIND") ?? .get, "https://example.test/", "https", "example.test", "/"),
        ])
    func line(line: Line) throws {
        try expectEqual(Array(fields(line.method, line.url, [("X-A", "1")]).prefix(4)), line.fields)
        let all = try fields(line.method, line.url, [("X-A", "1")])
        expectEqual(all.dropFirst(4), ["x-a: 1"])
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let given: [(String, String)]
        let sent: [String]
        var testDescription: String { given.map { "\($0.0): \($0.1)" }.joined(separator: "; ") }
    }

    static let rows = [
        Row(given: [("X-A", "1"), ("X-B", "2"), ("x-a", "3")], sent: ["x-a: 1", "x-b: 2", "x-a: 3"]),
        Row(given: [("ACCEPT", "Text/Plain")], sent: ["accept: Text/Plain"]),
        Row(given: [("X-Empty", "")], sent: ["x-empty: "]),
        Row(given: [("X-Blank", " \t a b\t ")], sent: ["x-blank: a b"]),
        // Of a connection (8.2.2).
        Row(
            given: [
                ("Connection", "close"), ("Keep-Alive", "timeout=5"), ("Proxy-Connection", "keep-alive"),
                ("Transfer-Encoding", "chunked"), ("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABk"), ("X-A", "1"),
            ], sent: ["x-a: 1"]),
        Row(given: [("Connection", "X-Hop, close"), ("X-Hop", "1"), ("X-A", "1")], sent: ["x-a: 1"]),
        Row(given: [("X-Hop", "1"), ("Connection", " ,x-HOP\t,")], sent: []),
        Row(given: [("X-Hop", "1"), ("Connection", "a"), ("Connection", "x-hop")], sent: []),
        Row(given: [("X-Hop", "1"), ("Connection", "x-ho, x-hopp")], sent: ["x-hop: 1"]),
        Row(given: [("TE", "trailers")], sent: ["te: trailers"]),
        Row(given: [("TE", "gzip")], sent: []),
        Row(given: [("TE", "trailers, gzip")], sent: []),
        // For a proxy alone, or this side's to say.
        Row(given: [("Proxy-Authorization", "Basic eA=="), ("Content-Length", "77"), ("X-A", "1")], sent: ["x-a: 1"]),
        Row(given: [("Cookie", "a=1"), ("Cookie", "b=2")], sent: ["cookie: a=1", "cookie: b=2"]),
        Row(given: [("Expect", "100-continue")], sent: []),
        Row(given: [("Expect", "100-CONTINUE")], sent: []),
        Row(given: [("Expect", "something-else")], sent: ["expect: something-else"]),
    ]

    @Test("The other fields", arguments: rows)
    func others(row: Row) throws {
        try expectEqual(Array(fields(row.given).dropFirst(4)), row.sent)
    }

    // The overload above with the method and the URL that do not matter.
    private func fields(_ headers: [(String, String)]) throws -> [String] {
        try fields(.get, "https://example.test/", headers)
    }

    @Test("The field that says that the body waits is sent where it does")
    func expect() throws {
        let sent = try fields(
            .put, "https://example.test/", [("Expect", "100-continue")], length: 5, expectsContinue: true)
        expectEqual(sent.suffix(2), ["expect: 100-continue", "content-length: 5"])
    }

    @Test("The body's length is said once, by this side", arguments: [0, 1, 1 << 40, Int64.max - 1])
    func length(length: Int64) throws {
        let sent = try fields(.put, "https://example.test/", [("Content-Length", "3")], length: length)
        expectEqual(sent.filter { $0.hasPrefix("content-length") }, ["content-length: \(length)"])
    }

    // MARK: Host

    @Test(
        "Host takes the authority's place, and is not sent beside it",
        arguments: ["other.test", "other.test:8443", "OTHER.test", "[::2]:1"])
    func host(value: String) throws {
        try expectEqual(
            fields([("Host", value)]), [":method: GET", ":scheme: https", ":authority: \(value)", ":path: /"])
    }

    @Test("A Host that is none is not sent", arguments: ["", "a b", "bücher.test", " "])
    func wrongHost(value: String) {
        let error = #expect(throws: SternaError.self) { try fields([("Host", value)]) }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(error?.phase, .prepare)
    }

    @Test("Of several Hosts the one counts that counts in HTTP/1")
    func severalHosts() throws {
        let several = try request(.get, "https://example.test/", [("Host", "one.test"), ("Host", "two.test")]) { _ in }
        var head = Bytes()
        try RequestEncoder.write(several, framing: .none, into: &head)
        let first = head.text.split(separator: "\r\n").first { $0.hasPrefix("Host: ") }
        var secretNames = SecretNames()
        let made = try HTTP2RequestFields(several, length: nil, secretNames: &secretNames)
        let authority = made.headers.first { $0.name == ":authority" }?.value
        expectEqual(first, "Host: \(authority ?? "")")
    }

    @Test("CONNECT is not for this")
    func connect() {
        let error = #expect(throws: SternaError.self) { try fields(.connect) }
        expectEqual(error?.kind, .invalidRequest)
    }

    // MARK: Priority (RFC 9218)

    struct Urgency: Sendable {
        let priority: Request.Priority
        let field: String?
    }

    static let urgencies = [
        Urgency(priority: .high, field: "u=1"), Urgency(priority: .normal, field: nil),
        Urgency(priority: .low, field: "u=5"),
    ]

    @Test("Urgency is said where it is not the usual one; what the caller says stands", arguments: urgencies)
    func priority(urgency: Urgency) throws {
        let sent = try fields { $0.priority = urgency.priority }
        expectEqual(sent.filter { $0.hasPrefix("priority") }, (urgency.field.map { ["priority: \($0)"] } ?? []))
        let own = try fields(.get, "https://example.test/", [("Priority", "u=7, i")]) { $0.priority = urgency.priority }
        expectEqual(own.filter { $0.hasPrefix("priority") }, ["priority: u=7, i"])
    }
}
