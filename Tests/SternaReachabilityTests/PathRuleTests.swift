import SternaCore
import SternaReachability
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Reachability: paths")
struct PathRuleTests {
    private typealias Build = NetlinkBuilder

    private func shown(_ messages: [[UInt8]], to address: String? = nil) -> String {
        let rule = PathRule(table: Build.table(messages))
        guard let address = address.flatMap({ IPAddress($0) }) else { return "\(NetworkPath(rule.defaultPath))" }
        return "\(NetworkPath(rule.path(to: [address])))"
    }

    private static let both = "reachable by cable (eth0), IPv4 and IPv6"
    private static let v4 = "reachable by cable (eth0), IPv4"
    private static let v6 = "reachable by cable (eth0), IPv6"
    private static let none = "not reachable"

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let more: [[UInt8]]
        let expected: String
        var testDescription: String { name }

        init(_ name: String, _ expected: String, _ more: [UInt8]...) {
            (self.name, self.expected, self.more) = (name, expected, more)
        }
    }

    static let cases: [Case] = [
        Case("usual", both),
        Case("link down", none, Build.link(2, "eth0", flags: 0, operState: 2)),
        Case("no carrier", none, Build.link(2, "eth0", flags: 1, operState: 2)),
        Case("not let in yet", none, Build.link(2, "eth0", flags: Build.up | 0x20000, operState: 5)),
        Case("link gone", none, Build.link(2, isGone: true)),
        Case("IPv4 address removed", v6, Build.address("192.0.2.5", 2, isGone: true)),
        Case("IPv6 address removed", v4, Build.address("2001:db8::5", 2, isGone: true)),
        Case("IPv6 address tentative", v4, Build.address("2001:db8::5", 2, flags: 0x40)),
        Case("IPv6 address optimistic", both, Build.address("2001:db8::5", 2, flags: 0x44)),
        Case("IPv6 address in use elsewhere", v4, Build.address("2001:db8::5", 2, flags: 0x48)),
        Case("IPv4 route lost", v6, Build.route("0.0.0.0/0", [2], isGone: true)),
        Case(
            "both routes lost", none, Build.route("0.0.0.0/0", [2], isGone: true),
            Build.route("::/0", [2], metric: 1024, isGone: true)),
        Case(
            "a refusal of a lower metric", v6, Build.route("0.0.0.0/0", [2], isGone: true),
            Build.route("0.0.0.0/0", [2], metric: 100), Build.route("0.0.0.0/0", metric: 50, kind: 7)),
        Case("a refusal of a higher metric", both, Build.route("0.0.0.0/0", metric: 50, kind: 7)),
        Case("a blackhole", v6, Build.route("0.0.0.0/0", [2], isGone: true), Build.route("0.0.0.0/0", kind: 6)),
        Case(
            "the default table", both, Build.route("0.0.0.0/0", [2], isGone: true),
            Build.route("0.0.0.0/0", [2], table: 253)),
        Case(
            "passed on to the default table", both, Build.route("0.0.0.0/0", [2], isGone: true),
            Build.route("0.0.0.0/0", kind: 9), Build.route("0.0.0.0/0", [2], table: 253)),
        Case(
            "a table of another policy", v6, Build.route("0.0.0.0/0", [2], isGone: true),
            Build.route("0.0.0.0/0", [2], table: 100)),
        Case(
            "the first hop down", "reachable by cable (eth1), IPv4 and IPv6",
            Build.link(2, "eth0", flags: 1, operState: 2),
            Build.link(3, "eth1"), Build.route("0.0.0.0/0", [2], isGone: true), Build.route("0.0.0.0/0", [2, 3]),
            Build.route("::/0", [2], metric: 1024, isGone: true), Build.route("::/0", [3], metric: 1024)),
        Case(
            "a dead route makes way", "reachable by cable (eth1), IPv4 and IPv6",
            Build.route("0.0.0.0/0", [2], isGone: true), Build.route("0.0.0.0/0", [2], routeFlags: 0x11),
            Build.link(3, "eth1"), Build.route("0.0.0.0/0", [3], metric: 9)),
        Case(
            "a route without a carrier does not, by the system's default", v6,
            Build.link(3, "eth1", flags: 1, operState: 2), Build.route("0.0.0.0/0", [2], isGone: true),
            Build.route("0.0.0.0/0", [3], routeFlags: 0x10), Build.route("0.0.0.0/0", [2], metric: 9)),
        Case(
            "the halves of a tunnel", "reachable by cable (tun0), IPv4 and IPv6",
            Build.route("0.0.0.0/0", [2], isGone: true),
            Build.link(4, "tun0", flags: 0x1 | 0x10 | 0x40, hardware: 65_534, operState: 0, driver: "tun"),
            Build.route("0.0.0.0/1", [4]), Build.route("128.0.0.0/1", [4])),
        Case("one half of a tunnel", v6, Build.route("0.0.0.0/0", [2], isGone: true), Build.route("0.0.0.0/1", [2])),
    ]

    @Test("The default route decides the path", arguments: cases)
    func defaultRoute(entry: Case) { expectEqual(shown(Build.usual + entry.more), entry.expected) }

    @Test(
        "For an address the route with the longest prefix decides",
        arguments: [
            ("198.51.100.1", v4), ("192.0.2.77", v4), ("10.1.2.3", none),
            ("10.9.9.9", "reachable by Wi-Fi (wlan0), IPv4"),
            ("192.0.2.5", "reachable by cable (lo), IPv4"), ("127.0.0.1", "reachable by cable (lo), IPv4"),
            ("127.9.9.9", "reachable by cable (lo), IPv4"), ("::1", "reachable by cable (lo), IPv6"),
            ("2001:db8::9", v6), ("2a00::1", v6), ("::ffff:10.1.2.3", none), ("::ffff:198.51.100.1", v4),
        ])
    func addresses(address: String, expected: String) {
        let more = [
            Build.link(3, "wlan0", wirelessEvent: true), Build.route("10.0.0.0/8", [3]),
            Build.route("10.1.0.0/16", kind: 8),
        ]
        expectEqual(shown(Build.usual + more, to: address), expected)
    }

    @Test("Without a default route, addresses of connected networks are reachable")
    func local() {
        let messages = Build.usual + [Build.route("0.0.0.0/0", [2], isGone: true)]
        expectEqual(shown(messages, to: "192.0.2.9"), Self.v4)
        expectEqual(shown(messages, to: "198.51.100.1"), Self.none)
    }

    @Test("Of several addresses the first with a path names the interface; the families are those of all")
    func several() throws {
        let addresses = try ["198.51.100.1", "2a00::1"].map { try #require(IPAddress($0)) }
        let table = Build.table(Build.usual + [Build.route("0.0.0.0/0", [2], isGone: true)])
        expectEqual("\(NetworkPath(PathRule(table: table).path(to: addresses)))", Self.v6)
        expectEqual("\(NetworkPath(PathRule(table: Build.table(Build.usual)).path(to: addresses)))", Self.both)
        expectEqual("\(NetworkPath(PathRule(table: table).path(to: [])))", Self.none)
    }

    @Test("A route with a source address needs no address of the link, nor does a link-local network")
    func sources() {
        let bare = [Build.loopback, Build.link(2, "eth0")]
        expectEqual(shown(bare + [Build.route("0.0.0.0/0", [2])]), Self.none)
        expectEqual(shown(bare + [Build.route("0.0.0.0/0", [2], source: "192.0.2.5")]), Self.v4)
        expectEqual(shown(bare + [Build.route("169.254.0.0/16", [2])], to: "169.254.1.1"), Self.v4)
    }

    @Test("The program's facts about an interface decide")
    func facts() {
        var facts = LinkFacts()
        facts.kind = { $0 == "eth0" ? .cellular : nil }
        facts.isMetered = { $0 == "eth0" }
        let path = PathRule(table: Build.table(Build.usual), facts: facts).defaultPath
        expectEqual("\(NetworkPath(path))", "reachable by cellular (eth0), IPv4 and IPv6, metered")
    }

    @Test("Each table has a limit, except for default routes")
    func limits() {
        var table = NetworkTable()
        for number in 0..<UInt32(NetworkTable.limit) + 10 {
            guard let prefix = IPPrefix(IPAddress(v4: number << 8), length: 24) else { continue }
            table.add(NetworkRoute(prefix: prefix, hops: [.init(link: 1)]))
        }
        expectEqual(table.routes.count, NetworkTable.limit)
        _ = table.apply(NetlinkMessage.messages(in: Build.route("0.0.0.0/0", [2]))[0])
        expectEqual(table.routes.count, NetworkTable.limit + 1)
    }
}

@Suite("Reachability: kinds of links")
struct LinkRuleTests {
    private typealias Build = NetlinkBuilder

    @Test(
        "Driver, hardware type and name decide the kind",
        arguments: [
            ("eth0", 1, nil, "cable"), ("eth0", 1, "veth", "cable"), ("tun0", 65_534, "tun", "cable"),
            ("wg0", 65_534, "wireguard", "cable"), ("br0", 1, "bridge", "cable"), ("wwan0", 519, nil, "cellular"),
            ("wwan0", 1, nil, "cellular"), ("wwp0s20u4", 1, nil, "cellular"), ("x0", 1, "wwan", "cellular"),
            ("rmnet_data0", 519, "rmnet", "cellular"), ("ppp0", 512, "ppp", "cellular"), ("mon0", 803, nil, "wifi"),
            ("wwan-veth", 1, "veth", "cable"),
        ] as [(String, UInt16, String?, String)])
    func kinds(name: String, hardware: UInt16, driver: String?, expected: String) throws {
        let table = Build.table([Build.link(2, name, hardware: hardware, driver: driver)])
        let link = try #require(table.links[2])
        expectEqual(LinkRule(table: table).kind(of: link).rawValue, expected)
    }

    @Test("A VLAN has the kind of its lower link, a bridge and a bond that of their ports; rings are cut")
    func stacked() throws {
        let table = Build.table([
            Build.link(2, "wlan0", wirelessEvent: true), Build.link(3, "wlan0.7", driver: "vlan", lower: 2),
            Build.link(4, "bond0", driver: "bond"), Build.link(5, "wlan1", master: 4, wirelessEvent: true),
            Build.link(6, "eth0", flags: 0, operState: 2, master: 4),
            Build.link(7, "a", driver: "macvlan", lower: 8), Build.link(8, "b", driver: "macvlan", lower: 7),
        ])
        let rule = LinkRule(table: table)
        func kind(_ index: Int32) throws -> RoutePath.Link { rule.kind(of: try #require(table.links[index])) }
        #expect(try kind(3) == .wifi && kind(4) == .wifi && kind(7) == .cable)
    }

    @Test("A message without a driver keeps the known one, unless the number belongs to another interface")
    func completed() {
        var table = Build.table([Build.link(2, "x", driver: "wwan"), Build.link(2, "x", operState: nil)])
        #expect(table.links[2]?.driver == "wwan" && table.links[2]?.operState == 6)
        for message in NetlinkMessage.messages(in: Build.link(2, "x", hardware: 512)) { _ = table.apply(message) }
        expectNil(table.links[2]?.driver)
    }

    @Test("An event of the wireless extensions keeps a link's master and lower link")
    func wirelessEvent() {
        let event = Build.link(2, "w", operState: nil, wirelessEvent: true)
        let bonded = Build.table([Build.link(2, "w", master: 4), event])
        #expect(bonded.links[2]?.master == 4 && bonded.links[2]?.isWireless == true)
        // Any other message without a master means that the link has left it.
        let alone = Build.table([Build.link(2, "w", lower: 3, master: 4), Build.link(2, "w")])
        #expect(alone.links[2]?.master == nil && alone.links[2]?.lower == nil)
    }

    @Test("nl80211 is queried for its family number, then for its interfaces")
    func wireless() {
        typealias Numbers = NetlinkNumbers
        let request = WirelessQuery.familyRequest(sequence: 5)
        #expect(request.count % 4 == 0 && String(decoding: request, as: UTF8.self).contains("nl80211"))
        func answer(_ type: UInt16, _ attribute: UInt16, _ value: [UInt8], sequence: UInt32) -> [UInt8] {
            Build.message(type, sequence: sequence) { writer in
                writer.appendZeros(4)
                writer.appendAttribute(attribute, value)
            }
        }
        let family = answer(16, 1, .init(netlink: UInt16(33)), sequence: 5)
        expectEqual(WirelessQuery.answer(in: family, sequence: 5, family: nil).family, 33)
        expectNil(WirelessQuery.answer(in: family, sequence: 6, family: nil).family)
        let interfaces =
            answer(33, 3, .init(netlink: Int32(3)), sequence: 6) + answer(33, 3, .init(netlink: Int32(9)), sequence: 6)
            + answer(34, 3, .init(netlink: Int32(1)), sequence: 6) + Build.done(6)
        let found = WirelessQuery.answer(in: interfaces, sequence: 6, family: 33)
        #expect(found.interfaces == [3, 9] && found.isLast)
        #expect(WirelessQuery.answer(in: Build.error(-2, 5), sequence: 5, family: nil).isLast)
    }

    @Test("Ethernet without a driver is queried once")
    func unclassified() {
        var table = Build.table([Build.link(2, "eth0"), Build.link(3, "veth0", driver: "veth"), Build.link(4, "wlan0")])
        expectEqual(table.unclassified.map(\.index), [2, 4])
        table.setWireless(false, 2)
        table.setWireless(true, 4)
        #expect(table.unclassified.isEmpty)
        expectEqual(table.links[4].map { LinkRule(table: table).kind(of: $0) }, .wifi)
    }
}
