import SternaCore
import Testing

@testable import SternaTestSupport

@Suite("The server's message is text")
struct ServerMessageTextTests {
    static let cases: [(String, String)] = [
        ("\u{1B}[2Jgone", "\u{FFFD}[2Jgone"), ("first\nsecond", "first second"),
        ("first\r\n\r\nsecond\r\n", "first second"),
        ("a\u{202E}b", "a\u{FFFD}b"), ("a\tb\u{7F}\u{0}", "a b\u{FFFD}\u{FFFD}"), ("a\u{2028}b\u{85}c", "a b c"),
        ("é ä 日本 👩‍👧", "é ä 日本 👩‍👧"),
    ]

    @Test("The server's message cannot control a terminal or begin a line of a log", arguments: cases)
    func filtered(given: String, expected: String) {
        var error = SternaError(.unacceptableStatus, phase: .read, "No.")
        error.serverMessage = given
        expectEqual(error.message, expected)
        expectEqual(error.serverMessage, expected)
    }

    @Test("A long message is cut off, and a message of line breaks alone is nil")
    func length() {
        var error = SternaError(.unacceptableStatus, phase: .read, "No.")
        error.serverMessage = String(repeating: "x", count: 5_000)
        expectEqual(error.message.count, 1_001)
        error.serverMessage = "\r\n"
        expectNil(error.serverMessage)
        expectEqual(error.message, "No.")
    }
}
