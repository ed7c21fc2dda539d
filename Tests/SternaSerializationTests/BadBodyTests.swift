import NIOCore
import SternaCore
import SternaPlatform
import SternaSerialization
import Testing

@testable import SternaTestSupport

/// What is wrong with a body is an error with its place, in every way of reading it.
@Suite("Bad input: bodies")
struct BadBodyTests {
    /// The errors of the tree and of the decoder for one body.
    private func errors(_ bytes: [UInt8]) -> [SternaError?] {
        let answer = GivenAnswer(bytes: bytes)
        return [answer.error(of: .json), answer.error(of: .decodable(JSON.self))]
    }

    private func expectPlace(_ error: SternaError?, _ note: String) {
        expectEqual(error?.kind, .decodingFailed, "\(note)")
        expectEqual(error?.phase, .decode)
        #expect(error?.body != nil)
        expectEqual(
            error?.detail.contains(/line [0-9]+, column [0-9]+|byte [0-9]+/), true, "\(note): \(error?.detail ?? "")")
        expectEqual(error?.description.contains { $0.isNewline || $0 == "\0" }, false)
    }

    static let sample = Array(
        #"{"name":"Zoë 🐦","list":[1,-2.5e+3,true,false,null,{}],"a\u00e9\ud83d\ude00":{"deep":[[""]]}}"#.utf8)

    @Test("Truncated at every byte")
    func truncated() {
        for end in 1..<Self.sample.count {
            for error in errors(Array(Self.sample[..<end])) { expectPlace(error, "cut at \(end)") }
        }
        for error in errors(Self.sample) { expectNil(error) }
    }

    @Test("Truncated text at every byte: whole, or the place where it breaks off")
    func truncatedText() throws {
        for end in 0...Self.sample.count {
            let bytes = Array(Self.sample[..<end])
            let answer = GivenAnswer(bytes: bytes, type: "text/plain")
            if let text = String(validating: bytes, as: UTF8.self) {
                try expectEqual(answer.read(by: .text), text)
            } else {
                expectPlace(answer.error(of: .text), "cut at \(end)")
            }
        }
    }

    static let broken: [(String, [UInt8])] = [
        ("lone high surrogate", Array(#""\ud800""#.utf8)), ("lone low surrogate", Array(#""\udc00""#.utf8)),
        ("high before text", Array(#"["\ud800x"]"#.utf8)), ("two high", Array(#"["\ud800\ud800"]"#.utf8)),
        ("swapped", Array(#"["\ude00\ud83d"]"#.utf8)), ("lone in a key", Array(#"{"\ud800":1}"#.utf8)),
        ("NUL alone", [0]), ("NUL behind", Array("{}\0".utf8)), ("NUL before", Array("\0{}".utf8)),
        ("NUL in a string", Array("[\"a\0b\"]".utf8)), ("NUL between", Array("[1\0,2]".utf8)),
        ("0xFF", [0xFF]), ("0xFF in a string", [0x5B, 0x22, 0xFF, 0x22, 0x5D]),
        ("overlong", [0x22, 0xC0, 0xAF, 0x22]), ("surrogate in UTF-8", [0x22, 0xED, 0xA0, 0x80, 0x22]),
        ("beyond Unicode", [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22]), ("cut scalar", [0x22, 0xE2, 0x82, 0x22]),
        ("stray continuation in a key", [0x7B, 0x22, 0x80, 0x22, 0x3A, 0x31, 0x7D]),
        ("BOM alone", [0xEF, 0xBB, 0xBF]), ("two BOMs", [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF, 0x31]),
        ("half a BOM", [0xEF, 0xBB, 0x31]), ("newlines", Array("\n\n".utf8)), ("tail", Array("{} x".utf8)),
        ("control in a string", [0x22, 0x01, 0x22]), ("hexadecimal", Array("0x10".utf8)),
        ("leading zero", Array("[012]".utf8)), ("comment", Array("[1] // one".utf8)), ("NaN", Array("NaN".utf8)),
        ("single quotes", Array("{'a':1}".utf8)), ("trailing comma", Array("[1,]".utf8)),
        ("deep arrays", Array(repeating: UInt8(ascii: "["), count: 10_000)),
        ("deep whole arrays", [UInt8](repeating: 0x5B, count: 10_000) + [UInt8](repeating: 0x5D, count: 10_000)),
        (
            "deep objects",
            Array((String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000)).utf8)
        ),
        ("a million levels", Array(repeating: UInt8(ascii: "["), count: 1_000_000)),
    ]

    @Test("Each is an error with its place", arguments: broken)
    func place(name: String, bytes: [UInt8]) {
        for error in errors(bytes) { expectPlace(error, name) }
    }

    @Test("The place is that of the fault")
    func exact() throws {
        let answer = GivenAnswer("{\n  \"a\": [1, 2,\n   x]}")
        for error in [answer.error(of: .json), answer.error(of: .decodable(JSON.self))] {
            expectEqual(error?.detail.contains("line 3, column 4"), true, "\(error?.detail ?? "")")
        }
        let text = GivenAnswer(bytes: Array("aé\nb".utf8) + [0xFF, 0x61], type: "text/plain").error(of: .text)
        expectEqual(text?.detail.contains("byte 5"), true, "\(text?.detail ?? "")")
    }

    static let badText: [(String, [UInt8], Int)] = [
        ("utf-8", [0xFF], 0), ("utf-8", [0x61, 0xC3], 1), ("utf-8", [0x61, 0x62, 0xED, 0xA0, 0x80], 2),
        ("utf-8", [0xF0, 0x9F, 0x90, 0xA6, 0x80], 4), ("us-ascii", [0x61, 0x80], 1),
        ("utf-8", [UInt8](repeating: 0x61, count: 100_000) + [0xC0, 0xAF], 100_000),
    ]

    @Test("Text that is not in its character set names the byte", arguments: badText)
    func text(charset: String, bytes: [UInt8], offset: Int) {
        let error = GivenAnswer(bytes: bytes, type: "text/plain; charset=\(charset)").error(of: .text)
        expectEqual(error?.kind, .decodingFailed)
        expectEqual(error?.detail.contains("byte \(offset)"), true, "\(error?.detail ?? "")")
        expectEqual(error?.body?.array, bytes)
    }

    @Test("NUL and U+FEFF inside text are text")
    func keptText() throws {
        try expectEqual(GivenAnswer("a\0b", type: "text/plain").read(by: .text), "a\0b")
        try expectEqual(GivenAnswer("a\u{FEFF}b", type: nil).read(by: .text), "a\u{FEFF}b")
        try expectEqual(GivenAnswer(#"["\u0000"]"#).read(by: .json), JSON.array(["\0"]))
        let value = try GivenAnswer(#"["\u0000"]"#).read(by: DecodableResponseSerializer<[String]>())
        expectEqual(value, ["\0"])
    }

    @Test("A byte order mark before JSON is passed over, in a tree and in a value alike")
    func mark() throws {
        let answer = GivenAnswer("\u{FEFF}[1]")
        try expectEqual(answer.read(by: .json), JSON.array([1]))
        try expectEqual(answer.read(by: DecodableResponseSerializer<[Int]>()), [1])
    }

    static let numbers = [
        "1e400", "-1e400", "1e999999999999999999", "9223372036854775808", "-9223372036854775809", "1.5", "-1e19",
        String(repeating: "9", count: 1_000_000), "1." + String(repeating: "0", count: 10) + "1",
    ]

    @Test(
        "Huge numbers stay in a tree; a value that has no room for them is an error with its place", arguments: numbers)
    func number(text: String) throws {
        let answer = GivenAnswer(#"{"n":\#(text)}"#)
        let tree = try answer.read(by: .json)
        expectNil(tree["n"].int)
        #expect(tree["n"].number != nil)
        let error = try #require(answer.error(of: .decodable([String: Int].self)))
        expectEqual(error.kind, .decodingFailed)
        #expect(error.detail.contains("n"))
        #expect(error.detail.utf8.count < 1_000)
        do {
            let value = try answer.read(by: .decodable([String: Double].self))
            expectEqual(value["n"]?.isFinite, true)
        } catch let error as SternaError {
            expectEqual(error.kind, .decodingFailed)
            #expect(error.detail.contains("n"))
        }
    }
}
