import HTTPTypes
import MutationKit
import Sterna
import Testing

@testable import SternaTestSupport

@Suite("Names of downloaded files")
struct DownloadFileNameTests {
    @Test(
        "The field comes first, then the URL, then the media type",
        arguments: [
            ("attachment; filename=a.txt", "http://h/b.zip", "image/png", "a.txt"),
            (nil, "http://h/b.zip?x=/y", "image/png", "b.zip"),
            ("inline", "http://h/x/b%20c.zip", nil, "b c.zip"), (nil, "http://h/", "image/jpeg", "download.jpg"),
            (nil, "http://h/a/", "text/plain; charset=utf-8", "download.txt"), (nil, "http://h", nil, "download"),
            (nil, "http://h/", "application/octet-stream", "download"), (nil, "http://h/%2e%2e%2fx", nil, "x"),
            (nil, "http://h/%ff.bin", nil, "%ff.bin"), (nil, "http://h/a%", nil, "a%"),
            (nil, "http://h/%2F", nil, "download"),
            ("attachment; filename=\"..\"", "http://h/b", nil, "b"),
            ("attachment; filename=\"a/\"", "http://h/b", nil, "b"),
            ("attachment; filename*=UTF-8''%2e%2e%2Fa%00b", "http://h/c", nil, "ab"),
            ("attachment; filename=\"\u{200B}\"", "http://h/%E2%80%AE", "application/json", "download.json"),
        ] as [(String?, String, String?, String)])
    func sources(disposition: String?, url: String, type: String?, expected: String) throws {
        var fields = HTTPFields()
        fields[.contentDisposition] = disposition
        fields[.contentType] = type
        let response = Response(status: .ok, section: FieldSection(fields), url: try HTTPURL(url))
        expectEqual(DownloadFileName.name(for: response), expected)
    }

    private static let safeNames: [(String, String?)] = [
        ("a.txt", "a.txt"), ("../../etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"), ("C:\\a\\b.txt", "b.txt"),
        ("/", nil), ("..", nil), ("", nil), ("a/", nil), (".bashrc", "bashrc"), ("-rf", "rf"), ("~user", "user"),
        ("  . .x", "x"),
        ("a. . ", "a"), ("\u{A0}a\u{3000}", "a"), ("a\u{0}b\nc\u{7F}\u{85}", "abc"), ("a\u{202E}gpj.exe", "agpj.exe"),
        ("a\u{200B}\u{FEFF}\u{2066}\u{AD}b", "ab"), ("\u{3164}\u{2800}", nil), ("\u{E0041}a\u{FFFF}", "a"),
        ("a<b>c:d\"e|f?g*h\u{FFFD}", "a_b_c_d_e_f_g_h_"), ("e\u{301}", "\u{E9}"), ("\u{1100}\u{1161}", "\u{AC00}"),
        ("CON", "_CON"), ("nul.txt", "_nul.txt"), ("com1.tar.gz", "_com1.tar.gz"), ("COM¹", "_COM¹"),
        ("con .x", "_con .x"),
        ("LPT0", "_LPT0"), ("conin$", "_conin$"), ("console", "console"), ("COM10", "COM10"), ("a.CON", "a.CON"),
    ]

    @Test("A suggestion becomes a safe base name", arguments: safeNames)
    func safe(suggestion: String, expected: String?) {
        let name = DownloadFileName.safe(suggestion)
        expectEqual(name.map { Array($0.utf8) }, expected.map { Array($0.utf8) })
    }

    @Test("A long name keeps its extension and whole characters")
    func long() throws {
        func x(_ count: Int) -> String { String(repeating: "x", count: count) }
        expectEqual(DownloadFileName.safe(x(300) + ".tar.gz"), x(248) + ".tar.gz")
        expectEqual(
            DownloadFileName.safe(String(repeating: "é", count: 300) + ".jpg"),
            String(repeating: "é", count: 125)
                + ".jpg")
        expectEqual(DownloadFileName.safe(x(250) + "👨.jpg"), x(250) + ".jpg")
        // An ending that is too long is not an extension.
        expectEqual(DownloadFileName.safe("a." + x(300)), "a." + x(253))
        // A letter with more marks than fit keeps some.
        let marked = try #require(DownloadFileName.safe("x" + String(repeating: "\u{301}\u{302}", count: 20_000)))
        #expect((200...255).contains(marked.utf8.count))
        // Shortening does not make a reserved name.
        expectEqual(DownloadFileName.safe("CON" + String(repeating: "\u{1100}", count: 100)), "_CON")
        // Shortening makes a device's name, and the underscore would make it too long again.
        let spaces = { (count: Int) in String(repeating: " ", count: count) }
        expectEqual(DownloadFileName.safe("CON" + spaces(300) + "x.txt"), "_CON" + spaces(247) + ".txt")
        expectEqual(DownloadFileName.safe("CON." + x(300) + "." + x(10))?.utf8.count, 255)
    }

    @Test("A number precedes the extension, within the limit")
    func numbers() {
        expectEqual(DownloadFileName.numbered("a.txt", 2), "a (2).txt")
        expectEqual(DownloadFileName.numbered("a.tar.gz", 10), "a (10).tar.gz")
        expectEqual(DownloadFileName.numbered("a", 3), "a (3)")
        expectEqual(DownloadFileName.numbered(".profile", 2), ".profile (2)")
        let long = DownloadFileName.numbered(String(repeating: "é", count: 126) + ".md", 100)
        #expect(long.hasSuffix("é (100).md"))
        #expect((253...255).contains(long.utf8.count))
    }

    @Test("A safe name is unchanged", arguments: 1...8 as ClosedRange<UInt64>)
    func isIdempotent(seed: UInt64) {
        var random = MutationGenerator(seed: seed)
        let pieces = [
            "a", "é", "e", "\u{301}", "\u{338}", ".", " ", "/", "\\", "<", "CON", "nul", "COM", "1", "¹", ".tar", ".gz",
            "\u{202E}",
            "\u{200D}", "👨", "-", "~", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{212A}", "\u{37E}", "\u{1FEF}", "\u{0}",
            "\u{85}",
            "\u{A0}", "🇩", "\u{344}", "\u{F73}", "\u{FE0F}", "\u{DDA}",
        ]
        for round in 0..<1_000 {
            var text = ""
            for _ in 0..<Int.random(in: 0...(round % 20 == 0 ? 300 : 12), using: &random) {
                if Bool.random(using: &random), let piece = pieces.randomElement(using: &random) {
                    text += piece
                } else if let scalar = Unicode.Scalar(UInt32.random(in: 0...0x10FFFF, using: &random)) {
                    text.unicodeScalars.append(scalar)
                }
            }
            guard let once = DownloadFileName.safe(text) else { continue }
            let twice = DownloadFileName.safe(once)
            expectEqual(twice.map { Array($0.utf8) }, Array(once.utf8), "\(text.debugDescription)")
            #expect(!once.isEmpty && once.utf8.count <= 255 && !once.utf8.contains(UInt8(ascii: "/")))
        }
    }
}
