import MutationKit
import SternaCore
import Testing

@testable import SternaCoreTests
@testable import SternaTestSupport

@Suite("Mutations: URLs")
struct URLMutationTests {
    static let reader = MutatedReader(
        "URLs",
        seeds: URLInputGenerator.seeds + ["http://[fe80::1:2:3:4]:8080/", "http://1.2.3.4:80", "http://4294967295/"],
        tokens: [
            "/", ":", "?", "#", "[", "]", "@", "..", "/../", "%2e", "%", "%C3%BC", "http://", "https:", "ws:", "//",
            "::",
            "0x", "255", "65535", "xn--", "\\", "\t", "\n", " ", "ü", "\u{1F600}", "\u{AD}", "\u{0}", "1.2.3.4",
            "::ffff:1.2.3.4",
        ], acceptsSeeds: false
    ) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let base = try HTTPURL("https://user@example.com:8443/a/b?c#d")
        let urls = [try? HTTPURL(text), try? HTTPURL(text, relativeTo: base)].compactMap { $0 }
        for url in urls {
            guard try HTTPURL(url.href) == url else { throw MutationFailure("\(url.href), read again, differs.") }
            let parts = (url.host, url.port, url.path, url.query, url.fragment, url.origin.description, url.description)
            _ = (parts, url.hashValue, url.removingUserinfo(), url.removingFragment(), Redaction.show(url))
            _ = (url.replacingQuery(text), url.replacingFragment(text), url.appendingQuery("a=1"), url.userinfo)
        }
        _ = IPAddress(text)
        _ = try? Origin(scheme: .https, host: text, port: urls.first?.port)
        return urls.isEmpty ? .refused : .accepted
    }

    @Test("No mutated URL ends the process, and what is read is written alike")
    func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await URLMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
