import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("HSTS: upgrades of URLs (RFC 6797, 8.3)")
struct HSTSRuleTests {
    @Test(
        "An upgrade changes port 80 to 443, and no other port",
        arguments: [
            ("http://example.com/a?b#c", "https://example.com/a?b#c"),
            ("http://example.com:80/", "https://example.com/"),
            ("http://example.com:443/", "https://example.com/"),
            ("http://example.com:8080/x", "https://example.com:8080/x"),
            ("http://example.com:0/", "https://example.com:0/"),
            ("http://ada:s3cret@example.com./?q", "https://ada:s3cret@example.com./?q"),
            ("ws://example.com:8080/", "wss://example.com:8080/"), ("ws://example.com/", "wss://example.com/"),
            ("http://[::1]:443/", "https://[::1]/"), ("http://[::1]:81/", "https://[::1]:81/"),
        ])
    func upgraded(from: String, to: String) throws {
        let url = try #require(HSTSRule.upgraded(try HTTPURL(from)))
        let expected = try HTTPURL(to)
        #expect(url == expected && url.href == to && url.effectivePort == expected.effectivePort)
        #expect(url.port == expected.port && url.host == expected.host && url.origin == expected.origin)
        expectNil(HSTSRule.upgraded(url))
    }

    @Test(
        "Only hosts with a name are learnt, over verified TLS",
        arguments: [
            ("https://example.com/", true, true), ("wss://example.com/", true, true),
            ("https://example.com/", false, false), ("http://example.com/", true, false),
            ("https://127.0.0.1/", true, false), ("https://[::1]/", true, false),
        ])
    func learning(url: String, isVerified: Bool, learns: Bool) throws {
        expectEqual(HSTSRule.mayLearn(from: try HTTPURL(url), isVerified: isVerified), learns)
    }
}
