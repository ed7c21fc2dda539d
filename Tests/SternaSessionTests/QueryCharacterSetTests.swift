import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Percent-escapes follow the serializer's string encoding.
@Suite("Query: character sets")
struct QueryCharacterSetTests {
    static let cases: [(TextEncoding, String, String)] = [
        (.utf8, "é†", "%C3%A9%E2%80%A0"),
        (.utf16, "é", "%C3%A9"),
        (.latin1, "é ü", "%E9%20%FC"),
        (.windows1252, "€†", "%80%86"),
        (.shiftJIS, "日本", "%93%FA%96%7B"),
        (.gb18030, "中文", "%D6%D0%CE%C4"),
        (.eucKR, "†", "%A2%D3"),
        (.koi8R, "Пр", "%F0%D2"),
    ]

    @Test("In the query, in forms, in names and values", arguments: cases)
    func escapes(encoding: TextEncoding, text: String, expected: String) async throws {
        var serializer = HTTPRequestSerializer(style: .afnetworking2)
        serializer.stringEncoding = encoding
        let (api, mock) = try mocked { $0.requestSerializer = serializer }
        try await api.get("a", parameters: ["q": ParameterValue.string(text), text: 1])
        try await api.post("a", parameters: ["q": text])
        let names = "\(expected)=1&q=\(expected)"
        let other = "q=\(expected)&\(expected)=1"
        let query = try #require(mock.requests.first?.url.query)
        #expect(query == names || query == other)
        expectEqual(mock.requests.last?.givenText, "q=\(expected)")
        let charset = encoding == .utf16 ? "utf-8" : encoding.name
        expectEqual(mock.requests.last?.headers[.contentType], "application/x-www-form-urlencoded; charset=\(charset)")
    }

    @Test("A character outside the set fails with its key path, or becomes a character reference")
    func unencodable() async throws {
        var serializer = HTTPRequestSerializer()
        serializer.stringEncoding = .latin1
        let (api, mock) = try mocked { $0.requestSerializer = serializer }
        let error = await #expect(throws: SternaError.self) {
            try await api.post("a", parameters: ["user": ["name": "†"]])
        }
        expectEqual(error?.kind, .encodingFailed)
        expectEqual(error?.detail.contains("user.name"), true)
        expectEqual(error?.detail.contains("iso-8859-1"), true)
        #expect(mock.requests.isEmpty)
        var form = QueryEncoder.whatwgForm
        form.encoding = .latin1
        try expectEqual(form.encode(["a": "† b"]), "a=%26%238224%3B+b")
    }
}
