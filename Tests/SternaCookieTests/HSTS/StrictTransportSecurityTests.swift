import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("HSTS: the field (RFC 6797, 6.1)")
struct StrictTransportSecurityTests {
    static let cases: [(String, Int, Bool)] = [
        ("max-age=31536000", 31_536_000, false),
        ("max-age=15768000 ; includeSubDomains", 15_768_000, true),
        ("max-age=\"31536000\"", 31_536_000, false),
        ("max-age=0", 0, false),
        ("max-age=0; includeSubDomains", 0, true),
        ("includeSubDomains;max-age=1", 1, true),
        ("MAX-AGE=1;INCLUDESUBDOMAINS", 1, true),
        (" ;; max-age = 7 ;\t; includeSubDomains ; ", 7, true),
        ("max-age=007", 7, false),
        ("max-age=2147483648", 2_147_483_647, false),
        ("max-age=999999999999999999999999999999", 2_147_483_647, false),
        ("max-age=1; preload", 1, false),
        ("max-age=1; unknown=token; other=\"quoted ; \\\" max-age=2\"", 1, false),
        ("max-age=1; includeSubDomainsX", 1, false),
    ]

    @Test("Valid fields are read", arguments: cases) func valid(text: String, maxAge: Int, includesSubdomains: Bool) {
        expectEqual(StrictTransportSecurity(text), .init(maxAge: maxAge, includesSubdomains: includesSubdomains))
    }

    @Test(
        "Invalid fields are ignored as a whole",
        arguments: [
            "", " ", ";", "includeSubDomains", "max-age", "max-age=", "max-age=;", "max-age=\"\"", "max-age=\"1",
            "max-age=-1", "max-age=+1", "max-age=1.5", "max-age=1s", "max-age=0x10", "max-age=\u{663}",
            // Directives must not appear more than once; a proxy may have joined two lines.
            "max-age=1; max-age=1", "max-age=1; Max-Age=2", "max-age=1; includeSubDomains; includesubdomains",
            "max-age=1; x; X=1", "max-age=1, max-age=2", "max-age=1; includeSubDomains, max-age=2",
            "max-age=1; includeSubDomains=", "max-age=1; includeSubDomains=true", "max-age=1; includeSubDomains=\"\"",
            "max-age=1 includeSubDomains", "max-age=1; x y", "max-age=1; x=", "max-age=1; x=\"", "max-age=1; x=\"\\",
            "max-age=1; x=\"\u{1}\"", "max-age=1; =x", "max-age=1; é", "max-age=1; \"x\"", "max-age=1\0",
        ])
    func invalid(text: String) { expectNil(StrictTransportSecurity(text)) }

    @Test("The length and the number of directives have limits") func limits() {
        let many = (0..<63).map { ";a\($0)" }.joined()
        #expect(StrictTransportSecurity("max-age=1" + many) != nil)
        expectNil(StrictTransportSecurity("max-age=1" + many + ";b"))
        #expect(StrictTransportSecurity("max-age=1" + String(repeating: ";", count: 4_087)) != nil)
        expectNil(StrictTransportSecurity("max-age=1" + String(repeating: ";", count: 4_088)))
    }
}
