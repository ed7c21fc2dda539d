import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: percent-encoding")
struct QueryPercentEncodingTests {
    static let cases: [(String, String)] = [
        ("", ""),
        ("ABCXYZabcxyz0123456789-._~", "ABCXYZabcxyz0123456789-._~"),
        (" :#[]@!$&'()*+,;=/?", "%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?"),
        ("%", "%25"),
        ("100%20", "100%2520"),
        ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("\u{00}\u{1F}\u{7F}\r\n\t", "%00%1F%7F%0D%0A%09"),
        ("é", "%C3%A9"),
        ("français", "fran%C3%A7ais"),
        ("日本語", "%E6%97%A5%E6%9C%AC%E8%AA%9E"),
        ("العربية", "%D8%A7%D9%84%D8%B9%D8%B1%D8%A8%D9%8A%D8%A9"),
        ("😃", "%F0%9F%98%83"),
        (
            "👨‍👩‍👧",
            "%F0%9F%91%A8%E2%80%8D%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"
        ),
        ("e\u{301}", "e%CC%81"),
        ("🇩🇪a", "%F0%9F%87%A9%F0%9F%87%AAa"),
    ]

    @Test("Each text has its encoding, as a value and as a name", arguments: cases)
    func encoding(text: String, expected: String) throws {
        expectEqual(QueryEncoder.percentEncoded(text), expected)
        try expectEqual(QueryEncoder().encode(["k": text]), "k=\(expected)")
        try expectEqual(QueryEncoder().encode([text: "v"]), "\(expected)=v")
    }

    @Test("Every ASCII byte is kept or escaped as the rules say")
    func everyByte() {
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/?".utf8)
        for byte in UInt8(0)..<128 {
            let text = String(decoding: [byte], as: UTF8.self)
            let digits = String(byte, radix: 16, uppercase: true)
            let escaped = "%" + (byte < 16 ? "0" : "") + digits
            expectEqual(QueryEncoder.percentEncoded(text), (kept.contains(byte) ? text : escaped))
        }
    }

    @Test("A run of kept bytes around every escape position is whole")
    func runs() {
        for length in 0..<40 {
            let a = String(repeating: "a", count: length)
            expectEqual(QueryEncoder.percentEncoded(a + "&" + a), a + "%26" + a)
        }
    }
}
