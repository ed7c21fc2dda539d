import HTTPTypes
import SternaCore
import SternaSerialization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("The header fields of one request")
struct RequestHeadersTests {
    private static let fields: HTTPFields = [.accept: "a/b", .contentType: "c/d", .cookie: "id=1"]

    struct Row: Sendable {
        var own: Headers = [:]
        var authorization: String?
        var body: Body?
        var threshold: Int64?
        var added: HTTPFields = [:]
    }

    static let rows = [
        Row(),
        Row(authorization: "Bearer x", added: [.authorization: "Bearer x"]),
        Row(own: ["authorization": "Own"], authorization: "Bearer x", added: [.authorization: "Own"]),
        Row(own: ["ACCEPT": "x/y"], added: [.accept: "x/y"]),
        Row(body: .text("t"), threshold: 1),
        Row(body: .text("tt"), threshold: 1, added: [.expect: "100-continue"]),
        Row(body: .text("t"), threshold: -5, added: [.expect: "100-continue"]),
        Row(body: .text("t"), threshold: .max),
        Row(body: .text("tt")),
        Row(own: ["Expect": "x"], body: .text("tt"), threshold: 1, added: [.expect: "x"]),
        Row(body: coded, added: [.contentEncoding: "gzip"]),
        Row(own: ["Content-Encoding": "br"], body: coded, added: [.contentEncoding: "br"]),
        Row(body: form, added: [.contentType: "multipart/form-data; boundary=B"]),
        Row(
            own: ["Content-Type": "multipart/mixed; boundary=\"B\""], body: form,
            added: [.contentType: "multipart/mixed; boundary=\"B\""]),
        Row(
            own: ["Content-Type": "multipart/mixed; boundary=C"], body: form,
            added: [.contentType: "multipart/form-data; boundary=B"]),
    ]

    private static let coded = Body.text("t").compressed()
    private static let form = Body.bytes([1], mediaType: "multipart/form-data; boundary=B")

    @Test("The caller's fields replace those of the session, and the body's are added", arguments: rows.indices)
    func merge(index: Int) throws {
        let row = Self.rows[index]
        var request = Request(.post, try HTTPURL("https://a.example/"), headers: Self.fields, body: row.body)
        try RequestHeaders.merge(
            row.own, authorization: row.authorization, continueThreshold: row.threshold, into: &request)
        var expected = Self.fields
        for field in row.added { expected[field.name] = field.value }
        expectEqual(Set(request.headers), Set(expected))
    }

    @Test("A body's media type becomes Content-Type if no field sets it")
    func mediaType() throws {
        var request = Request(.post, try HTTPURL("https://a.example/"), body: .text("t", mediaType: "x/y"))
        try RequestHeaders.merge([:], authorization: nil, continueThreshold: nil, into: &request)
        expectEqual(request.headers, [.contentType: "x/y"])
    }

    @Test("The error of a field that cannot be sent has the request's method and URL")
    func refused() throws {
        var request = Request(.put, try HTTPURL("https://a.example/b"))
        let error = #expect(throws: SternaError.self) {
            try RequestHeaders.merge(["X": "a\nb"], authorization: nil, continueThreshold: nil, into: &request)
        }
        expectEqual(error?.kind, .invalidHeader)
        expectEqual(error?.method, .put)
        #expect(error?.url == "https://a.example/b")
    }
}
