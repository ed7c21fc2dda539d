import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("Printed requests, responses and errors show no secrets")
struct ShownMessageTests {
    private static let hex = "73 33 63 72 65 74"

    private func expectHidden(_ value: Any, _ names: [String] = []) {
        var dumped = ""
        dump(value, to: &dumped)
        for text in [dumped, "\(value)", String(reflecting: value)] {
            #expect(!text.contains("s3cret"), "\(text)")
            #expect(!text.replacing(" ", with: "").contains(Self.hex.replacing(" ", with: "")), "\(text)")
        }
        for name in names { #expect(dumped.contains(name), "\(dumped)") }
    }

    private func response(_ section: FieldSection, body: ResponseBody = ResponseBody()) throws -> Response {
        var response = Response(
            status: .ok, section: section, body: body, url: try HTTPURL("https://u:s3cret@example.com/a?token=s3cret"))
        response.redirects = [RedirectStep(url: try HTTPURL("https://example.com/?code=s3cret"), status: 302)]
        return response
    }

    private static let sections: [FieldSection] = [
        FieldSection([.setCookie: "a=s3cret", .location: "/?access_token=s3cret", .server: "shown"]),
        FieldSection(
            checkedLines: Bytes(
                text: "Set-Cookie: a=s3cret\r\nX-Auth-Token: s3cret\r\nLocation: /?code=s3cret\r\nServer: shown\r\n")),
    ]

    @Test("A response, in both forms of its fields", arguments: sections.indices)
    func response(index: Int) throws {
        let section = Self.sections[index]
        let body = ResponseBody(Bytes(text: #"{"t":"s3cret"}"#), trailers: [.setCookie: "s3cret"])
        let response = try response(section, body: body)
        expectHidden(response, ["shown", "example.com", "302", "14"])
        expectHidden(section, ["shown"])
        expectHidden(body)
        expectHidden([response.redirects])
    }

    @Test("An error with a response, a body, and what was made of it", arguments: sections.indices)
    func error(index: Int) throws {
        var error = SternaError(.unacceptableStatus, phase: .read, "No.")
        error.response = try response(Self.sections[index])
        error.body = Bytes(text: "s3cret")
        error.value = ["token": "s3cret"]
        error.underlying = EncodingError.invalidValue("s3cret", .init(codingPath: [], debugDescription: "Not so."))
        expectHidden(error, ["shown", "example.com", "Not so."])
        expectEqual("\(error)", "No. [phase: read]")
        expectHidden(error as any Error)
        let outer = SternaError(.decodingFailed, phase: .read, "No.", underlying: error)
        expectHidden(outer)
    }

    @Test("A request with marked fields and a body")
    func request() throws {
        var request = Request(
            .post, try HTTPURL("https://u:s3cret@example.com/a?token=s3cret"), headers: [.cookie: "s3cret"],
            body: .text("password=s3cret"))
        request.headers[try #require(HTTPField.Name("X-Other"))] = "shown"
        expectHidden(request, ["text/plain", "shown", "15"])
        expectHidden(request.body as Any)
        expectHidden(request.body?.segments as Any)
    }
}
