import SternaCore
import Testing

@testable import SternaTestSupport

@Suite struct URLEmptyHostTests {
    @Test(arguments: ["http:///x", "wss:////x", "///x", "\\\\/x", "//\n/x"])
    func messagesHaveNone(reference: String) throws {
        let base = try HTTPURL("http://a/b")
        #expect(throws: HTTPURL.ParseError.missingHost) { try HTTPURL(withHost: reference, relativeTo: base) }
        #expect(throws: HTTPURL.ParseError.missingHost) { try reference.resolve(against: base) }
        // As the standard of browsers has it.
        try expectEqual(HTTPURL(reference, relativeTo: base).host, "x")
    }

    @Test(arguments: ["http://x", "//x", "/\\x", "http:/x", "x", "", "/", "?//", "http:x"])
    func othersAreTheSame(reference: String) throws {
        let base = try HTTPURL("http://a/b")
        try expectEqual(
            HTTPURL(withHost: reference, relativeTo: base), HTTPURL(reference, relativeTo: base))
    }
}
