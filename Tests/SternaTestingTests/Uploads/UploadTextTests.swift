import Testing

@testable import SternaTestSupport
@testable import SternaTesting

@Suite("Upload server: fields")
struct UploadTextTests {
    @Test(
        "Numbers",
        arguments: [
            ("7", 7), (" 7 ;a=b", 7), ("7;", 7), ("999999999999999", 999_999_999_999_999), ("1000000000000000", nil),
            (";7", nil), ("", nil), ("+7", nil), ("-7", nil), ("٣", nil), ("7 8", nil),
        ] as [(String, Int64?)])
    func number(text: String, expected: Int64?) { expectEqual(UploadText.number(text), expected) }

    @Test("Booleans", arguments: [("?1", true), ("?0;x", false), (";?1", nil), ("1", nil)] as [(String, Bool?)])
    func boolean(text: String, expected: Bool?) { expectEqual(UploadText.boolean(text), expected) }

    @Test(
        "Metadata",
        arguments: [
            ("a YQ==,b", true), ("a ", true), ("a YQ==, a Yg==", false), ("é YQ==", false), ("a YQ==\r\nb", false),
            ("a YQ", false), ("", false), (",", false), ("a b c", false),
        ])
    func metadata(text: String, isMetadata: Bool) { expectEqual(UploadText.isMetadata(text), isMetadata) }

    @Test("The parts of a concatenation")
    func parts() {
        let (one, two) = (String(repeating: "a", count: 32), String(repeating: "0", count: 32))
        #expect(UploadText.parts(of: "final;/uploads/\(one) http://a.example/uploads/\(two)?x") == [one, two])
        for text in [
            "final;", "final; ", "partial", one, "final;/uploads/\(one)/..", "final;/uploads/\(one.uppercased())",
            "final;" + Array(repeating: "/uploads/\(one)", count: 65).joined(separator: " "),
        ] {
            expectNil(UploadText.parts(of: text), "\(text)")
        }
    }
}
