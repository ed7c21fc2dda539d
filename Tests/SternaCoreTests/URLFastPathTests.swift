import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite struct URLFastPathTests {
    static let bases: [String?] = [
        nil, "http://host/", "https://u:p@host:8443/a/b?q#f", "ws://[::1]/x/", "http://1.2.3.4:81/..a/",
    ]

    /// Whether the quick path took the text; where it did, the full one must have come to the same.
    private func compare(_ text: String, base: HTTPURL?) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard let fast = URLParser.parseFast(bytes, base: base?.storage) else { return false }
            guard case .success(let full) = URLParser.parseFully(bytes, base: base?.storage) else {
                Issue.record(
                    "\(String(decoding: bytes, as: UTF8.self).debugDescription) was accepted by the quick path")
                return true
            }
            let same =
                fast.scheme == full.scheme && fast.userinfo == full.userinfo && fast.authority == full.authority
                && fast.hostLength == full.hostLength && fast.hostKind == full.hostKind && fast.port == full.port
                && fast.target == full.target && fast.pathLength == full.pathLength && fast.fragment == full.fragment
            #expect(same, "\(String(decoding: bytes, as: UTF8.self).debugDescription)")
            return true
        }
    }

    @Test(arguments: bases)
    func agreesWithTheFullParser(base: String?) throws {
        let base = try base.map { text throws(HTTPURL.ParseError) in try HTTPURL(text) }
        var generator = URLInputGenerator(seed: 1)
        var taken = 0
        for round in 0..<20_000 {
            let text = round.isMultiple(of: 2) ? generator.nearlyNormal() : generator.mutated()
            if compare(text, base: base) { taken += 1 }
        }
        #expect(taken > 3_000)
    }

    /// Every byte in every place a byte can matter.
    @Test func agreesOnEveryByte() throws {
        let base = try HTTPURL("https://u@h:1/x")
        let places = [
            ("http://", "/"), ("http://a", "/"), ("http://a", ""), ("http://1.2.3.", "/x"), ("http://a:8", "/"),
            ("http://a:", "0"),
            ("http://a/", ""), ("http://a/", "."), ("http://a/.", ""), ("http://a/..", "/b"), ("http://a/%2", ""),
            ("http://a/%", "e"),
            ("http://a/?", ""), ("http://a/?q", "r"), ("http://a/#", ""), ("http://a/?#f", "g"), ("", "ttp://a/"),
            ("http", "://a/"),
            ("http:", "/a/"), ("http:/", "a"), ("/", ""), ("/", "a"), ("", "/a"), ("/a?", "b#c"), ("/.", "/a"),
            ("ws", "//a"), ("w", "://a"),
        ]
        var taken = 0
        for (before, after) in places {
            for byte in UInt8(0)..<0x80 {
                let text = before + String(Unicode.Scalar(byte)) + after
                if compare(text, base: nil) { taken += 1 }
                if compare(text, base: base) { taken += 1 }
            }
        }
        #expect(taken > 2_000)
    }

    @Test(arguments: [
        "http://127.0.0.1:18080/1k", "https://api.example.com/v1/users/12345/items?limit=20&sort=name%20x#top",
        "wss://h",
        "https://example.com:8443/.well-known/a..b/...", "http://h:80/", "ws://a-b_c.d/?",
    ])
    func takesTheUsual(text: String) {
        #expect(compare(text, base: nil))
    }

    @Test(arguments: ["/", "/v1/items?q=1#f", "/.well-known/x"])
    func takesAbsolutePaths(text: String) throws {
        #expect(compare(text, base: try HTTPURL("https://u:p@[::1]:1/")))
        #expect(!compare(text, base: nil))
    }
}

@Suite struct URLByteSetTests {
    @Test func setsHoldWhatTheirDescriptionsSay() {
        let printable = Set(UInt8(0x21)...0x7E)
        let controls = Set(UInt8(0)...0x20).union([0x7F])
        let expected: [(ByteSet, Set<UInt8>)] = [
            (.fragment, printable.subtracting("\"<>`".utf8)),
            (.query, printable.subtracting("\"#<>'".utf8)),
            (.path, printable.subtracting("\"#<>?^`{}".utf8)),
            (.userinfo, printable.subtracting("\"#<>?^`{}/:;=@[\\]|".utf8)),
            (.domain, Set(UInt8(0)...0x7F).subtracting(controls).subtracting("#/:<>?@[\\]^|%".utf8)),
            (.plainPath, printable.subtracting("\"#<>?^`{}/\\%".utf8)),
            (.plainDomain, Set("abcdefghijklmnopqrstuvwxyz0123456789-._".utf8)),
        ]
        for (set, bytes) in expected {
            expectEqual(Set((UInt8(0)...255).filter(set.contains)), bytes)
        }
    }
}
