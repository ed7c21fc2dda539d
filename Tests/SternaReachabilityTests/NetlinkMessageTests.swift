import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Reachability: messages of the kernel")
struct NetlinkMessageTests {
    private typealias Build = NetlinkBuilder

    private func contents(_ bytes: [UInt8]) -> [NetlinkMessage.Content] {
        NetlinkMessage.messages(in: bytes).map(\.content)
    }

    @Test("Links have a name, flags, a driver and their relations")
    func link() throws {
        let bytes = Build.link(
            7, "wg0", flags: 0x1, hardware: 65_534, operState: 2, driver: "wireguard", lower: 3, master: 4)
        guard case .link(let link)? = contents(bytes).first else {
            Issue.record("\(contents(bytes))")
            return
        }
        #expect(link.index == 7 && link.name == "wg0" && link.driver == "wireguard")
        #expect(link.lower == 3 && link.master == 4 && link.operState == 2 && link.isUp && !link.isRunning)
        expectEqual(contents(Build.link(7, isGone: true)), [.linkGone(7)])
    }

    @Test("A port that leaves its bridge is not a removed link, and an event of Wi-Fi marks its link")
    func bridge() {
        expectEqual(contents(Build.link(7, family: 7, isGone: true)), [.other])
        guard case .link(let link)? = contents(Build.link(7, wirelessEvent: true)).first else {
            Issue.record("no link")
            return
        }
        expectEqual(link.isWireless, true)
    }

    @Test("The address of a point-to-point link is its own")
    func peer() throws {
        let own = try #require(IPAddress("10.0.0.1"))
        expectEqual(
            contents(Build.address("10.0.0.1", 3, flags: 0x80, peer: "10.0.0.2")),
            [.address(NetworkAddress(address: own, link: 3, scope: 0, flags: 0x80))])
    }

    @Test("Routes with several hops, refusing routes, and those of other tables and services are read")
    func routes() throws {
        let all = try #require(IPPrefix("0.0.0.0/0"))
        expectEqual(
            contents(Build.route("0.0.0.0/0", [2, 3], metric: 5)),
            [.route(NetworkRoute(prefix: all, metric: 5, hops: [.init(link: 2), .init(link: 3)]))])
        expectEqual(
            contents(Build.route("0.0.0.0/0", table: 1_000, kind: 7)),
            [.route(NetworkRoute(prefix: all, table: 1_000, kind: .refused, hops: []))])
        expectEqual(contents(Build.route("0.0.0.0/0", [2], service: 8)), [.other])
        expectEqual(contents(Build.route("0.0.0.0/0", [2], routeFlags: 0x200)), [.other])
    }

    @Test("A truncated datagram gives its complete messages")
    func truncated() {
        let whole = Build.link(1, "a") + Build.link(2, "b")
        for count in 0..<whole.count {
            let found = contents(Array(whole[..<count]))
            #expect(found.count == (count < Build.link(1, "a").count ? 0 : 1))
        }
        expectEqual(contents(whole).count, 2)
    }

    @Test("Wrong lengths are refused", arguments: [0, 15, 17, UInt32.max, 0x8000_0000])
    func lies(length: UInt32) {
        var bytes = Build.link(1, "a")
        bytes.replaceSubrange(0..<4, with: [UInt8](netlink: length))
        #expect(contents(bytes).allSatisfy { $0 == .other })
    }
}
