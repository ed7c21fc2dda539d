import SternaCore
import Testing

@testable import SternaTestSupport

@Suite struct IPAddressTests {
    @Test(arguments: [
        ("192.0.2.1", "192.0.2.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"), ("::", "::"),
        ("::1", "::1"), ("2001:DB8:0:0:0:0:0:1", "2001:db8::1"), ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
        ("::ffff:192.0.2.1", "::ffff:c000:201"), ("fe80::1", "fe80::1"),
    ])
    func reads(text: String, canonical: String) {
        expectEqual(IPAddress(text)?.description, canonical)
    }

    @Test(arguments: [
        "", "1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "256.1.1.1", "0x1.2.3.4", "1.2.3.4 ", "[::1]", "::1%lo", ":", ":::",
        "1:2:3:4:5:6:7", "12345::", "::1::", "g::", "::1.2.3", String(repeating: "1", count: 10_000),
    ])
    func refuses(text: String) { expectNil(IPAddress(text)) }

    @Test(arguments: ["192.0.2.1", "::1", "2001:db8:1:2:3:4:5:6", "255.0.255.0"])
    func bytesAndBack(text: String) throws {
        let address = try #require(IPAddress(text))
        expectEqual(address.bytes.count, (address.family == .v4 ? 4 : 16))
        expectEqual(IPAddress(bytes: address.bytes), address)
        expectNil(IPAddress(bytes: address.bytes.dropLast()))
    }

    @Test func mappedAddressesAreThoseTheyCarry() throws {
        let mapped = try #require(IPAddress("::ffff:10.0.0.1"))
        expectEqual(mapped.unmapped, IPAddress("10.0.0.1"))
        #expect(mapped != IPAddress("10.0.0.1"))
        expectEqual(IPAddress("::10.0.0.1")?.unmapped.family, .v6)
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.1.2.3/8", "10.9.9.9", true),
        ("0.0.0.0/0", "200.1.1.1", true), ("0.0.0.0/0", "::1", false), ("1.2.3.4/32", "1.2.3.4", true),
        ("1.2.3.4/32", "1.2.3.5", false), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
        ("2001:db8::/33", "2001:db8:7fff::", true), ("2001:db8::/33", "2001:db8:8000::", false),
        ("::1/128", "::1", true), ("::/0", "::ffff:1.2.3.4", true), ("2001:db8::/64", "2001:db8::1", true),
        ("2001:db8::/65", "2001:db8:0:0:8000::", false),
    ])
    func prefixes(prefix: String, address: String, isInside: Bool) throws {
        let address = try #require(IPAddress(address))
        try expectEqual(#require(IPPrefix(prefix)).contains(address), isInside)
    }

    @Test(arguments: [
        "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "::/129", "/8", "10/8", "::/0x1", "1.2.3.4/ 8",
    ])
    func refusedPrefixes(text: String) { expectNil(IPPrefix(text)) }
}
