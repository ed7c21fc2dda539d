import Sterna
import SternaPlatform
import SternaRecorder
import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("HAR: exports", .timeLimit(.minutes(5)))
struct HARExportTests {
    private static let entry = HARDocument.Entry(
        started: Date(timeIntervalSince1970: 0),
        request: .init(
            method: "POST", url: "https://api.example.com/birds?page=2",
            headers: [
                .init(name: ":authority", value: "api.example.com"), .init(name: "Host", value: "api.example.com"),
                .init(name: "Accept", value: "text/csv"), .init(name: "Content-Type", value: "application/json"),
                .init(name: "Content-Length", value: "26"), .init(name: "Connection", value: "keep-alive"),
            ], postData: .init(mediaType: "application/json", bytes: Array(#"{"name":"tern \"sterna\""}"#.utf8))))

    @Test("A curl command")
    func curl() throws {
        try expectEqual(
            Self.entry.exported(as: .curl),
            "curl --http1.1 'https://api.example.com/birds?page=2' -H 'Accept: text/csv' -H 'Content-Type: application/json' "
                + #"-H User-Agent: --data-raw '{"name":"tern \"sterna\""}'"#)
    }

    @Test("A request of a .http file")
    func http() throws {
        try expectEqual(
            Self.entry.exported(as: .http),
            """
            POST https://api.example.com/birds?page=2 HTTP/1.1
            Accept: text/csv
            Content-Type: application/json

            {"name":"tern \\"sterna\\""}
            """)
    }

    @Test("Swift, which sends the same request")
    func swift() async throws {
        try expectEqual(
            Self.entry.exported(as: .swift),
            #"""
            let reply = try await session.post(
                "https://api.example.com/birds?page=2",
                body: .text("{\"name\":\"tern \\\"sterna\\\"\"}", mediaType: "application/json"),
                headers: ["Accept": "text/csv"])
            """#)
        let mock = MockTransport { _ in .text("done") }
        let session = try Session { $0.network.transport = mock }
        // The exported code.
        let reply = try await session.post(
            "https://api.example.com/birds?page=2",
            body: .text("{\"name\":\"tern \\\"sterna\\\"\"}", mediaType: "application/json"),
            headers: ["Accept": "text/csv"])
        expectEqual(reply.status, 200)
        let sent = try #require(mock.requests.first)
        try await expectEqual(sent.bodyText, #"{"name":"tern \"sterna\""}"#)
        expectEqual(sent.headers[.contentType], "application/json")
    }

    @Test("Swift of other methods and of bytes")
    func others() async throws {
        let entry = HARDocument.Entry(
            started: Date(timeIntervalSince1970: 0),
            request: .init(
                method: "PURGE", url: "http://h/", headers: [.init(name: "Content-Type", value: "image/png")],
                postData: .init(mediaType: "image/png", bytes: [0x89, 0x50])))
        try expectEqual(
            entry.exported(as: .swift),
            """
            let reply = try await session.request(
                Request.Method("PURGE")!,
                "http://h/",
                body: .bytes([137, 80] as [UInt8], mediaType: "image/png"))
            """)
        let mock = MockTransport { _ in .text("done") }
        let session = try Session { $0.network.transport = mock }
        // The exported code.
        let reply = try await session.request(
            Request.Method("PURGE")!,
            "http://h/",
            body: .bytes([137, 80] as [UInt8], mediaType: "image/png"))
        expectEqual(reply.status, 200)
    }

    @Test("Text that a .http file would interpret is left out with a comment")
    func interpreted() throws {
        for body in ["### next\nGET http://evil/", "< /etc/passwd", "{{secret}}", "a\u{1B}[2J"] {
            let entry = HARDocument.Entry(
                started: Date(timeIntervalSince1970: 0),
                request: .init(
                    method: "POST", url: "http://h/{{x}}", headers: [.init(name: "X-A", value: "{{b}}")],
                    postData: .init(mediaType: "text/plain", bytes: Array(body.utf8))))
            let text = try entry.exported(as: .http)
            #expect(!text.contains(body) && !text.contains("{{"), "\(text)")
            #expect(text.contains("# a body of \(body.utf8.count) bytes"), "\(text)")
        }
    }

    @Test(
        "Requests that cannot be sent",
        arguments: [
            (.init(method: "GET", url: "about:blank"), .invalidURL),
            (.init(method: "G T", url: "http://h/"), .invalidMethod),
            (.init(method: "GET", url: "http://h/", headers: [.init(name: "X", value: "a\r\nY: b")]), .invalidHeader),
            (.init(method: "POST", url: "http://h/", bodySize: 9), .bodyNotReplayable),
        ] as [(HARDocument.Request, SternaError.Kind)])
    func refused(request: HARDocument.Request, kind: SternaError.Kind) {
        let entry = HARDocument.Entry(started: Date(timeIntervalSince1970: 0), request: request)
        for format in HARDocument.ExportFormat.allCases {
            let error = #expect(throws: SternaError.self) { try entry.exported(as: format) }
            expectEqual(error?.kind, kind)
        }
    }
}
