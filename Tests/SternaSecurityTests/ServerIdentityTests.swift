import Testing

@testable import SternaSecurity
@testable import SternaTestSupport

@Suite("The names that a certificate is valid for (RFC 9525)")
struct ServerIdentityTests {
    static let names: [(String, String, Bool)] = [
        ("www.example.com", "www.example.com", true),
        ("www.example.com", "WWW.Example.COM", true),
        ("WWW.EXAMPLE.com", "www.example.com", true),
        ("www.example.com", "www.example.com.", true),
        ("www.example.com", "example.com", false),
        ("example.com", "www.example.com", false),
        ("www.example.com", "www.example.org", false),
        ("www.example.com", "wwwxexample.com", false),
        ("www.example.com", "www.example.com.evil.test", false),
        ("localhost", "localhost", true),
        // Wildcards.
        ("*.example.com", "www.example.com", true),
        ("*.EXAMPLE.com", "www.example.COM.", true),
        ("*.example.com", "example.com", false),
        ("*.example.com", "a.b.example.com", false),
        ("*.example.com", ".example.com", false),
        ("*.example.com", "*.example.com", false),
        ("*.com", "example.com", false),
        ("*", "localhost", false),
        ("*", "example.com", false),
        ("*.", "example.com", false),
        ("*.com.", "example.com", false),
        ("f*.example.com", "foo.example.com", false),
        ("*o.example.com", "foo.example.com", false),
        ("f*o.example.com", "foo.example.com", false),
        ("*.*.example.com", "a.b.example.com", false),
        ("www.*.com", "www.example.com", false),
        ("www.example.*", "www.example.com", false),
        ("**.example.com", "foo.example.com", false),
        // Names outside ASCII are compared in their xn-- form.
        ("xn--bcher-kva.example", "xn--bcher-kva.example", true),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example", true),
        ("*.xn--bcher-kva.example", "www.xn--bcher-kva.example", true),
        ("bücher.example", "bücher.example", false),
        ("xn--*.example.com", "xn--bcher-kva.example.com", false),
        ("example.\u{212A}om", "example.kom", false),
        // No host names.
        ("", "", false),
        (".", ".", false),
        ("", "example.com", false),
        ("example.com", "", false),
        ("example.com", ".", false),
        ("a..example.com", "a..example.com", false),
        ("example.com..", "example.com..", false),
        (".example.com", "www.example.com", false),
        ("www.example.com\u{0}.evil.test", "www.example.com", false),
        ("www.example.com\u{0}", "www.example.com", false),
        ("www.example.com", "www.example.com\u{0}", false),
        ("www.example.com\u{0}", "www.example.com\u{0}", false),
        (" www.example.com", "www.example.com", false),
        ("www.example.com/", "www.example.com", false),
        ("www example.com", "www example.com", false),
        // Addresses are no names.
        ("127.0.0.1", "127.0.0.1", false),
        ("::1", "::1", false),
        ("*.0.0.1", "127.0.0.1", false),
        ("[::1]", "[::1]", false),
    ]

    @Test("A DNS name or a wildcard covers a host", arguments: names)
    func name(inCertificate: String, host: String, covers: Bool) {
        expectEqual(ServerIdentity(dnsNames: [inCertificate]).covers(host), covers)
        expectEqual(ServerIdentity(dnsNames: ["other.test", inCertificate]).covers(host), covers)
    }

    static let loopback6: [UInt8] = Array(repeating: 0, count: 15) + [1]

    static let addresses: [([UInt8], String, Bool)] = [
        ([127, 0, 0, 1], "127.0.0.1", true),
        ([127, 0, 0, 1], "127.0.0.2", false),
        ([127, 0, 0, 1], "localhost", false),
        ([127, 0, 0, 1], "[127.0.0.1]", false),
        (loopback6, "::1", true),
        (loopback6, "[::1]", true),
        (loopback6, "0:0:0:0:0:0:0:1", true),
        (loopback6, "[0000:0000::0001]", true),
        (loopback6, "::2", false),
        ([0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 12), "[2001:DB8::]", true),
        (Array(repeating: 0, count: 10) + [0xFF, 0xFF, 127, 0, 0, 1], "127.0.0.1", false),
        ([127, 0, 0, 1], "::ffff:127.0.0.1", false),
        ([], "", false),
        ([], "127.0.0.1", false),
        // RFC 5280 gives eight bytes, an address and a mask, only to name constraints.
        ([127, 0, 0, 1, 255, 255, 255, 255], "127.0.0.1", false),
        ([127, 0, 0], "127.0.0", false),
        ([127, 0, 0, 1], "127.0.0.1\u{0}", false),
        ([127, 0, 0, 1], "127.0.0.1.", false),
    ]

    @Test("An address is covered only by an address", arguments: addresses)
    func address(inCertificate: [UInt8], host: String, covers: Bool) {
        expectEqual(ServerIdentity(addresses: [inCertificate]).covers(host), covers)
    }

    @Test("A certificate without names covers no host", arguments: ["example.com", "", "127.0.0.1", "::1"])
    func none(host: String) {
        #expect(!ServerIdentity().covers(host))
    }

    @Test("A name of more than 253 bytes, or with a label of more than 63, covers no host")
    func lengths() {
        let label = String(repeating: "a", count: 63)
        #expect(ServerIdentity(dnsNames: ["\(label).test"]).covers("\(label).test"))
        #expect(!ServerIdentity(dnsNames: ["\(label)a.test"]).covers("\(label)a.test"))
        let long = Array(repeating: label, count: 4).joined(separator: ".")
        #expect(!ServerIdentity(dnsNames: [long]).covers(long))
    }
}
