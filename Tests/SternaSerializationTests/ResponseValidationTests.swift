import HTTPTypes
import NIOCore
import SternaCore
import Testing

@testable import SternaSerialization
@testable import SternaTestSupport

@Suite("Response validation: AFNetworking's rules")
struct ResponseValidationTests {
    private func response(_ status: Int, type: String? = nil) throws -> Response {
        var headers = HTTPFields()
        if let type { headers[.contentType] = type }
        return Response(
            status: .init(code: status), section: FieldSection(headers),
            url: try HTTPURL("https://example.com/a?token=s3cret"))
    }

    private let some = Bytes(string: "x")

    @Test(
        "200 to 299 are no error",
        arguments: [
            (199, false), (200, true), (204, true), (299, true), (300, false), (304, false),
            (404, false), (500, false), (999, false),
        ])
    func statuses(status: Int, fits: Bool) throws {
        let error = ResponseValidation().check(try response(status), body: some)
        expectEqual((error == nil), fits)
        if !fits {
            expectEqual(error?.kind, .unacceptableStatus)
            expectEqual(error?.status, status)
        }
    }

    @Test("Statuses of one's own")
    func own() throws {
        let validation = ResponseValidation(statuses: [404])
        expectNil(validation.check(try response(404), body: some))
        expectEqual(validation.check(try response(200), body: some)?.kind, .unacceptableStatus)
    }

    static let types: [(String?, Bool)] = [
        ("application/json", true), ("application/json; charset=utf-8", true), ("Application/JSON", true),
        ("text/json", true),
        ("text/javascript", true), ("application/problem+json", true), ("text/html", false), ("text/plain", false),
        ("json", false), ("", false), (nil, true),
    ]

    @Test("JSON's media types", arguments: types)
    func mediaTypes(type: String?, fits: Bool) throws {
        let validation = JSONResponseSerializer().validation
        let error = validation.check(try response(200, type: type), body: some)
        expectEqual((error == nil), fits)
        if !fits {
            expectEqual(error?.kind, .unacceptableMediaType)
            expectEqual(error?.phase, .decode)
            expectEqual(error?.description.contains("application/json"), true)
        }
    }

    @Test("A body that is empty has no wrong type", arguments: [nil, "text/html"])
    func empty(type: String?) throws {
        expectNil(JSONResponseSerializer().validation.check(try response(200, type: type), body: Bytes()))
    }

    @Test("Text and data take any type", arguments: [nil, "text/html", "image/png", "nonsense"])
    func anyType(type: String?) throws {
        expectNil(TextResponseSerializer().validation.check(try response(200, type: type), body: some))
        expectNil(DataResponseSerializer().validation.check(try response(200, type: type), body: some))
    }

    @Test("Where status and type are wrong, the error is the status with the type as its cause")
    func both() throws {
        let error = JSONResponseSerializer().validation.check(try response(500, type: "text/html"), body: some)
        expectEqual(error?.kind, .unacceptableStatus)
        expectEqual((error?.underlying as? SternaError)?.kind, .unacceptableMediaType)
        let onlyStatus = JSONResponseSerializer().validation.check(try response(500, type: "text/json"), body: some)
        expectNil(onlyStatus?.underlying)
    }

    @Test("An error keeps the response and body, says that the request was sent, and hides secrets")
    func kept() throws {
        for (status, type) in [(500, "text/json"), (200, "text/html")] {
            let error = try #require(
                JSONResponseSerializer().validation.check(try response(status, type: type), body: some))
            expectEqual(error.body?.text, "x")
            expectEqual(error.response?.status.code, status)
            #expect(error.requestSent)
            #expect(error.url == "https://example.com/a?token=***")
        }
    }

    static let phrases: [(Int, String)] = [
        (100, "Continue"), (102, "Processing"), (103, "Early Hints"), (104, "Upload Resumption Supported"), (200, "OK"),
        (207, "Multi-Status"), (208, "Already Reported"), (226, "IM Used"), (305, "Use Proxy"), (306, ""),
        (402, "Payment Required"), (413, "Content Too Large"), (418, ""), (422, "Unprocessable Content"),
        (423, "Locked"), (424, "Failed Dependency"), (425, "Too Early"), (430, ""), (506, "Variant Also Negotiates"),
        (507, "Insufficient Storage"), (508, "Loop Detected"), (509, ""), (510, "Not Extended"),
        (511, "Network Authentication Required"), (999, ""),
    ]

    @Test("Each registered code has its phrase, others have none", arguments: phrases)
    func phrase(code: Int, expected: String) {
        expectEqual(HTTPResponse.Status(code: code).registeredPhrase, expected)
    }

    @Test("All 62 codes in use that IANA has registered have a phrase")
    func registered() {
        expectEqual((100..<600).count { !HTTPResponse.Status(code: $0).registeredPhrase.isEmpty }, 62)
    }

    @Test("A media type in a message stays on its line")
    func control() throws {
        let error = ResponseValidation(mediaTypes: ["a/b"]).check(try response(200, type: "x\ty"), body: some)
        expectEqual(error?.description.contains { $0.isNewline }, false)
    }
}
