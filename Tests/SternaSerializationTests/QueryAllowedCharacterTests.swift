import SternaCore
import SternaSerialization
import Testing

@testable import SternaTestSupport

@Suite("Query: allowed characters")
struct QueryAllowedCharacterTests {
    private typealias Allowed = QueryEncoder.AllowedCharacters

    private static let alphanumerics = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    @Test("The named sets hold what their standards say")
    func named() {
        expectEqual(Set(Allowed.unreserved.characters), Set(Self.alphanumerics + "-._~"))
        expectEqual(Set(Allowed.query.characters), Set(Self.alphanumerics + "-._~/?"))
        expectEqual(Set(Allowed.whatwgForm.characters), Set(Self.alphanumerics + "*-._"))
    }

    @Test("Characters that would be decoded differently can never be kept unescaped")
    func never() throws {
        let unsafe = "%&=+# " + String(decoding: (UInt8(0)..<0x20).map { $0 } + [0x7F], as: UTF8.self)
        expectEqual(Allowed(unsafe).characters, "")
        expectEqual(Allowed(unsafe + "é日😀").characters, "")
        expectEqual(Allowed("a").adding(unsafe).characters, "a")
        expectEqual(Allowed("a&b=c").characters, "abc")
        let encoder = QueryEncoder(allowed: Allowed(unsafe + "é"))
        try expectEqual(encoder.encode(["&=": "%+# \u{0}\u{7F}é"]), "%26%3D=%25%2B%23%20%00%7F%C3%A9")
    }

    @Test("Every other ASCII character can be kept")
    func others() throws {
        let all = String(decoding: UInt8(0)..<128, as: UTF8.self)
        let kept = "!\"$'()*,-./:;<>?@[\\]^_`{|}~"
        expectEqual(Set(Allowed(all).characters), Set(Self.alphanumerics + kept))
        try expectEqual(QueryEncoder(allowed: Allowed(all)).encode(["k": kept]), "k=\(kept)")
    }

    static let cases: [(String, String, Parameters, String)] = [
        ("", "", ["ab": "cd"], "%61%62=%63%64"),
        ("a", "c", ["ab": "cd"], "a%62=c%64"),
        ("[]", "", ["a": ["b"]], "%61[]=%62"),
        ("abk[]", "abk", ["a": ["b": "[]"]], "a[b]=%5B%5D"),
        ("k", "!", ["k": "!?"], "k=!%3F"),
    ]

    @Test("Names and values have their own", arguments: cases.indices)
    func own(index: Int) throws {
        let (names, values, parameters, expected) = Self.cases[index]
        var encoder = QueryEncoder()
        encoder.allowedInNames = Allowed(names)
        encoder.allowedInValues = Allowed(values)
        try expectEqual(encoder.encode(parameters), expected)
    }

    @Test("Alamofire's custom set: without slash and question mark")
    func withoutSlash() throws {
        try expectEqual(QueryEncoder(allowed: .unreserved).encode(["allowed": "?/"]), "allowed=%3F%2F")
    }
}
