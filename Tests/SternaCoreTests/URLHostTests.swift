import SternaCore
import Testing

@testable import SternaTestSupport

@Suite struct URLHostTests {
    @Test(arguments: [
        ("http://EXAMPLE.com/", "example.com"),
        ("http://ex%41mple.com/", "example.com"),
        ("http://a_b.example/", "a_b.example"),
        ("http://a..b/", "a..b"),
        ("http://host./", "host."),
        ("http://XN--BCHER-KVA.example/", "xn--bcher-kva.example"),
        ("http://a!$&'()*+,;=`{}~b/", "a!$&'()*+,;=`{}~b"),
        ("http://1and1.example/", "1and1.example"),
        ("http://0x.example/", "0x.example"),
        ("http://./", "."),
        ("http:\\\\host\\path", "host"),
        ("http:host", "host"),
        ("http:///host", "host"),
        ("ws://h\t\no\rst/", "host"),
    ])
    func domains(text: String, host: String) throws {
        let url = try HTTPURL(text)
        expectEqual(url.host, host)
        expectEqual(url.hostKind, .domain)
        expectEqual(url.hostWithoutBrackets, host)
        expectEqual(url.authority, host)
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("127.0.0.1.", "127.0.0.1"), ("0", "0.0.0.0"), ("127.1", "127.0.0.1"),
        ("1.2.3", "1.2.0.3"), ("0x7f.1", "127.0.0.1"), ("0X7F000001", "127.0.0.1"), ("017700000001", "127.0.0.1"),
        ("010.0x10.1", "8.16.0.1"), ("4294967295", "255.255.255.255"), ("1.16777215", "1.255.255.255"),
        ("0x.0x.0", "0.0.0.0"), ("%31%32%37.1", "127.0.0.1"), ("00.00.00.00", "0.0.0.0"),
        ("255.255.255.255", "255.255.255.255"),
    ])
    func ipv4(text: String, host: String) throws {
        let url = try HTTPURL("http://\(text)/")
        expectEqual(url.host, host)
        expectEqual(url.hostKind, .ipv4)
    }

    @Test(arguments: [
        "256.0.0.1", "1.2.3.4.5", "4294967296", "1.2.3.256", "1.16777216", "09", "0x100000000", "1.2.3.08", "a.1",
        "a.0x1", "1..2", "host.0", "1.2.3.4.5.", "18446744073709551617", "0.0.0.0x1ffffffffffffffffffff", ".1", "..1",
    ])
    func notIPv4(text: String) {
        #expect(throws: HTTPURL.ParseError.invalidIPv4) { try HTTPURL("http://\(text)/") }
    }

    @Test(arguments: [
        ("[::1]", "[::1]"), ("[::]", "[::]"), ("[0:0:0:0:0:0:0:1]", "[::1]"), ("[2001:DB8::0:1]", "[2001:db8::1]"),
        ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"), ("[1:0:0:2:3:0:0:4]", "[1::2:3:0:0:4]"),
        ("[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"),
        ("[::ffff:192.0.2.1]", "[::ffff:c000:201]"), ("[1:2:3:4:5:6:127.0.0.1]", "[1:2:3:4:5:6:7f00:1]"),
        ("[1:2:3:4:5:6:7::]", "[1:2:3:4:5:6:7:0]"), ("[::2:3:4:5:6:7:8]", "[0:2:3:4:5:6:7:8]"), ("[1::]", "[1::]"),
        ("[0001:02:003:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]"), ("[::5:1.2.3.4]", "[::5:102:304]"),
    ])
    func ipv6(text: String, host: String) throws {
        let url = try HTTPURL("https://\(text):8443/")
        expectEqual(url.host, host)
        expectEqual(url.hostKind, .ipv6)
        expectEqual(url.hostWithoutBrackets, String(host.dropFirst().dropLast()))
        expectEqual(url.authority, host + ":8443")
    }

    @Test(arguments: [
        "[]", "[:]", "[:::]", "[1]", "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[1::2::3]", "[12345::]", "[g::]",
        "[::1", "[::1.2.3]", "[::1.2.3.4.5]", "[::256.0.0.1]", "[::01.2.3.4]", "[1:2:3:4:5:6:7:1.2.3.4]",
        "[::1.2.3.4:5]", "[1:]", "[:1]", "[1:2:3:4:5:6:7:]", "[::1]x", "[::.1.2.3]", "[1::2:3:4:5:6:7:8]", "[::1.2.3.]",
    ])
    func notIPv6(text: String) {
        #expect(throws: HTTPURL.ParseError.invalidIPv6) { try HTTPURL("http://\(text)/") }
    }

    @Test(arguments: Array("#/?@\\ %:<>[]^|\u{0}\u{9}\u{1F}\u{7F}".unicodeScalars))
    func forbiddenCodePointsInDecodedHosts(scalar: Unicode.Scalar) {
        let hex = String(scalar.value + 0x100, radix: 16).dropFirst()
        #expect(throws: HTTPURL.ParseError.forbiddenHostCodePoint(scalar)) { try HTTPURL("http://a%\(hex)b/") }
    }

    @Test(
        arguments: [
            ("http://h:80/", nil, 80), ("http://h:443/", 443, 443), ("https://h:443/", nil, 443),
            ("ws://h:80/", nil, 80),
            ("wss://h:443/", nil, 443), ("wss://h:80", 80, 80), ("http://h:/", nil, 80), ("http://h:0/", 0, 0),
            ("http://h:00000000000000000000080/", nil, 80), ("http://h:65535/", 65_535, 65_535),
            ("http://h:0081/", 81, 81),
        ] as [(String, Int?, Int)])
    func ports(text: String, port: Int?, effective: Int) throws {
        let url = try HTTPURL(text)
        expectEqual(url.port, port)
        expectEqual(url.effectivePort, effective)
        expectEqual(url.authority, (port.map { "h:\($0)" } ?? "h"))
        expectEqual(url.origin.port, effective)
    }

    @Test func schemes() {
        expectEqual(HTTPURL.Scheme.allCases.map(\.defaultPort), [80, 443, 80, 443])
        expectEqual(HTTPURL.Scheme.allCases.map(\.isSecure), [false, true, false, true])
    }
}
