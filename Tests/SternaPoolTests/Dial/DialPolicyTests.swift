import SternaCore
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Dial policies")
struct DialPolicyTests {
    private func refusal(
        _ policy: DialPolicy, _ address: String, host: String = "host.example", port: Int = 80
    ) throws -> SternaError? {
        try policy.refusal(of: #require(IPAddress(address)), host: host, port: port)
    }

    @Test(
        "By default every address is allowed", arguments: ["127.0.0.1", "169.254.169.254", "::", "ff02::1", "8.8.8.8"])
    func all(address: String) throws {
        try expectNil(refusal(.all, address))
    }

    @Test(
        "publicOnly allows only public addresses",
        arguments: [
            ("8.8.8.8", true), ("2606:4700::1111", true), ("::ffff:1.1.1.1", true), ("64:ff9b::1.1.1.1", true),
            ("127.0.0.1", false), ("10.0.0.1", false), ("169.254.169.254", false), ("0.0.0.0", false), ("::", false),
            ("::1", false), ("fd00::1", false), ("fe80::1", false), ("224.0.0.1", false), ("255.255.255.255", false),
            ("100.64.0.1", false), ("192.0.2.1", false), ("::ffff:127.0.0.1", false), ("64:ff9b::10.0.0.1", false),
            ("64:ff9b:1::1.1.1.1", false), ("168.63.129.16", false),
        ])
    func publicOnly(address: String, isAllowed: Bool) throws {
        let error = try refusal(.publicOnly, address)
        expectEqual((error == nil), isAllowed)
        if let error {
            expectEqual(error.kind, .addressRefused)
            expectEqual(error.phase, .connect)
        }
    }

    @Test(
        "The message names host, address, reason and remedy",
        arguments: [
            (
                "intranet.example", "10.0.0.1",
                "Not connected to intranet.example on port 8080: its address 10.0.0.1 is a private address."
            ),
            (
                "trick.example", "::ffff:127.0.0.1",
                "Not connected to trick.example on port 8080: its address ::ffff:7f00:1 is a loopback address, "
                    + "because it embeds 127.0.0.1."
            ),
            (
                "169.254.169.254", "169.254.169.254",
                "Not connected to 169.254.169.254 on port 8080: the address is the address of "
                    + "a cloud's metadata service."
            ),
            ("a\nb", "::1", "Not connected to a\u{FFFD}b on port 8080: its address ::1 is a loopback address."),
        ])
    func message(host: String, address: String, expected: String) throws {
        let error = try refusal(.publicOnly, address, host: host, port: 8_080)
        let advice =
            " The dial policy allows public addresses only; to connect to this one, set another, such as .all or .custom."
        expectEqual(error?.detail, expected + advice)
    }

    @Test("A custom policy receives address, host and port")
    func custom() throws {
        let seen = Mutex<[String]>([])
        let policy = DialPolicy.custom("office only") { address, host, port in
            seen.withLock { $0.append("\(address) \(host) \(port)") }
            return address.family == .v4
        }
        try expectNil(refusal(policy, "10.0.0.1", host: "a.example", port: 1))
        let error = try refusal(policy, "fd00::1", host: "b.example", port: 65_535)
        expectEqual(error?.kind, .addressRefused)
        expectEqual(error?.detail.contains("b.example"), true)
        expectEqual(error?.detail.contains("fd00::1"), true)
        expectEqual(error?.detail.contains("“office only”"), true)
        expectEqual(seen.withLock { $0 }, ["10.0.0.1 a.example 1", "fd00::1 b.example 65535"])
    }

    @Test("A custom policy receives a mapped address as an IPv4 address")
    func customMapped() throws {
        let office = try #require(IPPrefix("10.0.0.0/8"))
        let policy = DialPolicy.custom("no office") { address, _, _ in !office.contains(address) }
        #expect(try refusal(policy, "::ffff:10.1.2.3") != nil)
        try expectNil(refusal(policy, "::ffff:11.1.2.3"))
    }

    @Test("Unix domain sockets need the policy that allows everything")
    func unixSockets() {
        #expect(DialPolicy.all.allowsUnixSockets)
        #expect(!DialPolicy.publicOnly.allowsUnixSockets)
        #expect(!DialPolicy.custom("any") { _, _, _ in true }.allowsUnixSockets)
    }

    @Test("A policy with a closure is equal only to itself")
    func equality() {
        let one = DialPolicy.custom("any") { _, _, _ in true }
        let other = DialPolicy.custom("any") { _, _, _ in true }
        let copy = one
        expectEqual(one, copy)
        expectEqual(one.hashValue, copy.hashValue)
        #expect(one != other)
        expectEqual(Set([one, other, copy, .all, .all, .publicOnly]).count, 4)
    }

    @Test("A policy's description is its name")
    func description() {
        let own = DialPolicy.custom("of\u{7}fice") { _, _, _ in true }
        expectEqual(
            [DialPolicy.all, .publicOnly, own].map { "\($0)" }, ["all", "publicOnly", "custom(of\u{FFFD}fice)"])
    }
}
