import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Exceptions from a proxy")
struct ProxyExceptionsTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var list: String
        var inside: [String]
        var outside: [String]
        var testDescription: String { list.isEmpty ? "(empty)" : list }

        /// Hosts on port 80 unless `host|port` says another.
        init(_ list: String, in inside: [String] = [], out outside: [String] = []) {
            (self.list, self.inside, self.outside) = (list, inside, outside)
        }
    }

    static let names: [Row] = [
        Row("", out: ["a", "localhost", "10.0.0.1", "::1", ""]),
        Row("*", in: ["a", "a.example|443", "10.0.0.1", "::1", "localhost", ""]),
        Row("a.example, *", in: ["b", "::1"]),
        Row("*.", out: ["a", "a.example"]), Row("**", out: ["a"]), Row("*:80", out: ["a"]),
        Row("*example.com", out: ["example.com", "a.example.com", "myexample.com"]),
        Row("ex*.com", out: ["example.com", "ex*.com"]), Row("a.*.com", out: ["a.b.com"]),
        Row(
            "example.com", in: ["example.com", "www.example.com", "a.b.example.com", "EXAMPLE.com", "example.com."],
            out: ["myexample.com", "example.org", "com", "example.com.org", "example.co", "xample.com", ""]),
        Row(
            ".example.com", in: ["example.com", "www.example.com", "WWW.example.com.", "example.com|443"],
            out: ["myexample.com", "com"]),
        Row("*.example.com", in: ["example.com", "www.example.com", "a.b.example.com"], out: ["myexample.com"]),
        Row("EXAMPLE.Com.", in: ["example.com", "www.example.com.", "Example.COM.."], out: ["myexample.com"]),
        Row("..example.com..", in: ["example.com", "a.example.com"]),
        Row("com", in: ["com", "example.com"], out: ["example.org", "telecom"]),
        Row("host_name.internal", in: ["host_name.internal"]),
        Row("xn--bcher-kva.example", in: ["xn--bcher-kva.example"]),
        Row("a.example,b.example", in: ["a.example", "b.example"], out: ["c.example", "a.example,b.example"]),
        Row("a.example b.example\tc.example\nd.example", in: ["a.example", "b.example", "c.example", "d.example"]),
        Row(" , ,, a.example ,\r\n, b.example,", in: ["a.example", "b.example"], out: ["", " ", "c"]),
        Row("a.example;b.example", out: ["a.example", "b.example"]),
    ]

    static let ports: [Row] = [
        Row(
            "example.com:8080", in: ["example.com|8080", "www.example.com|8080"],
            out: ["example.com", "example.com|443", "example.com|808"]),
        Row("example.com:80,example.com:443", in: ["example.com", "example.com|443"], out: ["example.com|8080"]),
        Row("example.com:8080,example.com", in: ["example.com", "example.com|8080"]),
        Row("example.com,example.com:8080", in: ["example.com", "example.com|8080"]),
        Row("*.example.com:1", in: ["example.com|1", "a.example.com|1"], out: ["example.com"]),
        Row("www.example.com:1,example.com:2", in: ["www.example.com|1", "www.example.com|2"], out: ["example.com|1"]),
        Row("a:0", out: ["a", "a|0"]), Row("a:65536", out: ["a", "a|65536"]),
        Row("a:65535", in: ["a|65535"], out: ["a"]),
        Row("a:", out: ["a"]), Row(":80", out: ["", "a"]), Row("a:b", out: ["a"]), Row("a:8a", out: ["a|8"]),
        Row("a:+80", out: ["a"]), Row("a:-80", out: ["a"]), Row("a:99999999999999999999", out: ["a"]),
        Row("a:080", in: ["a"]), Row("10.0.0.1:8080", in: ["10.0.0.1|8080"], out: ["10.0.0.1"]),
        Row("[2001:db8::1]:8080", in: ["2001:db8::1|8080"], out: ["2001:db8::1"]),
        Row("[2001:db8::1]:", out: ["2001:db8::1"]), Row("[2001:db8::1]x", out: ["2001:db8::1"]),
        Row("[2001:db8::1]8080", out: ["2001:db8::1|8080"]), Row("[2001:db8::1", out: ["2001:db8::1"]),
        Row("2001:db8::1]", out: ["2001:db8::1"]),
        Row("2001:db8::1:80", in: ["2001:db8::1:80|443"], out: ["2001:db8::1"]),
        Row(
            "localhost:3000", in: ["localhost|3000", "127.0.0.1|3000", "::1|3000"],
            out: ["localhost", "127.0.0.1", "::1"]),
        Row("[::1]:3000", in: ["localhost|3000", "127.0.0.2|3000"], out: ["localhost"]),
        Row("127.0.0.1:1,localhost:2", in: ["localhost|1", "::1|2"], out: ["localhost|3"]),
    ]

    static let addresses: [Row] = [
        Row(
            "10.0.0.1", in: ["10.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1", "10.0.0.1|443"],
            out: ["10.0.0.10", "110.0.0.1"]),
        Row("::ffff:10.0.0.1", in: ["10.0.0.1", "::ffff:a00:1"], out: ["10.0.0.2"]),
        Row("1.1", out: ["10.1.1.1", "10.0.1.1", "1.1.1.1", "a.1.1"]),
        Row("1", out: ["10.1.1.1", "10.0.0.1"]), Row(".1.1", out: ["10.1.1.1", "1.0.0.1"]),
        Row(".10.0.0.1", out: ["10.0.0.1"]), Row("*.10.0.0.1", out: ["10.0.0.1"]), Row("10.0.0.*", out: ["10.0.0.1"]),
        Row("10.", out: ["10.0.0.1"]), Row("256.0.0.1", out: ["256.0.0.1", "0.0.0.1"]),
        Row("10.0.0.1.", in: ["10.0.0.1"]),
        Row(
            "2001:db8::1", in: ["2001:db8::1", "2001:DB8:0:0:0:0:0:1", "[2001:db8::1]"],
            out: ["2001:db8::2", "2001:db8::11"]),
        Row("[2001:DB8::1]", in: ["2001:db8::1"], out: ["2001:db8::2"]), Row("[10.0.0.1]", out: ["10.0.0.1"]),
        Row("[]", out: [""]), Row("[", out: ["", "["]), Row(":", out: [""]),
        Row("::", in: ["::"], out: ["::1", "0.0.0.0"]),
        Row("fe80::1%eth0", in: ["fe80::1", "fe80::1%25eth1"], out: ["fe80::2"]),
        Row("[fe80::1%25eth0]:81", in: ["fe80::1|81"], out: ["fe80::1"]),
        Row("fe80::1", in: ["fe80::1%eth0", "[fe80::1%25eth0]"]), Row("http://a.example", out: ["a.example", "http"]),
        Row("a.example/path", out: ["a.example"]), Row("user@a.example", out: ["a.example"]),
        Row("10.0.0.1,a.example", in: ["10.0.0.1", "b.a.example"], out: ["10.0.0.1.a.example.org"]),
    ]

    static let prefixes: [Row] = [
        Row(
            "10.0.0.0/8", in: ["10.0.0.0", "10.1.2.3", "10.255.255.255", "::ffff:10.9.9.9"],
            out: ["11.0.0.0", "9.255.255.255", "a.10"]),
        Row("10.1.2.3/8", in: ["10.200.0.1"], out: ["11.1.2.3"]),
        Row("192.0.2.0/25", in: ["192.0.2.127"], out: ["192.0.2.128"]),
        Row("192.0.2.7/32", in: ["192.0.2.7"], out: ["192.0.2.6", "192.0.2.8"]),
        Row("0.0.0.0/0", in: ["1.2.3.4", "::ffff:1.2.3.4", "255.255.255.255"], out: ["::1", "2001:db8::1", "a"]),
        Row("::/0", in: ["::1", "2001:db8::1"], out: ["1.2.3.4", "::ffff:1.2.3.4", "a"]),
        Row("fd00::/8", in: ["fd00::1", "fdff::", "FD12:3456::1"], out: ["fc00::1", "fe00::1", "10.0.0.1"]),
        Row("[fd00::/8]", in: ["fd00::1"], out: ["fc00::1"]),
        Row("2001:db8::/33", in: ["2001:db8:7fff::1"], out: ["2001:db8:8000::1"]),
        Row("2001:db8::/127", in: ["2001:db8::", "2001:db8::1"], out: ["2001:db8::2"]),
        Row("2001:db8::1/128", in: ["2001:db8::1"], out: ["2001:db8::"]),
        Row("::ffff:10.0.0.0/104", in: ["10.1.2.3", "::ffff:10.1.2.3"], out: ["11.0.0.1", "::1"]),
        Row("::ffff:0:0/96", in: ["10.1.2.3", "::ffff:1.1.1.1"], out: ["::1", "::fffe:1"]),
        Row(
            "10.0.0.0/8,192.168.0.0/16,fd00::/8", in: ["10.1.1.1", "192.168.9.9", "fd00::1"],
            out: ["192.169.0.1", "172.16.0.1"]),
        Row("10.0.0.0/33", out: ["10.0.0.0"]), Row("10.0.0.0/-1", out: ["10.0.0.0"]),
        Row("10.0.0.0/", out: ["10.0.0.0"]),
        Row("10.0.0.0/8/8", out: ["10.0.0.0"]), Row("10.0.0.0/a", out: ["10.0.0.0"]), Row("/8", out: ["0.0.0.0", "8"]),
        Row("10/8", out: ["10.0.0.1", "0.0.0.10"]), Row("10.0.0.0/8:80", out: ["10.0.0.1"]),
        Row("fd00::/129", out: ["fd00::"]),
        Row("10.0.0.0/0000008", out: ["10.0.0.0"]), Row("010.0.0.0/8", out: ["10.0.0.0", "8.0.0.0"]),
        Row("a.example/8", out: ["a.example"]), Row("10.0.0.0/99999999999999999999", out: ["10.0.0.0"]),
    ]

    private static let everyLoopback = [
        "localhost", "LocalHost.", "a.localhost", "a.b.localhost", "127.0.0.1", "127.255.0.9", "::1",
        "::ffff:127.0.0.1",
    ]
    private static let noLoopback = [
        "localhost.example", "notlocalhost", "128.0.0.1", "126.255.255.255", "::2", "::", "0.0.0.0", "::7f00:1",
    ]

    static let loopback: [Row] = [
        "localhost", "LOCALHOST.", ".localhost", "*.localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]",
        "0:0:0:0:0:0:0:1",
        "::ffff:127.0.0.1", "127.0.0.0/8", "127.0.0.0/24", "127.0.0.1/32", "::1/128", "a.example localhost",
    ].map { Row($0, in: everyLoopback, out: noLoopback) }

    static let notLoopback: [Row] = [
        Row(
            "a.localhost", in: ["a.localhost", "b.a.localhost"], out: ["localhost", "b.localhost", "127.0.0.1", "::1"]),
        Row("localhost.localdomain", in: ["localhost.localdomain"], out: ["localhost", "127.0.0.1"]),
        Row("127.0.0.0/7", in: ["127.0.0.1", "126.0.0.1"], out: ["localhost", "::1"]),
        Row("::/127", in: ["::1", "::"], out: ["localhost", "127.0.0.1"]), Row(".127.0.0.1", out: everyLoopback),
        Row("0.0.0.0", in: ["0.0.0.0"], out: everyLoopback),
    ]

    @Test("Lists match their entries", arguments: names + ports + addresses + prefixes + loopback + notLoopback)
    func lists(row: Row) throws {
        let exceptions = ProxyExceptions(row.list)
        for (texts, expected) in [(row.inside, true), (row.outside, false)] {
            for text in texts {
                let parts = text.split(separator: "|", omittingEmptySubsequences: false)
                let port = try parts.count > 1 ? #require(Int(parts[1])) : 80
                expectEqual(exceptions.contains(host: String(parts[0]), port: port), expected, "\(text)")
            }
        }
    }

    @Test("Hosts in the normal form of URLs are matched")
    func urls() throws {
        let exceptions: ProxyExceptions = [
            "10.0.0.1", "2001:db8::1", "b\u{FC}cher.example", "0x7f.1", "a.example:8443",
        ]
        for (text, expected) in [
            ("http://0xA.1/", true), ("http://167772161/", true), ("http://[2001:0DB8::1]/", true),
            ("http://10.0.0.2/", false),
            ("http://localhost/", true), ("https://%41.example:8443/", true), ("https://a.example/", false),
        ] {
            let url = try HTTPURL(text)
            expectEqual(
                exceptions.contains(host: url.hostWithoutBrackets, port: url.effectivePort), expected, "\(text)")
        }
    }

    @Test("Lists are equal by their meaning")
    func equality() {
        expectEqual(ProxyExceptions("a, b:1 10.0.0.0/8"), ["10.9.9.9/8", "b:1", "*.A."])
        expectEqual(ProxyExceptions("localhost"), ["[::1]"])
        expectEqual(ProxyExceptions("a:1,a"), ["a"])
        expectEqual(ProxyExceptions("rubbish:x, ,"), [])
        #expect(ProxyExceptions("a") != ["a:80"])
        #expect(ProxyExceptions("*") != ["a"])
        let list: ProxyExceptions = ["a", "b c", "d,e"]
        for host in ["a", "b", "c", "d", "e"] { #expect(list.contains(host: host, port: 1)) }
    }

    @Test("No more than 10,000 entries, each of at most 255 bytes")
    func limits() {
        let list = (1...10_001).map { "h\($0).example" }.joined(separator: " ,")
        let exceptions = ProxyExceptions(list + ",")
        #expect(exceptions.contains(host: "h1.example", port: 1))
        #expect(exceptions.contains(host: "h10000.example", port: 1))
        #expect(!exceptions.contains(host: "h10001.example", port: 1))
        let name = String(repeating: "a.", count: 127) + "b"
        expectEqual(name.utf8.count, 255)
        #expect(ProxyExceptions(name).contains(host: name, port: 1))
        #expect(!ProxyExceptions(name + "c").contains(host: name + "c", port: 1))
        #expect(ProxyExceptions("x\(name),z").contains(host: "z", port: 1))
    }

    @Test("Long hosts are matched like others")
    func longHosts() {
        let exceptions: ProxyExceptions = ["example.com", "10.0.0.0/8"]
        let labels = String(repeating: "a.", count: 32_000)
        #expect(exceptions.contains(host: labels + "example.com", port: 1))
        #expect(!exceptions.contains(host: labels + "myexample.com", port: 1))
        #expect(!exceptions.contains(host: labels, port: 1))
        let label = String(repeating: "a", count: 65_000)
        #expect(exceptions.contains(host: label + ".example.com", port: 1))
        #expect(!exceptions.contains(host: label + "example.com", port: 1))
        #expect(!exceptions.contains(host: label, port: 1))
        for length in 240...260 {
            let front = String(repeating: "a", count: length)
            #expect(exceptions.contains(host: front + ".example.com", port: 1), "\(length)")
            #expect(!exceptions.contains(host: front + "example.com", port: 1), "\(length)")
        }
        let longest = String(repeating: "e", count: 255)
        #expect(ProxyExceptions(longest).contains(host: "a.\(longest)", port: 1))
        #expect(!ProxyExceptions(longest).contains(host: "a\(longest)", port: 1))
    }
}
