import SternaCore
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite struct URLHostEncoderTests {
    /// Answers with a fixed text, and keeps what it was asked.
    private final class Fixed: HostEncoder {
        let answer: String
        let asked = Mutex<[String]>([])

        init(_ answer: String) { self.answer = answer }

        func encode(_ host: String) throws -> String {
            asked.withLock { $0.append(host) }
            return answer
        }
    }

    private struct Broken: HostEncoder {
        struct Failure: Error {}
        func encode(_ host: String) throws -> String { throw Failure() }
    }

    @Test func isAskedForDecodedHostsOutsideASCIIOnly() throws {
        let encoder = Fixed("xn--bcher-kva.example")
        #expect(try HTTPURL("http://b%C3%BCcher.example/", hostEncoder: encoder).host == "xn--bcher-kva.example")
        #expect(
            try HTTPURL("http://B\u{FC}CHER.example:81/", hostEncoder: encoder).authority == "xn--bcher-kva.example:81")
        #expect(try HTTPURL("http://plain.EXAMPLE/", hostEncoder: encoder).host == "plain.example")
        expectEqual(encoder.asked.withLock { $0 }, ["b\u{FC}cher.example", "B\u{FC}CHER.example"])
    }

    @Test(arguments: [
        ("a b", HTTPURL.ParseError.forbiddenHostCodePoint(" ")), ("a/b", .forbiddenHostCodePoint("/")),
        ("a%41", .forbiddenHostCodePoint("%")), ("", .missingHost), ("b\u{FC}cher", .hostNotEncodable),
        ("1.2.3.4.5", .invalidIPv4), ("[::1]", .forbiddenHostCodePoint("[")),
    ])
    func resultsAreChecked(answer: String, error: HTTPURL.ParseError) {
        #expect(throws: error) { try HTTPURL("http://\u{FC}/", hostEncoder: Fixed(answer)) }
    }

    @Test func resultsMayBeAddressesAndUpperCase() throws {
        #expect(try HTTPURL("http://\u{FF11}/", hostEncoder: Fixed("0x7F.1")).hostKind == .ipv4)
        #expect(try HTTPURL("http://\u{FC}/", hostEncoder: Fixed("XN--TDA")).host == "xn--tda")
    }

    @Test func failures() {
        #expect(throws: HTTPURL.ParseError.hostNotEncodable) { try HTTPURL("http://\u{FC}/", hostEncoder: Broken()) }
        #expect(throws: HTTPURL.ParseError.hostNotEncodable) {
            try HTTPURL("http://\u{FC}/", hostEncoder: ASCIIHostEncoder())
        }
        #expect(throws: HTTPURL.ParseError.invalidHostEncoding) {
            try HTTPURL("http://%FF/", hostEncoder: Fixed("a"))
        }
        let long = String(repeating: "\u{FC}", count: 513)
        #expect(throws: HTTPURL.ParseError.tooLong) { try HTTPURL("http://\(long)/", hostEncoder: Fixed("a")) }
        #expect(throws: Never.self) { try HTTPURL("http://\(long.dropLast())/", hostEncoder: Fixed("a")) }
    }

    @Test func asciiEncoder() throws {
        try expectEqual(ASCIIHostEncoder().encode("Plain"), "Plain")
        #expect(throws: HTTPURL.ParseError.hostNotEncodable) { try ASCIIHostEncoder().encode("\u{FC}") }
    }
}
