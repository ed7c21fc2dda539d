import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("The head of a request, as it is written")
struct RequestHeadTests {
    private static func text(_ request: Request, _ framing: RequestEncoder.Framing = .none) throws -> String {
        var head = Bytes()
        try RequestEncoder.write(request, framing: framing, into: &head)
        return String(buffer: head)
    }

    @Test("The lines are written in order, each once")
    func lines() throws {
        var request = Request(.post, try HTTPURL("http://example.com:8080/a?b=c"))
        request.headers[.accept] = "*/*"
        request.headers.append(HTTPField(name: .cookie, value: "a=1"))
        request.headers.append(HTTPField(name: .cookie, value: "b=\tü"))
        request.headers[.contentLength] = "99"
        request.headers[.proxyAuthorization] = "Basic c2VjcmV0"
        let expected =
            "POST /a?b=c HTTP/1.1\r\nHost: example.com:8080\r\nAccept: */*\r\nCookie: a=1; b=\tü\r\n"
            + "Content-Length: 12\r\n\r\n"
        try expectEqual(Self.text(request, .length(12)), expected)
    }

    @Test("Cookies are written in one line, wherever they stand")
    func cookies() throws {
        var request = Request(.get, try HTTPURL("http://example.com/"))
        request.headers[.cookie] = "a=1; b=2"
        request.headers[.accept] = "*/*"
        request.headers.append(HTTPField(name: .cookie, value: "c=3"))
        let expected = "GET / HTTP/1.1\r\nHost: example.com\r\nCookie: a=1; b=2; c=3\r\nAccept: */*\r\n\r\n"
        try expectEqual(Self.text(request), expected)
    }

    @Test("Heads of all sizes are written whole", arguments: [0, 1, 400, 470, 480, 490, 500, 512, 600, 1_100, 70_000])
    func sizes(length: Int) throws {
        var request = Request(.get, try HTTPURL("http://example.com/"))
        let value = String(repeating: "v", count: length)
        for name in ["X-One", "X-Two"] { request.headers[try #require(.init(name))] = value }
        let expected =
            "GET / HTTP/1.1\r\nHost: example.com\r\nX-One: \(value)\r\nX-Two: \(value)\r\nTransfer-Encoding: chunked\r\n\r\n"
        let isSame = try Self.text(request, .chunked) == expected
        #expect(isSame)
    }

    @Test("A request's own Host field replaces the URL's host, also for a proxy")
    func ownHost() throws {
        var request = Request(.get, try HTTPURL("http://example.com:8080/a?b=c"))
        request.headers[try #require(.init("Host"))] = "own.test"
        try expectEqual(Self.text(request), "GET /a?b=c HTTP/1.1\r\nHost: own.test\r\n\r\n")
        var head = Bytes()
        try RequestEncoder.write(
            request, framing: .none, forwarding: Endpoint.Forwarding(authorization: nil), into: &head)
        #expect(String(buffer: head) == "GET http://example.com:8080/a?b=c HTTP/1.1\r\nHost: own.test\r\n\r\n")
    }

    @Test("The earlier content of a buffer is kept")
    func appended() throws {
        var buffer = Bytes(string: "before")
        try RequestEncoder.write(Request(.get, try HTTPURL("http://example.com/")), framing: .none, into: &buffer)
        expectEqual(String(buffer: buffer), "beforeGET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
        var request = Request(.get, try HTTPURL("http://example.com/"))
        request.headers.append(HTTPField(name: .init(parsed: "Host") ?? .accept, lenientValue: [0x61, 0x01]))
        let error = #expect(throws: SternaError.self) {
            try RequestEncoder.write(request, framing: .none, into: &buffer)
        }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(String(buffer: buffer), "beforeGET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
    }
}
