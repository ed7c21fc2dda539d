import SternaCore
import Testing

@testable import SternaTestSupport

@Suite struct URLErrorTests {
    @Test(arguments: [
        ("", HTTPURL.ParseError.empty), (" \n", .empty), ("/x", .relativeWithoutBase),
        ("example.com", .relativeWithoutBase),
        ("//example.com/", .relativeWithoutBase), ("://x", .relativeWithoutBase), ("1http://x", .relativeWithoutBase),
        ("ftp://x/", .unsupportedScheme("ftp")), ("localhost:8080", .unsupportedScheme("localhost")),
        ("FILE:///x", .unsupportedScheme("file")),
        ("alice:secret@host/", .unsupportedScheme(nil)), ("http:", .missingHost), ("http://", .missingHost),
        ("http:///", .missingHost),
        ("http://?q", .missingHost), ("http://:80/", .missingHost), ("http://u:p@/", .missingHost),
        ("http://u@:80", .missingHost),
        ("http://a b/", .forbiddenHostCodePoint(" ")), ("http://a<b/", .forbiddenHostCodePoint("<")),
        ("http://a]/", .forbiddenHostCodePoint("]")),
        ("http://h:x/", .invalidPort), ("http://h:8 0/", .invalidPort), ("http://h:-1/", .invalidPort),
        ("http://user:pass/word@h/", .invalidPort),
        ("http://h:65536/", .portOutOfRange), ("http://h:99999999999999999999999/", .portOutOfRange),
        ("http://%FF/", .invalidHostEncoding),
        ("http://1.2.3.4.5/", .invalidIPv4), ("http://[::1/", .invalidIPv6), ("http://[::1]x/", .invalidIPv6),
    ])
    func reasons(text: String, error: HTTPURL.ParseError) {
        #expect(throws: error) { try HTTPURL(text) }
    }

    @Test func length() throws {
        let room = HTTPURL.maximumLength - "http://h/".utf8.count
        let longest = "http://h/" + String(repeating: "a", count: room)
        try expectEqual(HTTPURL(longest).href, longest)
        #expect(throws: HTTPURL.ParseError.tooLong) { try HTTPURL(longest + "a") }
        #expect(throws: HTTPURL.ParseError.tooLong) {
            try HTTPURL("http://h/" + String(repeating: " ", count: room) + "a")
        }
        #expect(throws: HTTPURL.ParseError.tooLong) {
            try HTTPURL("http://h/" + String(repeating: "{", count: room / 2))
        }
        #expect(throws: HTTPURL.ParseError.tooLong) {
            try HTTPURL("http://" + String(repeating: "a", count: HTTPURL.maximumLength - 7))
        }
    }

    @Test(arguments: [
        ("/", "http://h:8080/"), ("", "http://h:8080/"), ("?", "http://h:8080/x?"), ("#", "http://h:8080/x#"),
    ])
    func lengthOfResolvedReferences(start: String, resolved: String) throws {
        let base = try HTTPURL("http://h:8080/x")
        let rest = String(repeating: "a", count: HTTPURL.maximumLength - resolved.utf8.count)
        try expectEqual(HTTPURL(start + rest, relativeTo: base).href, resolved + rest)
        #expect(throws: HTTPURL.ParseError.tooLong) { try HTTPURL(start + rest + "a", relativeTo: base) }
    }

    /// One of each.
    static let all: [HTTPURL.ParseError] = [
        .empty, .relativeWithoutBase, .unsupportedScheme(nil), .unsupportedScheme("ftp"), .missingHost,
        .forbiddenHostCodePoint("<"), .forbiddenHostCodePoint("\u{0}"), .invalidHostEncoding, .hostNotEncodable,
        .invalidIPv4, .invalidIPv6, .invalidPort, .portOutOfRange, .tooLong,
    ]

    @Test(arguments: all)
    func descriptionsAreOneLineOfPrintableText(error: HTTPURL.ParseError) {
        let text = error.description
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
        #expect(text.hasSuffix("."))
        #expect(text.contains(";") || text.contains(":"))
    }

    @Test func descriptionsNameTheCodePoint() {
        #expect("\(HTTPURL.ParseError.forbiddenHostCodePoint("<"))".contains("\"<\" (U+003C)"))
        #expect("\(HTTPURL.ParseError.forbiddenHostCodePoint(" "))".contains("contains U+0020,"))
    }

    @Test(arguments: [
        "alice:hunter2@host/", "http://alice:hunter2@", "http://alice:hunter2@a b/", "http://alice:hunter2@h:x/",
        "http://alice:hunter2@h:99999/", "ftp://alice:hunter2@h/", "http://alice:hunter2@1.2.3.4.5/", "alice:hunter2@",
        "http://alice:hunter2@[::1/", "http://alice:hunter2@%FF/", "http://alice:hunter2/@h/", "alice://hunter2@h/",
    ])
    func errorsHoldNoUserinfo(text: String) throws {
        let error = try #require(throws: HTTPURL.ParseError.self) { try HTTPURL(text) }
        var shown = ""
        dump(error, to: &shown)
        for text in [error.description, String(reflecting: error), shown] {
            #expect(!text.contains("alice") && !text.contains("hunter2"))
        }
    }
}
