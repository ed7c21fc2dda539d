import Testing

@testable import SternaCore
@testable import SternaTestSupport

/// Hosts outside ASCII (URL Standard, 3.3; UTS #46). The names were made with other implementations.
@Suite("Hosts outside ASCII")
struct URLIDNATests {
    @Test(arguments: [
        ("b\u{FC}cher.example", "xn--bcher-kva.example"),
        ("B\u{DC}CHER.Example", "xn--bcher-kva.example"),
        ("bu\u{308}cher.example", "xn--bcher-kva.example"),
        ("fa\u{DF}.de", "xn--fa-hia.de"),
        ("\u{3C2}.gr", "xn--3xa.gr"),
        ("\u{2603}.net", "xn--n3h.net"),
        ("a\u{3002}b", "a.b"),
        ("\u{FF47}\u{FF4F}.com", "go.com"),
        ("a\u{AD}b.com", "ab.com"),
        ("xn--bcher-kva.\u{FC}", "xn--bcher-kva.xn--tda"),
        ("\u{65E5}\u{672C}\u{8A9E}.jp", "xn--wgv71a119e.jp"),
        ("\u{FC}_a.com", "xn--_a-wka.com"),
        // Names that no DNS server has, and that the URL Standard accepts.
        ("-\u{FC}-.ab--c..\u{FC}", "xn-----xka.ab--c..xn--tda"),
        // Marks in any order are composed, and Hangul letters.
        ("a\u{323}\u{302}.com", "xn--zkg.com"), ("a\u{302}\u{323}.com", "xn--zkg.com"),
        ("\u{110B}\u{1165}\u{11B8}.kr", "xn--5h5b.kr"),
        ("=\u{338}.com", "xn--1ch.com"), ("A\u{30A}\u{1F600}", "xn--5ca0867w"),
        // A capital outside the first plane.
        ("\u{10400}.com", "xn--hj8c.com"),
        // Joiners behind a virama and between joining letters.
        ("\u{DC1}\u{DCA}\u{200D}\u{DBB}\u{DD3}", "xn--10cl1a0b660p"),
        ("\u{646}\u{627}\u{645}\u{647}\u{200C}\u{627}\u{6CC}", "xn--mgba3gch31f060k"),
        // Right to left.
        ("\u{5D0}1.\u{FC}", "xn--1-zhc.xn--tda"),
    ])
    func names(host: String, ascii: String) throws {
        #expect(try HTTPURL("https://\(host)/").host == ascii)
    }

    @Test func addresses() throws {
        let url = try HTTPURL("http://\u{FF10}\u{FF38}\u{FF43}\u{FF10}\u{3002}1/")
        expectEqual(url.host, "192.0.0.1")
        expectEqual(url.hostKind, .ipv4)
    }

    @Test(arguments: [
        "xn--\u{FC}", "xn--zz-zzzzzz.\u{FC}", "\u{300}a.com", "a\u{200D}b", "\u{AD}", "\u{E000}.com", "a\u{FFFD}b",
        "\u{FDFA}.de",
        "1\u{5D0}.com", "a.1b.\u{5D0}\u{661}1", "\u{5D0}a", "\u{5D0}.a-1-\u{5D0}", "1.\u{5D0}",
        "xn--A-.\u{FC}", "xn--.\u{FC}", "xn--a.\u{FC}", "xn--1ug.\u{FC}", "a\u{200C}b", "xn--xn---epa.\u{FC}",
        "\u{200C}\u{FC}", "xn--99999999999.\u{FC}", "\u{D7FF}\u{378}", "\u{FC}\u{FF0F}a", "\u{FC}\u{FF20}a",
        "\u{FC}\u{FF1A}80", "\u{FC}\u{FF03}", "\u{FC}/a",
        "\u{FC}@a", "\u{FC}:80",
        "\u{FC}#", "\u{FC}?", "\u{FC}%41", "\u{FC} a", "\u{FC}\u{0}", "\u{FC}]", "[\u{FC}", "[\u{FC}]", "\u{FF05}41",
        "\u{FC}\\", "\u{FC}^",
    ])
    func refused(host: String) {
        // Percent-encoded, so that delimiters reach the encoder.
        let encoded = host.utf8.map { "%" + String(Int($0) + 0x100, radix: 16).dropFirst() }.joined()
        #expect(throws: HTTPURL.ParseError.self) {
            try HTTPURL("https://\(encoded)/")
        }
    }

    @Test("Names that grow beyond any length are refused before they cost time")
    func long() {
        // Each becomes eighteen characters.
        let host = String(repeating: "\u{FDFA}", count: 341)
        #expect(throws: HTTPURL.ParseError.tooLong) { try HTTPURL("http://\(host)/") }
        #expect(throws: Never.self) { try HTTPURL("http://\(String(repeating: "\u{4E00}", count: 341))/") }
    }

    /// The samples of RFC 3492, 7.1.
    @Test(arguments: [
        (
            "\u{644}\u{64A}\u{647}\u{645}\u{627}\u{628}\u{62A}\u{643}\u{644}\u{645}\u{648}\u{634}\u{639}\u{631}\u{628}\u{64A}\u{61F}",
            "egbpdaj6bu4bxfgehfvwxn"
        ),
        ("\u{4ED6}\u{4EEC}\u{4E3A}\u{4EC0}\u{4E48}\u{4E0D}\u{8BF4}\u{4E2D}\u{6587}", "ihqwcrb4cv8a8dqg056pqjye"),
        ("Pro\u{10D}prost\u{11B}nemluv\u{ED}\u{10D}esky", "Proprostnemluvesky-uyb24dma41a"),
        ("3\u{5E74}B\u{7D44}\u{91D1}\u{516B}\u{5148}\u{751F}", "3B-ww4c5e180e575a65lsy2b"),
        ("-> $1.00 <-", "-> $1.00 <--"),
        ("\u{305D}\u{306E}\u{30B9}\u{30D4}\u{30FC}\u{30C9}\u{3067}", "d9juau41awczczp"),
    ])
    func punycode(text: String, code: String) {
        let scalars = text.unicodeScalars.map(\.value)
        expectEqual(Punycode.encode(scalars), Array(code.utf8))
        expectEqual(Punycode.decode(code.unicodeScalars.map(\.value)[...]), scalars)
    }

    @Test("Punycode that cannot be decoded", arguments: ["-", "a-b-", "99999999", "ls8h=", "a\u{E9}", "-a", "zzzzzzz"])
    func notPunycode(code: String) {
        let text = Punycode.decode(code.unicodeScalars.map(\.value)[...])
        #expect(text == nil || text.map(Punycode.encode) == Array(code.utf8))
    }

    @Test("Random hosts are refused, or their form does not change when it is converted again")
    func random() throws {
        var generator = SystemRandomNumberGenerator()
        var count = 0
        for _ in 0..<3_000 {
            var host = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let top: UInt32 =
                    [0x7F, 0x24F, 0x6FF, 0x11FF, 0xFFFF, 0x10FFFF].randomElement(using: &generator) ?? 0x7F
                if let scalar = Unicode.Scalar(UInt32.random(in: 0x21...top, using: &generator)) { host.append(scalar) }
            }
            guard let url = try? HTTPURL("http://\(String(host))\u{FC}/") else { continue }
            count += 1
            // A label outside ASCII beside it has all labels read.
            let again = try HTTPURL("http://\(url.host).\u{FC}/")
            #expect(url.hostKind != .domain || again.host == "\(url.host).xn--tda", "\(host.map(\.value))")
        }
        #expect(count > 100)
    }
}
