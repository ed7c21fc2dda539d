import NIOCore
import SternaCore
import SternaSerialization
import Testing

@testable import SternaPages

/// Which encoding text is read in.
@Suite struct PageEncodingTests {
    @Test(
        arguments: [
            ([0xE4], nil, "ä"), ([0xE4], "iso-8859-1", "ä"), ([0x80], "latin1", "€"), ([0xC3, 0xA4], nil, "ä"),
            ([0xE4], "utf-8", "\u{FFFD}"),
            ([0xEF, 0xBB, 0xBF, 0xC3, 0xA4], "iso-8859-1", "ä"), ([0xFE, 0xFF, 0x00, 0xE4], nil, "ä"),
            ([0xFF, 0xFE, 0xE4, 0x00], "utf-8", "ä"),
            ([0xFF, 0xFE, 0x00, 0xD8, 0x41, 0x00, 0x42], nil, "\u{FFFD}A"), ([0x83, 0x41], "shift_jis", "ア"),
            ([0x83, 0x41, 0x0A, 0xFF, 0x41], "shift_jis", "ア\n\u{FFFD}A"), ([0x41], "nonsense", "A"),
            ([0x41], "utf-32", "A"),
        ] as [([UInt8], String?, String)])
    func html(_ bytes: [UInt8], _ charset: String?, _ expected: String) {
        #expect(PageEncoding.html(Bytes(copying: bytes), charset: charset) == expected)
    }

    @Test(
        arguments: [
            ("<meta charset=koi8-r>", "п"), ("<META CHARSET='KOI8-R'>", "п"),
            ("<meta http-equiv=content-type content='text/html; charset=koi8-r'>", "п"),
            ("<meta charset = \"koi8-r\" >", "п"), ("<!-- <meta charset=utf-8> --><meta charset=koi8-r>", "п"),
            ("<meta name=charset content=x><meta charset=koi8-r>", "п"), ("<meta charset=utf-16>", "\u{FFFD}"),
            ("<meta charset=nonsense>", "Ð"),
            ("<p charset=koi8-r>", "Ð"),
        ])
    func declared(_ html: String, _ last: String) {
        let text = PageEncoding.html(Bytes(copying: Array(html.utf8) + [0xD0]), charset: nil)
        #expect(text == html + last)
    }

    @Test(
        arguments: [
            ("a{}", nil, "a{}"), ("@charset \"utf-8\";a{}", nil, "@charset \"utf-8\";a{}"),
            ("@charset \"koi8-r\";a{}", nil, "@charset \"utf-8\";a{}"),
            ("@charset \"koi8-r\";a{b:'~'}", nil, "@charset \"utf-8\";a{b:'п'}"),
            ("a{b:'~'}", "koi8-r", "@charset \"utf-8\";a{b:'п'}"),
            ("@charset \"utf-8\";a{b:'~'}", "koi8-r", "@charset \"utf-8\";a{b:'п'}"),
            ("@charset 'koi8-r';", nil, "@charset 'koi8-r';"),
        ])
    func css(_ css: String, _ charset: String?, _ expected: String) {
        let bytes = css.utf8.map { $0 == UInt8(ascii: "~") ? 0xD0 : $0 }
        let result = PageEncoding.css(Bytes(copying: bytes), charset: charset, environment: .utf8)
        #expect(String(decoding: result, as: UTF8.self) == expected)
    }

    @Test("What refers to it decides for a style sheet or script that says nothing")
    func environment() {
        let bytes = Bytes(copying: [0x27, 0xD0, 0x27])
        #expect(
            String(decoding: PageEncoding.css(bytes, charset: nil, environment: .koi8R), as: UTF8.self)
                == "@charset \"utf-8\";'п'")
        #expect(PageEncoding.script(bytes, charset: nil, environment: .koi8R).text == "'п'")
        #expect(PageEncoding.script(bytes, charset: "windows-1252", environment: .koi8R).text == "'Ð'")
        #expect(PageEncoding.script(bytes, charset: "utf-8", environment: .koi8R) == bytes)
    }
}
