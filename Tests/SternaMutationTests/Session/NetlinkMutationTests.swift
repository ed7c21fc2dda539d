import MutationKit
import SternaCore
import SternaReachability
import Testing

@testable import Sterna
@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Mutations: netlink")
struct NetlinkMutationTests {
    static let reader = MutatedReader(
        "Netlink",
        seeds: NetlinkBuilder.usual + [
            Array(NetlinkBuilder.usual.joined()),
            NetlinkBuilder.link(7, "wg0", driver: "wireguard", lower: 3, master: 4, wirelessEvent: true),
            NetlinkBuilder.route("10.0.0.0/8", [2, 3, 4], metric: 7, source: "10.0.0.1"),
            NetlinkBuilder.address("10.0.0.1", 3, flags: 0x80, peer: "10.0.0.2", isGone: true),
            NetlinkBuilder.done(1), NetlinkBuilder.done(2), NetlinkBuilder.error(-16, 1),
        ],
        tokens: [
            [16, 0], [18, 0], [20, 0], [24, 0], [25, 0], [3, 0], [4, 0], [0xFF, 0xFF, 0xFF, 0xFF], [0, 0],
            [0x10, 0, 0, 0],
        ]
    ) { bytes in
        let messages = NetlinkMessage.messages(in: bytes)
        guard messages.count <= bytes.count / NetlinkNumbers.headerLength else {
            throw MutationFailure("\(messages.count) messages in \(bytes.count) bytes.")
        }
        var conversation = NetlinkConversation()
        _ = conversation.drained()
        for _ in 0..<4 {
            _ = conversation.receive(bytes)
            for sequence in UInt32(1)...4 { _ = conversation.receive(NetlinkBuilder.done(sequence)) }
            _ = conversation.drained()
        }
        var table = NetworkTable()
        for message in messages { _ = table.apply(message) }
        let rule = PathRule(table: table)
        let path = rule.defaultPath
        guard path.isReachable == !path.families.isEmpty else { throw MutationFailure("\(path)") }
        for address in ["192.0.2.5", "10.1.2.3", "2001:db8::1"] {
            _ = NetworkPath(rule.path(to: IPAddress(address).map { [$0] } ?? [])).description
        }
        for family in [nil, 16, 33] as [UInt16?] {
            let answer = WirelessQuery.answer(in: bytes, sequence: 1, family: family)
            guard answer.interfaces.count <= bytes.count else { throw MutationFailure("Too many interfaces.") }
        }
        return messages.contains { $0.content != .other } ? .accepted : .refused
    }

    @Test("No mutated message ends the process") func survives() async {
        let report = await Self.reader.supervise {
            await #expect(processExitsWith: .success) { await NetlinkMutationTests.reader.run() }
        }
        expectNil(report.failure, "\(report)")
    }
}
