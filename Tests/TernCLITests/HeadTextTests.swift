import Sterna
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import TernCLI

@Suite struct HeadTextTests {
    private func style(coloured: Bool = false, secrets: Bool = false) -> OutputStyle {
        OutputStyle(parts: .all, isColoured: coloured, isIndented: false, isTerminal: false, showsSecrets: secrets)
    }

    private func request() throws -> Request {
        var request = Request(.post, try HTTPURL("http://host:81/a?b"), body: .text("hello"))
        try Headers([("Authorization", "Basic dTpw"), ("Cookie", "a=b"), ("X-A", "1")]).merge(into: &request.headers)
        return request
    }

    @Test func hidesSecrets() throws {
        let head = HeadText(style: style()).request(try request())
        expectEqual(
            head,
            """
            POST /a?b HTTP/1.1
            Host: host:81
            Authorization: ***
            Cookie: ***
            X-A: 1
            Content-Length: 5

            """)
        let open = HeadText(style: style(secrets: true)).request(try request())
        #expect(open.contains("Authorization: Basic dTpw\nCookie: a=b\n"))
    }

    @Test func namesTheStatus() throws {
        var response = Response(status: 404, url: try HTTPURL("http://host/"))
        try Headers([("Set-Cookie", "id=1"), ("Server", "x")]).merge(into: &response.headers)
        expectEqual(HeadText(style: style()).response(response), "HTTP/1.1 404 Not Found\nSet-Cookie: ***\nServer: x\n")
        #expect(HeadText(style: style(coloured: true)).response(response).contains("\u{1B}[33m404 Not Found\u{1B}[0m"))
        response.section = FieldSection(response.section.fields, reason: "Nothing \u{1B}[31mhere")
        #expect(HeadText(style: style()).response(response).hasPrefix("HTTP/1.1 404 Nothing "))
        var terminal = style()
        terminal.isTerminal = true
        #expect(!HeadText(style: terminal).response(response).contains("\u{1B}"))
        for (code, line) in [(207, "207 Multi-Status"), (507, "507 Insufficient Storage"), (599, "599")] {
            let response = Response(status: .init(code: code), url: try HTTPURL("http://host/"))
            expectEqual(HeadText(style: style()).response(response), "HTTP/1.1 \(line)\n")
        }
    }
}
