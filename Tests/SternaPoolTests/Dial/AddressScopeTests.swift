import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Scopes of addresses")
struct AddressScopeTests {
    @Test(
        "IPv4 addresses, on both sides of each bound",
        arguments: [
            ("0.0.0.0", .unspecified), ("0.0.0.1", .thisNetwork), ("0.255.255.255", .thisNetwork),
            ("1.0.0.0", .global), ("1.1.1.1", .global), ("8.8.8.8", .global), ("9.255.255.255", .global),
            ("10.0.0.0", .privateUse), ("10.255.255.255", .privateUse), ("11.0.0.0", .global),
            ("100.63.255.255", .global), ("100.64.0.0", .shared), ("100.127.255.255", .shared),
            ("100.128.0.0", .global), ("126.255.255.255", .global), ("127.0.0.0", .loopback),
            ("127.0.0.1", .loopback), ("127.255.255.255", .loopback), ("128.0.0.0", .global),
            ("169.253.255.255", .global), ("169.254.0.0", .linkLocal), ("169.254.255.255", .linkLocal),
            ("169.255.0.0", .global), ("172.15.255.255", .global), ("172.16.0.0", .privateUse),
            ("172.31.255.255", .privateUse), ("172.32.0.0", .global), ("191.255.255.255", .global),
            ("192.0.0.0", .protocolAssignment), ("192.0.0.9", .protocolAssignment),
            ("192.0.0.255", .protocolAssignment), ("192.0.1.0", .global), ("192.0.1.255", .global),
            ("192.0.2.0", .documentation), ("192.0.2.255", .documentation), ("192.0.3.0", .global),
            ("192.88.98.255", .global), ("192.88.99.0", .reserved), ("192.88.99.255", .reserved),
            ("192.88.100.0", .global), ("192.167.255.255", .global), ("192.168.0.0", .privateUse),
            ("192.168.255.255", .privateUse), ("192.169.0.0", .global), ("192.31.196.1", .global),
            ("192.52.193.1", .global), ("192.175.48.1", .global), ("198.17.255.255", .global),
            ("198.18.0.0", .benchmarking), ("198.19.255.255", .benchmarking), ("198.20.0.0", .global),
            ("198.51.99.255", .global), ("198.51.100.0", .documentation), ("198.51.100.255", .documentation),
            ("198.51.101.0", .global), ("203.0.112.255", .global), ("203.0.113.0", .documentation),
            ("203.0.113.255", .documentation), ("203.0.114.0", .global), ("223.255.255.255", .global),
            ("224.0.0.0", .multicast), ("233.252.0.1", .multicast), ("239.255.255.255", .multicast),
            ("240.0.0.0", .reserved), ("255.255.255.254", .reserved), ("255.255.255.255", .broadcast),
        ] as [(String, AddressScope)])
    func ipv4(text: String, scope: AddressScope) throws {
        try expectEqual(AddressScope(#require(IPAddress(text))), scope)
    }

    @Test(
        "IPv6 addresses, on both sides of each bound",
        arguments: [
            ("::", .unspecified), ("::1", .loopback), ("0:0:0:0:0:1::", .reserved), ("64:ff9a::1", .reserved),
            ("64:ff9b:0:0:0:1::", .reserved), ("64:ff9b:2::", .reserved), ("ff:ffff::", .reserved),
            ("100::", .discard), ("100::ffff:ffff:ffff:ffff", .discard), ("100:0:0:1::", .discard),
            ("100:0:0:1:ffff:ffff:ffff:ffff", .discard), ("100:0:0:2::", .reserved), ("200::", .reserved),
            ("400::", .reserved), ("1fff:ffff::", .reserved), ("2000::", .global),
            ("2000:ffff:ffff::", .global), ("2001:1::", .protocolAssignment), ("2001:1::1", .protocolAssignment),
            ("2001:1:ffff::", .protocolAssignment), ("2001:2::", .benchmarking),
            ("2001:2:0:ffff:ffff:ffff:ffff:ffff", .benchmarking), ("2001:2:1::", .protocolAssignment),
            ("2001:2:ffff:ffff::", .protocolAssignment), ("2001:3::", .global), ("2001:3:ffff:ffff::", .global),
            ("2001:4::", .protocolAssignment), ("2001:4:111:ffff::", .protocolAssignment), ("2001:4:112::", .global),
            ("2001:4:112:ffff::1", .global), ("2001:4:113::", .protocolAssignment), ("2001:10::", .protocolAssignment),
            ("2001:20::", .protocolAssignment), ("2001:30::", .protocolAssignment),
            ("2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", .protocolAssignment), ("2001:200::", .global),
            ("2001:db7:ffff::", .global), ("2001:db8::", .documentation), ("2001:db8:ffff::1", .documentation),
            ("2001:db9::", .global), ("2003::1", .global), ("2001:4860:4860::8888", .global),
            ("2606:4700:4700::1111", .global), ("2620:4f:8000::1", .global), ("3ffe::1", .global),
            ("3ffe:ffff:ffff::", .global), ("3fff::", .documentation), ("3fff:fff:ffff::", .documentation),
            ("3fff:1000::", .global), ("3fff:ffff::", .global), ("4000::", .reserved), ("5f00::1", .reserved),
            ("8000::", .reserved), ("fbff:ffff::", .reserved), ("fc00::", .privateUse), ("fd12:3456::1", .privateUse),
            ("fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .privateUse), ("fe00::", .reserved),
            ("fe7f:ffff::", .reserved), ("fe80::", .linkLocal), ("fe80::1", .linkLocal),
            ("febf:ffff::", .linkLocal), ("fec0::", .siteLocal), ("feff:ffff::", .siteLocal), ("ff00::", .multicast),
            ("ff02::1", .multicast), ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", .multicast),
        ] as [(String, AddressScope)])
    func ipv6(text: String, scope: AddressScope) throws {
        try expectEqual(AddressScope(#require(IPAddress(text))), scope)
    }

    @Test(
        "Metadata services of clouds",
        arguments: [
            "169.254.169.254", "169.254.170.2", "169.254.170.23", "169.254.0.23", "169.254.42.42", "100.100.100.200",
            "192.0.0.192", "168.63.129.16", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:42::42",
            "fe80::a9fe:a9fe", "::ffff:169.254.169.254", "64:ff9b::168.63.129.16", "2002:a9fe:a9fe::1",
        ])
    func metadata(text: String) throws {
        try expectEqual(AddressScope(#require(IPAddress(text))), .metadata)
    }

    @Test("Neighbours of metadata addresses have another scope", arguments: ["168.63.129.15", "168.63.129.17"])
    func notMetadata(text: String) throws {
        try expectEqual(AddressScope(#require(IPAddress(text))), .global)
    }

    @Test(
        "An IPv6 address has the scope of the IPv4 addresses it carries",
        arguments: [
            ("::ffff:8.8.8.8", ["8.8.8.8"], .global), ("::ffff:127.0.0.1", ["127.0.0.1"], .loopback),
            ("::ffff:0.0.0.0", ["0.0.0.0"], .unspecified), ("::ffff:0.0.0.1", ["0.0.0.1"], .thisNetwork),
            ("::ffff:192.168.1.1", ["192.168.1.1"], .privateUse), ("::ffff:224.0.0.1", ["224.0.0.1"], .multicast),
            ("::ffff:255.255.255.255", ["255.255.255.255"], .broadcast),
            // Outside 2000::/3, so that nothing routes them, whatever they carry.
            ("::8.8.8.8", ["8.8.8.8"], .reserved), ("::127.0.0.1", ["127.0.0.1"], .loopback),
            ("::10.1.2.3", ["10.1.2.3"], .privateUse), ("::0.0.0.2", ["0.0.0.2"], .thisNetwork),
            ("::255.255.255.255", ["255.255.255.255"], .broadcast),
            ("::ffff:0:10.0.0.1", [], .reserved),
            ("64:ff9b::8.8.8.8", ["8.8.8.8"], .global), ("64:ff9b::10.0.0.1", ["10.0.0.1"], .privateUse),
            ("64:ff9b::127.0.0.1", ["127.0.0.1"], .loopback), ("64:ff9b::100.64.0.1", ["100.64.0.1"], .shared),
            ("64:ff9b:1::10.0.0.1", ["10.0.0.1"], .privateUse), ("64:ff9b:1::8.8.8.8", ["8.8.8.8"], .localTranslation),
            ("64:ff9b:1:ffff::127.0.0.1", ["127.0.0.1"], .loopback),
            ("64:ff9b:1:a00:0:100:808:808", ["8.8.8.8"], .localTranslation),
            ("2002:808:808::1", ["8.8.8.8"], .global), ("2002:7f00:1::", ["127.0.0.1"], .loopback),
            ("2002:c0a8:101:1::1", ["192.168.1.1"], .privateUse), ("2002::", ["0.0.0.0"], .unspecified),
            ("2002:e000:1::", ["224.0.0.1"], .multicast),
            ("2001:0:808:808:0:0:f7f7:f7f7", ["8.8.8.8", "8.8.8.8"], .global),
            ("2001:0:808:808:0:0:f5ff:fffe", ["8.8.8.8", "10.0.0.1"], .privateUse),
            ("2001:0:7f00:1:0:0:f7f7:f7f7", ["127.0.0.1", "8.8.8.8"], .loopback),
            ("2001:0:c0a8:101:0:0:80ff:fffe", ["192.168.1.1", "127.0.0.1"], .privateUse),
            ("2001:4860::a00:1", [], .global), ("10.0.0.1", [], .privateUse), ("::", [], .unspecified),
            ("::1", [], .loopback),
        ] as [(String, [String], AddressScope)])
    func carried(text: String, carried: [String], scope: AddressScope) throws {
        let address = try #require(IPAddress(text))
        expectEqual(AddressScope.carried(by: address).map(\.description), carried)
        expectEqual(AddressScope(address), scope)
    }

    @Test("Every IPv4 scope holds in each form that carries it")
    func everyForm() throws {
        var generator = SeededRandom(seed: 1)
        for round in 0..<4_000 {
            // Half of them in the space of each block, the rest anywhere.
            let block = AddressScope.blocks.filter { $0.prefix.address.family == .v4 }.randomElement(using: &generator)
            let bits = UInt32.random(in: 0...UInt32.max, using: &generator)
            let start = try #require(block).prefix.address.bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let value = round.isMultiple(of: 2) ? start | bits >> 12 : bits
            let scope = AddressScope(IPAddress(v4: value))
            let low = UInt64(value)
            let carriers = [
                IPAddress(v6: 0, 0xFFFF_0000_0000 | low), IPAddress(v6: 0x0064_FF9B_0000_0000, low),
                IPAddress(v6: 0x2002_0000_0000_0000 | low << 16, 1),
                IPAddress(v6: 0x2001_0000_0808_0808, UInt64(~value)),
                IPAddress(v6: 0x2001_0000_0000_0000 | low, 0xF7F7_F7F7),
            ]
            for carrier in carriers { expectEqual(AddressScope(carrier), scope, "\(carrier)") }
            let notPublic = [IPAddress(v6: 0x0064_FF9B_0001_0000, low), IPAddress(v6: 0, low)]
            for carrier in notPublic { #expect(AddressScope(carrier) != .global, "\(carrier)") }
        }
    }

    @Test("Every line of the table is valid")
    func table() { expectEqual(AddressScope.blocks.count, 36) }

    @Test("Each scope has its own explanation")
    func explanations() {
        expectEqual(Set(AddressScope.allCases.map(\.explanation)).count, AddressScope.allCases.count)
    }
}
