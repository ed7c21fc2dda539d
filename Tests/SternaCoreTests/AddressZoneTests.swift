import Testing

@testable import SternaCore
@testable import SternaTestSupport

@Suite("Zones of IPv6 addresses in URLs (RFC 6874)")
struct AddressZoneTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let host: String
        let address: String
        let zone: String
        var testDescription: String { text }
    }

    static let rows = [
        Row(text: "[fe80::1%25eth0]", host: "[fe80::1%25eth0]", address: "fe80::1", zone: "eth0"),
        Row(text: "[fe80::1%eth0]", host: "[fe80::1%25eth0]", address: "fe80::1", zone: "eth0"),
        Row(text: "[FE80:0::1%25Eth0.1]", host: "[fe80::1%25Eth0.1]", address: "fe80::1", zone: "Eth0.1"),
        Row(text: "[fe80::1%253]", host: "[fe80::1%253]", address: "fe80::1", zone: "3"),
        Row(text: "[febf::1%2531]", host: "[febf::1%2531]", address: "febf::1", zone: "31"),
        Row(text: "[::1%lo]", host: "[::1%25lo]", address: "::1", zone: "lo"),
        Row(
            text: "[fe80::1%25br-lan_0~x.y-z]", host: "[fe80::1%25br-lan_0~x.y-z]", address: "fe80::1",
            zone: "br-lan_0~x.y-z"),
    ]

    @Test("Address and zone are parsed, and the Host field has no zone", arguments: rows, ["", ":8443"])
    func parsed(row: Row, port: String) throws {
        let url = try HTTPURL("http://ada:pw@\(row.text)\(port)/path?q#f")
        expectEqual(url.host, row.host)
        expectEqual(url.hostKind, .ipv6)
        expectEqual(url.hostWithoutBrackets, row.address)
        expectEqual(url.zone, row.zone)
        expectEqual(url.authority, row.host + port)
        expectEqual(url.hostField, "[\(row.address)]\(port)")
        expectEqual(url.origin.zone, row.zone)
        try expectEqual(HTTPURL(url.href), url)
        expectEqual(url.removingZone().href, "http://ada:pw@[\(row.address)]\(port)/path?q#f")
        let plain = try HTTPURL("http://ada:pw@[\(row.address)]\(port)/path?q#f")
        expectEqual(url.removingZone(), plain)
        expectEqual(url.removingZone().host, plain.host)
        #expect(url.origin != plain.origin)
        try expectEqual(HTTPURL("/other", relativeTo: url).zone, row.zone)
        // Hosts of policies, cookies, alternatives and proxies have none.
        #expect(throws: HTTPURL.ParseError.invalidIPv6) { try Origin(scheme: .http, host: row.text) }
        try expectEqual("http://\(row.text)\(port)/".resolve(against: nil).zone, row.zone)
    }

    @Test("Hosts without one", arguments: ["h", "1.2.3.4", "[::1]", "xn--n3h.test"])
    func none(host: String) throws {
        let url = try HTTPURL("http://\(host):81/")
        #expect(url.zone == nil)
        #expect(url.origin.zone == nil)
        expectEqual(url.hostField, url.authority)
        expectEqual(url.removingZone(), url)
    }

    @Test(
        "What is no zone",
        arguments: [
            "[fe80::1%]", "[fe80::1%25]", "[%25eth0]", "[fe80::1%25eth0%25eth1]", "[fe80::1%25eth 0]",
            "[fe80::1%25eth/0]",
            "[fe80::1%25eth0:1]", "[fe80::1%25eth%300]", "[fe80::1%25ä]", "[fe80::1%25aaaaaaaaaaaaaaaa]",
            "[1.2.3.4%25eth0]",
            "[h%25eth0]",
            "[::%25eth0]", "[::%31]", "[2001:db8::1%25eth0]", "[fec0::1%25eth0]", "[ff02::1%25eth0]", "[::2%25lo]",
            "[1::1%25lo]",
        ])
    func invalid(host: String) {
        #expect(throws: HTTPURL.ParseError.self) { try HTTPURL("http://\(host)/") }
    }

    @Test("A server's reference cannot name an interface of this machine", arguments: ["[fe80::1%25eth0]", "[::1%lo]"])
    func foreign(host: String) throws {
        let base = try HTTPURL("http://[fe80::1%25eth0]/a")
        #expect(throws: HTTPURL.ParseError.invalidIPv6) { try HTTPURL(withHost: "http://\(host)/") }
        #expect(throws: HTTPURL.ParseError.invalidIPv6) { try HTTPURL(withHost: "//\(host)/b", relativeTo: base) }
        try expectEqual(HTTPURL(withHost: "/b", relativeTo: base).href, "http://[fe80::1%25eth0]/b")
        // Made of the Host field, which cannot name one.
        for (reference, expected) in [
            ("http://[fe80::1]/b", "http://[fe80::1%25eth0]/b"), ("//[FE80::0:1]:81", "http://[fe80::1%25eth0]:81/"),
            ("https://u:p@[fe80::1]:81/b?c#d", "https://u:p@[fe80::1%25eth0]:81/b?c#d"),
            ("http://[fe80::11]/b", "http://[fe80::11]/b"), ("http://h/b", "http://h/b"),
        ] {
            let url = try HTTPURL(withHost: reference, relativeTo: base)
            expectEqual(url.href, expected)
            try expectEqual(url, HTTPURL(expected))
            try expectEqual(url.host, HTTPURL(expected).host)
        }
        try expectEqual("http://[fe80::1]/b".resolve(against: base).zone, nil as String?)
    }
}
