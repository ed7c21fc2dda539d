import HTTPTypes
import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// The URL Standard's application/x-www-form-urlencoded serializing.
@Suite("Query: the URL Standard's form")
struct FormStandardTests {
    static let cases: [(Parameters, String)] = [
        (["a": "b"], "a=b"),
        (["b": 1, "a": 2, "c": 0], "b=1&a=2&c=0"),
        (["a b": " c  d "], "a+b=+c++d+"),
        (["a": "1+1=2"], "a=1%2B1%3D2"),
        (["a": Parameters.null], "a="),
        (["a": ""], "a="),
        (["": "a"], "=a"),
        (["": Parameters.null], "="),
        (["k": "*-._"], "k=*-._"),
        (["k": "~!'()"], "k=%7E%21%27%28%29"),
        (["k": "\r\n\t\u{0}"], "k=%0D%0A%09%00"),
        (["k": "/?:@[]#$&,;"], "k=%2F%3F%3A%40%5B%5D%23%24%26%2C%3B"),
        (["é": "💩"], "%C3%A9=%F0%9F%92%A9"),
        (["a": ["d": 1, "c": 2] as Parameters], "a%5Bd%5D=1&a%5Bc%5D=2"),
        (["t": true, "l": [2, 1]], "t=1&l%5B%5D=2&l%5B%5D=1"),
    ]

    @Test("Each case has its text", arguments: cases.indices)
    func form(index: Int) throws {
        let (parameters, expected) = Self.cases[index]
        try expectEqual(QueryEncoder.whatwgForm.encode(parameters), expected)
        let serializer = HTTPRequestSerializer(style: .whatwgForm)
        #expect(
            try Carried(serializer, .post, "https://h/", parameters)
                == Carried("/", body: expected, type: "application/x-www-form-urlencoded"))
    }

    @Test("Every ASCII byte is kept, a plus, or escaped, as the standard's percent-encode set says")
    func everyByte() throws {
        let kept = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789*-._".utf8)
        for byte in UInt8(0)..<128 {
            let text = String(decoding: [byte], as: UTF8.self)
            let digits = String(byte, radix: 16, uppercase: true)
            let escaped = byte == 0x20 ? "+" : "%" + (byte < 16 ? "0" : "") + digits
            try expectEqual(QueryEncoder.whatwgForm.encode(["k": text]), "k=" + (kept.contains(byte) ? text : escaped))
        }
    }
}
