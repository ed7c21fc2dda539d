import SternaCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Reachability: the conversation with the kernel")
struct NetlinkConversationTests {
    private typealias Build = NetlinkBuilder

    /// The type and the sequence of a request.
    private func shown(_ request: [UInt8]?) -> [UInt32]? {
        guard let request else { return nil }
        let bytes = NetlinkBytes(request[...])
        guard let length = bytes.integer(0, as: UInt32.self), let type = bytes.integer(4, as: UInt16.self),
            let sequence = bytes.integer(8, as: UInt32.self)
        else { return nil }
        expectEqual(Int(length), request.count)
        return [UInt32(type), sequence]
    }

    /// Answers all dumps with empty ones, but the links.
    private func settled() -> NetlinkConversation {
        var conversation = NetlinkConversation()
        _ = conversation.drained()
        _ = conversation.receive(Build.loopback.with(sequence: 1))
        _ = conversation.receive(Build.link(2, "eth0", sequence: 1))
        for sequence in UInt32(1)...3 { _ = conversation.receive(Build.done(sequence)) }
        return conversation
    }

    @Test("Links, addresses and routes are requested in this order, and the table follows the last")
    func order() {
        var conversation = NetlinkConversation()
        expectEqual(shown(conversation.drained()), [18, 1])
        #expect(conversation.drained() == nil && conversation.table == nil)
        expectNil(conversation.receive(Build.link(2, "eth0", sequence: 1)))
        expectEqual(shown(conversation.receive(Build.done(1))), [22, 2])
        expectEqual(shown(conversation.receive(Build.address("192.0.2.5", 2, sequence: 2) + Build.done(2))), [26, 3])
        expectNil(conversation.table)
        expectNil(conversation.receive(Build.route("0.0.0.0/0", [2], sequence: 3) + Build.done(3)))
        expectEqual(conversation.table?.links[2]?.name, "eth0")
        expectEqual(conversation.table.map { PathRule(table: $0).defaultPath.isReachable }, true)
        expectNil(conversation.drained())
    }

    @Test("Changes during a dump are applied, and messages of an older dump are ignored")
    func changes() {
        var conversation = NetlinkConversation()
        _ = conversation.drained()
        _ = conversation.receive(Build.link(2, "eth0", sequence: 1))
        _ = conversation.receive(Build.link(2, "eth0", isGone: true))
        _ = conversation.receive(Build.link(3, "eth1", sequence: 9))
        for sequence in UInt32(1)...3 { _ = conversation.receive(Build.done(sequence)) }
        expectNil(conversation.table)  // silent removals are requested: the dump starts over
        for sequence in UInt32(2)...9 { _ = conversation.receive(Build.done(sequence)) }
        expectEqual(conversation.table?.links.isEmpty, true)
    }

    @Test("An inconsistent dump is repeated, but not for ever")
    func interrupted() {
        var conversation = NetlinkConversation()
        var request = shown(conversation.drained())
        for round in UInt32(1)...5 {
            expectEqual(request, [18, round])
            request = shown(conversation.receive(Build.done(round, flags: 0x12)))
        }
        expectEqual(request, [18, 6])
        expectEqual(shown(conversation.receive(Build.done(6, flags: 0x12))), [22, 7])
        expectEqual(shown(conversation.receive(Build.done(7))), [26, 8])
        #expect(conversation.receive(Build.done(8)) == nil && conversation.table != nil)
        #expect(conversation.needsPause && conversation.drained() == nil)
        expectEqual(shown(conversation.paused()), [18, 9])
    }

    @Test("Lost messages cause a fresh dump; readers keep the earlier table until it is complete")
    func lost() {
        var conversation = settled()
        conversation.lost()
        // Received after the loss, but older: it is in the table only until the fresh dump.
        expectNil(conversation.receive(Build.link(9, "old")))
        expectEqual(shown(conversation.drained()), [18, 4])
        expectEqual(conversation.table?.links.count, 3)
        // The earlier dump is still under way in the kernel.
        expectNil(conversation.receive(Build.error(-16, 4)))
        expectEqual(shown(conversation.drained()), [18, 5])
        for sequence in UInt32(5)...7 { _ = conversation.receive(Build.done(sequence)) }
        expectEqual(conversation.table?.links.isEmpty, true)
        _ = conversation.receive(Build.message(4))
        expectEqual(shown(conversation.drained()), [18, 8])
    }

    @Test("A kernel that refuses a dump is not asked again, and the network is unknown", arguments: 0..<3)
    func refused(phase: UInt32) {
        var conversation = NetlinkConversation()
        _ = conversation.drained()
        _ = conversation.receive(Build.error(-13, 99))
        for sequence in 0..<phase { _ = conversation.receive(Build.done(sequence + 1)) }
        #expect(!conversation.isRefused)
        expectNil(conversation.receive(Build.error(-13, phase + 1)))
        #expect(conversation.isRefused && conversation.table == nil && conversation.drained() == nil)
    }

    @Test("A dump that breaks off is discarded, and requested again after a pause", arguments: [true, false])
    func brokenOff(byError: Bool) {
        var conversation = settled()
        let known = conversation.table
        conversation.lost()
        for attempt in 0..<20 {
            let sequence = UInt32(4 + attempt)
            #expect((attempt == 0 ? conversation.drained() : conversation.paused()) != nil)
            let link = Build.link(9, "half", sequence: sequence)
            // Memory was short.
            let end = byError ? Build.error(-12, sequence) : Build.done(sequence, code: -105)
            expectNil(conversation.receive(link + end))
            #expect(conversation.needsPause && conversation.drained() == nil)
            #expect(conversation.table == known && !conversation.isRefused)
        }
        // A kernel whose dumps always fail counts as refusing.
        #expect(conversation.paused() != nil)
        _ = conversation.receive(Build.error(-12, 24))
        #expect(conversation.isRefused && conversation.table == nil && conversation.paused() == nil)
    }

    @Test("State that the kernel changes without a message is requested again")
    func silent() {
        typealias Flag = NetlinkNumbers.Flag
        let cases: [([UInt8], Bool)] = [
            (Build.link(2, "eth0", flags: 0), true),
            (Build.link(2, "eth0", flags: 1, operState: 2), true),
            (Build.link(2, "eth0"), false),
            (Build.link(2, isGone: true), true),
            (Build.address("192.0.2.5", 2), false),
            (Build.address("192.0.2.5", 2, isGone: true), false),
            (Build.address("192.0.2.5", 2) + Build.address("192.0.2.5", 2, isGone: true), true),
            (Build.route("0.0.0.0/0", [2]), false),
            (Build.route("0.0.0.0/0", [2], flags: Flag.replace), true),
            (Build.route("0.0.0.0/0", [2]) + Build.route("0.0.0.0/0", [2], isGone: true), false),
            (Build.route("0.0.0.0/0", [2], isGone: true), true),
            (Build.route("10.0.0.1/32", [2], table: 255, isGone: true), false),
        ]
        for (number, (bytes, asks)) in cases.enumerated() {
            var conversation = settled()
            expectNil(conversation.receive(bytes))
            expectEqual((conversation.drained() != nil), asks, "case \(number)")
        }
    }
}

extension [UInt8] {
    /// The message with another sequence.
    fileprivate func with(sequence: UInt32) -> [UInt8] {
        var copy = self
        copy.replaceSubrange(8..<12, with: [UInt8](netlink: sequence))
        return copy
    }
}
