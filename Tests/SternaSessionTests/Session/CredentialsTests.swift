import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Which credentials a request has")
struct CredentialsTests {
    struct Row: Sendable {
        var url: String
        var own: Authorization?
        var shared: Authorization?
        var base: String?
        var value: String?
    }

    static let rows = [
        Row(url: "https://a.example/"),
        Row(url: "https://a.example/", shared: .bearer("s"), value: "Bearer s"),
        Row(url: "https://a.example/", shared: .bearer("s"), base: "https://a.example/v1/", value: "Bearer s"),
        Row(url: "https://b.example/", shared: .bearer("s"), base: "https://a.example/v1/"),
        Row(url: "http://a.example/", shared: .bearer("s"), base: "https://a.example/v1/"),
        Row(url: "https://u:p@a.example/", value: "Basic dTpw"),
        Row(url: "https://u:p@a.example/", shared: .bearer("s"), value: "Basic dTpw"),
        Row(url: "https://u:p@b.example/", shared: .bearer("s"), base: "https://a.example/", value: "Basic dTpw"),
        Row(url: "https://u:p@a.example/", own: .bearer("o"), shared: .bearer("s"), value: "Bearer o"),
        Row(url: "https://b.example/", own: .bearer("o"), base: "https://a.example/", value: "Bearer o"),
    ]

    @Test("The request's own, then the URL's, then the session's on its own origin", arguments: rows)
    func choose(row: Row) throws {
        let resolution = URLResolution(base: try row.base.map { try HTTPURL($0) }, allowsOtherOrigins: true)
        let value = try Credentials.fieldValue(
            for: try HTTPURL(row.url), own: row.own.map(Optional.some), shared: row.shared, resolution)
        expectEqual(value, row.value)
    }

    @Test("Nil in place of the session's credentials sends only those of the URL")
    func none() throws {
        let resolution = URLResolution(base: nil, allowsOtherOrigins: false)
        for (url, value) in [("https://a.example/", nil), ("https://u:p@a.example/", "Basic dTpw")] {
            let sent = try Credentials.fieldValue(
                for: try HTTPURL(url), own: .some(nil), shared: .bearer("s"), resolution)
            expectEqual(sent, value)
        }
    }

    @Test("Credentials that cannot be sent are errors")
    func refused() throws {
        let resolution = URLResolution(base: nil, allowsOtherOrigins: false)
        let url = try HTTPURL("https://a.example/")
        for own in [Authorization.bearer("a\r\nb"), .basic("a:b", "c")] {
            let error = #expect(throws: SternaError.self) {
                try Credentials.fieldValue(for: url, own: own, shared: nil, resolution)
            }
            expectEqual(error?.kind, .invalidHeader)
        }
        let bytes = try HTTPURL("https://%FF@a.example/")
        let error = #expect(throws: SternaError.self) {
            try Credentials.fieldValue(for: bytes, own: nil, shared: nil, resolution)
        }
        expectEqual(error?.kind, .invalidURL)
    }
}
