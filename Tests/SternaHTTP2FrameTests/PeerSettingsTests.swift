import NIOHTTP2
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("HTTP/2: what the peer has said it takes (RFC 9113, 6.5.2)")
struct PeerSettingsTests {
    @Test("Before it has said anything")
    func beginning() {
        let peer = PeerSettings()
        #expect(!peer.isKnown)
        expectEqual(peer.initialWindow, 65_535)
        expectEqual(peer.maximumFrame, 16_384)
        #expect(peer.maximumStreams >= 100)
    }

    @Test("What an earlier connection has shown holds until it says otherwise", arguments: [0, 1, 7, 200])
    func earlier(streams: Int) {
        var peer = PeerSettings(maximumStreams: streams)
        expectEqual(peer.maximumStreams, streams)
        #expect(!peer.isKnown)
        _ = peer.take([HTTP2Setting(parameter: .maxConcurrentStreams, value: 33)])
        expectEqual(peer.maximumStreams, 33)
    }

    @Test("SETTINGS that say nothing are SETTINGS")
    func nothing() {
        var peer = PeerSettings()
        let change = peer.take([])
        expectEqual(change, 0)
        #expect(peer.isKnown)
        expectEqual(peer.initialWindow, 65_535)
        expectEqual(peer.maximumFrame, 16_384)
    }

    struct Change: Sendable {
        let windows: [Int]
        let changes: [Int]
    }

    @Test(
        "By how much the windows of open streams change, up and down",
        arguments: [
            Change(windows: [65_535], changes: [0]),
            Change(windows: [0], changes: [-65_535]),
            Change(windows: [0, 0, 10], changes: [-65_535, 0, 10]),
            Change(windows: [0x7FFF_FFFF, 0, 0x7FFF_FFFF], changes: [0x7FFF_0000, -0x7FFF_FFFF, 0x7FFF_FFFF]),
            Change(windows: [100_000, 1], changes: [34_465, -99_999]),
        ])
    func window(change: Change) {
        var peer = PeerSettings()
        let changes = change.windows.map { peer.take([HTTP2Setting(parameter: .initialWindowSize, value: $0)]) }
        expectEqual(changes, change.changes)
        expectEqual(peer.initialWindow, change.windows.last)
    }

    @Test("What is said twice in one frame holds as said last; what is not said stays")
    func order() {
        var peer = PeerSettings()
        let change = peer.take([
            HTTP2Setting(parameter: .initialWindowSize, value: 5),
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 7),
            HTTP2Setting(parameter: .initialWindowSize, value: 70_000),
            HTTP2Setting(parameter: .maxFrameSize, value: 20_000),
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 3),
        ])
        expectEqual(change, 70_000 - 65_535)
        expectEqual(peer.maximumStreams, 3)
        let next = peer.take([HTTP2Setting(parameter: .maxHeaderListSize, value: 8_000)])
        expectEqual(next, 0)
        expectEqual(peer.initialWindow, 70_000)
        expectEqual(peer.maximumStreams, 3)
        expectEqual(peer.maximumFrame, 20_000)
    }

    @Test(
        "No streams at all, and as many as can be said, of which not all are used",
        arguments: [0, 1, 256, 257, 0xFFFF_FFFF])
    func streams(count: Int) {
        var peer = PeerSettings()
        _ = peer.take([HTTP2Setting(parameter: .maxConcurrentStreams, value: count)])
        expectEqual(peer.maximumStreams, min(count, PeerSettings.mostStreams))
        #expect(PeerSettings.mostStreams >= PeerSettings.assumedStreams)
    }

    @Test("Settings that are not known, and those of servers to come, change nothing (RFC 9113, 6.5.2)")
    func unknown() {
        var peer = PeerSettings()
        let change = peer.take([
            HTTP2Setting(parameter: .headerTableSize, value: 0), HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .enableConnectProtocol, value: 1),
            HTTP2Setting(parameter: .init(extensionSetting: 0x9), value: 1),
            HTTP2Setting(parameter: .init(extensionSetting: 0xFFFF), value: 0xFFFF_FFFF),
        ])
        expectEqual(change, 0)
        expectEqual(peer.initialWindow, 65_535)
        expectEqual(peer.maximumFrame, 16_384)
        expectEqual(peer.maximumStreams, PeerSettings.assumedStreams)
    }
}
