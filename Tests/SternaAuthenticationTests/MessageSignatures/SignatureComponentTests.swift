import HTTPTypes
import NIOCore
import Sterna
import Testing

@testable import Sterna
@testable import SternaSigning
@testable import SternaTestSupport

@Suite("Message signatures: components")
struct SignatureComponentTests {
    private static func message() throws -> SignedMessage {
        var request = Request(
            .get, try HTTPURL("http://www.EXAMPLE.com:80/path?param=value&foo=bar&baz=batman&qux=&a%20b=c%2Bd+e"))
        try Headers([
            ("Cache-Control", "  max-age=60 "), ("Cache-Control", "must-revalidate"), ("X-Empty", ""),
            ("Priority", "u=1 ,  i"), ("Signature-Input", "sig1=(\"@method\");created=1"),
            ("Example-Dict", "a=1,    b=2;x=1;y=2,   c=(a   b   c), d"),
        ]).merge(into: &request.headers)
        return SignedMessage(request)
    }

    static let values: [(SignatureComponent, String)] = [
        (.method, "GET"), (.targetURI, "http://www.example.com/path?param=value&foo=bar&baz=batman&qux=&a%20b=c%2Bd+e"),
        (.authority, "www.example.com"), (.scheme, "http"), (.path, "/path"),
        (.requestTarget, "/path?param=value&foo=bar&baz=batman&qux=&a%20b=c%2Bd+e"),
        (.query, "?param=value&foo=bar&baz=batman&qux=&a%20b=c%2Bd+e"), (.queryParameter("baz"), "batman"),
        (.queryParameter("qux"), ""), (.queryParameter("a b"), "c%2Bd%20e"),
        ("cache-control", "max-age=60, must-revalidate"), ("Cache-Control", "max-age=60, must-revalidate"),
        ("x-empty", ""),
        (.field("cache-control").asBytes, ":bWF4LWFnZT02MA==:, :bXVzdC1yZXZhbGlkYXRl:"),
        (.field("priority").asStructured, "u=1, i"), (.field("example-dict", key: "a"), "1"),
        (.field("example-dict", key: "d"), "?1"), (.field("example-dict", key: "b"), "2;x=1;y=2"),
        (.field("example-dict", key: "c"), "(a b c)"),
    ]

    @Test("Values of components", arguments: values.indices)
    func value(index: Int) throws {
        let (component, expected) = Self.values[index]
        try expectEqual(SignatureBase.value(of: component, in: try Self.message()), expected, "\(component)")
    }

    static let failures: [SignatureComponent] = [
        "x-none", .status, "@unknown", .queryParameter("none"), "@query-param", .field("example-dict", key: "z"),
        .field("cache-control").asStructured, .field("priority").asStructured.asBytes, .method.ofRequest,
        .method.asBytes, "@signature-params", .field("cache-control").inTrailers, "",
    ]

    @Test("Components that a request does not have", arguments: failures.indices)
    func failure(index: Int) throws {
        let message = try Self.message()
        #expect(throws: SignatureBase.Failure.self) {
            try SignatureBase.value(of: Self.failures[index], in: message)
        }
    }

    @Test("A query parameter that occurs twice cannot be covered")
    func twice() throws {
        let message = SignedMessage(Request(.get, try HTTPURL("https://example.com/?a=1&a=2")))
        #expect(throws: SignatureBase.Failure.self) {
            try SignatureBase.value(of: .queryParameter("a"), in: message)
        }
    }

    @Test("The value of @query without a query is a question mark")
    func noQuery() throws {
        let message = SignedMessage(Request(.get, try HTTPURL("https://example.com:8443")))
        try expectEqual(SignatureBase.value(of: .query, in: message), "?")
        try expectEqual(SignatureBase.value(of: .path, in: message), "/")
        try expectEqual(SignatureBase.value(of: .authority, in: message), "example.com:8443")
    }

    @Test("A response covers components of its request, and its own trailers")
    func response() throws {
        var request = Request(.post, try HTTPURL("https://example.com/a"))
        request.headers[.contentType] = "text/plain"
        let trailers: HTTPFields = [.expires: "never"]
        let response = Response(
            status: .init(code: 503), section: FieldSection([.contentType: "text/html"]),
            body: ResponseBody(Bytes(), trailers: trailers), url: request.url)
        let message = SignedMessage(response, to: request)
        try expectEqual(SignatureBase.value(of: .status, in: message), "503")
        try expectEqual(SignatureBase.value(of: .method.ofRequest, in: message), "POST")
        try expectEqual(SignatureBase.value(of: "content-type", in: message), "text/html")
        try expectEqual(SignatureBase.value(of: .field("content-type").ofRequest, in: message), "text/plain")
        try expectEqual(SignatureBase.value(of: .field("expires").inTrailers, in: message), "never")
        for component in [.method, .status.ofRequest] as [SignatureComponent] {
            #expect(throws: SignatureBase.Failure.self) { try SignatureBase.value(of: component, in: message) }
        }
        #expect(throws: SignatureBase.Failure.self) {
            try SignatureBase.value(of: .method.ofRequest, in: SignedMessage(response, to: nil))
        }
    }

    @Test("A component is covered once, and only ASCII is signed as text")
    func base() throws {
        var message = try Self.message()
        #expect(throws: SignatureBase.Failure.self) {
            try SignatureBase.text(["x-empty", "X-Empty"], parameters: "()", of: message)
        }
        message.request?.headers[.server] = "é"
        #expect(throws: SignatureBase.Failure.self) {
            try SignatureBase.text(["server"], parameters: "()", of: message)
        }
        try expectEqual(
            SignatureBase.text([.field("server").asBytes], parameters: "()", of: message),
            "\"server\";bs: :w6k=:\n\"@signature-params\": ()")
    }
}
