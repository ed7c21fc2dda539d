import HTTPTypes
import SternaCore
import SternaSerialization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("WebSocket: the handshake's fields")
struct WebSocketOpeningTests {
    private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    @Test("The accept value of RFC 6455, 1.3; keys are 16 random bytes")
    func keys() {
        expectEqual(WebSocketOpening.accept(for: Self.key), Self.accept)
        let keys = Set((0..<100).map { _ in WebSocketOpening.randomKey() })
        expectEqual(keys.count, 100)
        #expect(keys.allSatisfy { $0.utf8.count == 24 && $0.hasSuffix("==") })
    }

    private static func opening(_ configure: (inout WebSocketSettings) -> Void = { _ in }) -> WebSocketOpening {
        var settings = WebSocketSettings()
        configure(&settings)
        return WebSocketOpening(settings, key: key)
    }

    @Test("The request's fields")
    func fields() throws {
        let plain = try Self.opening { $0.compresses = false }.fields()
        expectEqual(plain.map(\.0), ["Sec-WebSocket-Version", "Sec-WebSocket-Key"])
        expectEqual(plain.map(\.1), ["13", Self.key])
        let all = try Self.opening {
            $0.subprotocols = ["b", "a"]
            $0.origin = "https://a.example"
        }.fields()
        let fields = Dictionary(uniqueKeysWithValues: all)
        expectEqual(fields["Sec-WebSocket-Protocol"], "b, a")
        expectEqual(fields["Origin"], "https://a.example")
        expectEqual(fields["Sec-WebSocket-Extensions"]?.hasPrefix("permessage-deflate"), true)
    }

    @Test("Subprotocols are tokens, each named once", arguments: [["a b"], [""], ["é"], ["a", "a"], ["a,b"]])
    func invalidSubprotocols(_ names: [String]) {
        let error = #expect(throws: SternaError.self) { try Self.opening { $0.subprotocols = names }.fields() }
        expectEqual(error?.kind, .invalidRequest)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var status = 101
        var version = HTTPVersion.http11
        var fields: [(String, String)]
        /// A part of the error; nil for an answer that is accepted.
        var fault: String?
        var subprotocol: String?

        init(
            _ name: String, status: Int = 101, version: HTTPVersion = .http11,
            _ change: [(String, String?)] = [], adding: [(String, String)] = [], fault: String? = nil,
            subprotocol: String? = nil
        ) {
            testDescription = name
            (self.status, self.version, self.fault, self.subprotocol) = (status, version, fault, subprotocol)
            var fields =
                version == .http2
                ? [] : [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)]
            for (name, value) in change {
                fields.removeAll { $0.0 == name }
                if let value { fields.append((name, value)) }
            }
            self.fields = fields + adding
        }
    }

    private static let rows: [Row] = [
        Row("the usual answer"),
        Row("cases and further elements", [("Upgrade", "WebSocket"), ("Connection", "keep-alive ,\tupgrade")]),
        Row("a list over two lines", adding: [("Connection", "keep-alive")]),
        Row("another status", status: 200, fault: "the status 200"),
        Row("no Upgrade", [("Upgrade", nil)], fault: "names no protocol in Upgrade"),
        Row("another protocol", [("Upgrade", "h2c")], fault: "names h2c"),
        Row("two protocols", [("Upgrade", "websocket, h2c")], fault: "names websocket, h2c"),
        Row("no Connection", [("Connection", nil)], fault: "Connection does not name Upgrade"),
        Row("Connection without Upgrade", [("Connection", "keep-alive")], fault: "Connection does not name Upgrade"),
        Row("no accept", [("Sec-WebSocket-Accept", nil)], fault: "has no Sec-WebSocket-Accept"),
        Row(
            "an accept of another key", [("Sec-WebSocket-Accept", "AAAA")],
            fault: "does not belong to the request's key"),
        Row("an accept in another case", [("Sec-WebSocket-Accept", accept.lowercased())], fault: "does not belong"),
        Row("two accepts", adding: [("Sec-WebSocket-Accept", accept)], fault: "does not belong"),
        Row("a subprotocol", adding: [("Sec-WebSocket-Protocol", "v2")], subprotocol: "v2"),
        Row(
            "an unasked subprotocol", adding: [("Sec-WebSocket-Protocol", "v3")],
            fault: "v3, which the request did not offer"),
        Row("a subprotocol in another case", adding: [("Sec-WebSocket-Protocol", "V2")], fault: "did not offer"),
        Row("two subprotocols", adding: [("Sec-WebSocket-Protocol", "v1, v2")], fault: "several subprotocols"),
        Row("an unasked extension", adding: [("Sec-WebSocket-Extensions", "x-mux")], fault: "extension"),
        Row("over HTTP/2 no key is checked", status: 200, version: .http2),
        Row(
            "over HTTP/2 an accept for a proxy's own key, as haproxy 2.6.12 sends it, is not read", status: 200,
            version: .http2, adding: [("Sec-WebSocket-Accept", "AAAA")]),
        Row(
            "over HTTP/2 the subprotocol is", status: 200, version: .http2, adding: [("Sec-WebSocket-Protocol", "v3")],
            fault: "v3"),
        Row(
            "over HTTP/2 the extensions are", status: 200, version: .http2, adding: [("Sec-WebSocket-Extensions", "x")],
            fault: "extension"),
    ]

    @Test("Which answers are accepted", arguments: rows)
    func answers(_ row: Row) throws {
        var fields = HTTPFields()
        for (name, value) in row.fields {
            fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
        }
        let response = Response(
            status: .init(code: row.status), version: row.version, section: FieldSection(fields),
            url: try HTTPURL("http://a.example/"))
        let opening = Self.opening { $0.subprotocols = ["v1", "v2"] }
        guard let fault = row.fault else {
            try expectEqual(opening.agreement(with: response).subprotocol, row.subprotocol)
            return
        }
        let error = #expect(throws: SternaError.self) { try opening.agreement(with: response) }
        expectEqual(error?.kind, .malformedResponse)
        #expect(error?.detail.contains(fault) == true, "\(error?.detail ?? "")")
    }

    @Test("Compression is used if the server agrees")
    func compression() throws {
        var fields = HTTPFields()
        fields.append(
            HTTPField(name: try #require(HTTPField.Name("Sec-WebSocket-Extensions")), value: "permessage-deflate"))
        let response = Response(
            status: 200, version: .http2, section: FieldSection(fields), url: try HTTPURL("http://a.example/"))
        #expect(try Self.opening().agreement(with: response).deflate != nil)
        let error = #expect(throws: SternaError.self) {
            try Self.opening { $0.compresses = false }.agreement(with: response)
        }
        expectEqual(error?.kind, .malformedResponse)
    }

    @Test(
        "A WebSocket's URL is that of its handshake",
        arguments: [
            ("ws://a.example/x?y#z", "http://a.example/x?y#z"), ("wss://a.example/", "https://a.example/"),
            ("ws://u:p@a.example:8080/", "http://u:p@a.example:8080/"), ("wss://[::1]:443/", "https://[::1]/"),
            ("http://a.example/", "http://a.example/"), ("https://a.example:80/", "https://a.example:80/"),
        ])
    func urls(_ reference: String, _ expected: String) throws {
        let url = try HTTPURL(reference).forHandshake()
        expectEqual(url.href, expected)
        expectEqual(url, try HTTPURL(expected))
        expectEqual(url.origin, try HTTPURL(expected).origin)
    }
}
