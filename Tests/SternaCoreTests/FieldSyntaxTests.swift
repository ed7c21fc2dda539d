import SternaCore
import Testing

@testable import SternaTestSupport

/// The grammar as RFC 9110 writes it (5.5 and 5.6.2), against what looks at eight bytes at a time.
@Suite("The grammar of fields")
struct FieldSyntaxTests {
    private static func mayStandInValue(_ byte: UInt8) -> Bool { byte == 9 || byte >= 32 && byte != 127 }

    @Test("A byte that no value may have is found at every place among any others", arguments: 0...17)
    func values(length: Int) {
        // An expectation for each would take longer than all the rest.
        var wrong: [String] = []
        for place in 0..<length {
            for filler: UInt8 in [0x20, 0x61, 0x7E, 0x80, 0xFF, 0x09] {
                for byte in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: filler, count: length)
                    bytes[place] = byte
                    let isValue = bytes.withUnsafeBytes { FieldSyntax.isValue($0) }
                    if isValue != Self.mayStandInValue(byte) { wrong.append("\(byte) at \(place) among \(filler)") }
                }
            }
        }
        expectEqual(wrong, [])
    }

    @Test("Texts are judged as their bytes are")
    func texts() {
        #expect(FieldSyntax.isValue(""))
        #expect(FieldSyntax.isValue("a\tb — ü\u{FFFD}"))
        #expect(FieldSyntax.isValue(String(repeating: "value ", count: 50)))
        for control in ["\r", "\n", "\0", "\u{1F}", "\u{7F}"] {
            #expect(!FieldSyntax.isValue(control))
            #expect(!FieldSyntax.isValue("01234567\(control)"))
            #expect(!FieldSyntax.isValue("\(control)0123456789"))
        }
    }

    @Test("Tokens are made of letters, digits, and fifteen signs")
    func tokens() {
        let allowed = Set(
            "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
        for byte in UInt8.min...UInt8.max {
            expectEqual(FieldSyntax.isTokenByte(byte), allowed.contains(byte), "\(byte)")
        }
        #expect(!FieldSyntax.isToken(""))
    }

    @Test("A byte that no name may have in HTTP/2 is found at every place among any others", arguments: 1...17)
    func names(length: Int) {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)
        var wrong: [String] = []
        for place in 0..<length {
            for filler in "az-0_".utf8 {
                for byte in UInt8.min...UInt8.max {
                    var bytes = [UInt8](repeating: filler, count: length)
                    bytes[place] = byte
                    let isName = bytes.withUnsafeBytes { FieldSyntax.isLowercaseToken($0) }
                    if isName != allowed.contains(byte) { wrong.append("\(byte) at \(place) among \(filler)") }
                }
            }
        }
        expectEqual(wrong, [])
    }

    @Test("No byte is no name")
    func noName() {
        #expect(![UInt8]().withUnsafeBytes { FieldSyntax.isLowercaseToken($0) })
    }
}
