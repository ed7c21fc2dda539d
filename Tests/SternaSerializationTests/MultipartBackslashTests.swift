import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// Backslashes in names, which busboy, Go, Werkzeug and PHP take for escapes, each in its own places.
@Suite("Multipart forms: backslashes")
struct MultipartBackslashTests {
    static let names: [(String, String)] = [
        ("a\\", "a%5C"), ("\\", "%5C"), ("a\\\\", "a%5C%5C"), ("dir\\sub\\", "dir%5Csub%5C"), ("a\\\"b", "a%5C%22b"),
        ("a\\\\b", "a%5C%5Cb"), ("a\\/b", "a%5C/b"), ("a\\;b", "a%5C;b"), ("a\\\r\nb", "a%5C%0D%0Ab"),
        ("App\\Models", "App\\Models"), ("C:\\dir\\x.txt", "C:\\dir\\x.txt"), ("a\\é", "a\\é"), ("plain", "plain"),
    ]

    private static func head(_ form: MultipartForm) async throws -> String {
        let text = String(decoding: try await MultipartFormTests.bytes(#require(try form.body())), as: UTF8.self)
        return text.split(separator: "\r\n").dropFirst().first.map(String.init) ?? ""
    }

    @Test("A backslash that a reader may take for an escape is percent-encoded", arguments: names)
    func written(name: String, written: String) async throws {
        for style in [MultipartForm.NameStyle.whatwg, .extended] {
            var form = MultipartForm(nameStyle: style)
            form.append(Data(), name: name, fileName: name)
            let head = try await Self.head(form)
            #expect(
                head.hasPrefix("Content-Disposition: form-data; name=\"\(written)\"; filename=\"\(written)\""),
                "\(head)")
        }
    }

    @Test("With raw names, a backslash at the end is an error before anything is sent")
    func raw() async throws {
        for (name, fileName) in [("a\\", nil), ("a", "b\\")] as [(String, String?)] {
            var form = MultipartForm(nameStyle: .raw)
            form.append(Data(), name: name, fileName: fileName)
            let error = #expect(throws: SternaError.self) { try form.body() }
            guard case .backslashAtEnd? = error?.underlying as? BodyFault else {
                Issue.record("\(String(describing: error))")
                return
            }
            expectEqual(error?.detail.contains("ends with a backslash"), true)
        }
        var form = MultipartForm(nameStyle: .raw)
        form.append("v", name: "a\\b")
        try await expectEqual(Self.head(form), "Content-Disposition: form-data; name=\"a\\b\"")
    }

    @Test("In another character set, the second byte of a character is no backslash")
    func shiftJIS() async throws {
        var form = MultipartForm(encoding: .shiftJIS)
        form.append("v", name: "表x\\")
        let bytes = try await MultipartFormTests.bytes(#require(try form.body()))
        #expect(bytes.contains([0x95, 0x5C, 0x78, 0x25, 0x35, 0x43, 0x22]))
    }
}
