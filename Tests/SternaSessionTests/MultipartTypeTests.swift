import HTTPTypes
import NIOCore
import Sterna
import Testing

@testable import SternaTestSupport

/// The boundary in Content-Type is the form's, and what a dump shows follows the form.
@Suite("The media type of multipart forms")
struct MultipartTypeTests {
    private static let url = "http://example.com/"

    private func form(_ headers: Headers? = nil) throws -> Body {
        var form = MultipartForm(boundary: "BOUND")
        if let headers { form.append(headers: headers, body: .text("S3CRET")) }
        form.append("S3CRET", name: "password")
        return try #require(try form.body())
    }

    @Test(
        "A type set by hand without the form's boundary is replaced",
        arguments: ["multipart/form-data", "multipart/form-data; boundary=other", "application/json"])
    func replaced(type: String) throws {
        let draft = RequestDraft.post(Self.url, body: try form(), headers: ["Content-Type": type])
        try expectEqual(Session().request(for: draft).headers[.contentType], "multipart/form-data; boundary=BOUND")
        let api = try Session { $0.headers["Content-Type"] = type }
        let request = try api.request(for: .post(Self.url, body: try form()))
        expectEqual(request.headers[values: .contentType], ["multipart/form-data; boundary=BOUND"])
    }

    @Test("A Content-Type with the form's boundary is kept, as is any Content-Type of another body")
    func kept() throws {
        let type = "multipart/related; boundary=\"BOUND\""
        let draft = RequestDraft.post(Self.url, body: try form(), headers: ["Content-Type": type])
        try expectEqual(Session().request(for: draft).headers[.contentType], type)
        let other = RequestDraft.post(Self.url, body: .text("a"), headers: ["Content-Type": "a/b"])
        try expectEqual(Session().request(for: other).headers[.contentType], "a/b")
    }

    @Test(
        "Parts of secret names are hidden however their header is written",
        arguments: [
            "form-data; filename=\"x\"; name=\"password\"", "form-data; name=password", "form-data; NAME=\"password\"",
            "form-data; name=\"pass\\word\"", "form-data; name*=UTF-8''password",
        ])
    func hidden(disposition: String) throws {
        for headers: Headers in [
            ["Content-Disposition": disposition], ["X-A": "name=\"note\"", "content-disposition": disposition],
        ] {
            let text = try Session().curl(for: .post(Self.url, body: try form(headers)))
            #expect(!text.contains("S3CRET"), "\(text)")
        }
    }

    @Test("A multipart body without a known boundary is hidden completely")
    func unknown() throws {
        var body = try form()
        body.mediaType = nil
        var request = Request(.post, try HTTPURL(Self.url), body: body)
        for type in ["multipart/form-data", "multipart/form-data; boundary=other"] {
            request.headers[.contentType] = type
            #expect(!request.curl().contains("S3CRET"))
        }
    }
}
