import NIOCore
import Sterna
import SternaCore
import SternaPlatform
import SternaReachability
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: the network returns", .timeLimit(.minutes(5)))
struct TransferNetworkTests {
    private let folder = TransferTestFolder()
    private let network = TestNetwork()

    private static let lost = SternaError(.connectionFailed, phase: .connect, "There is no route to the host.")

    /// Makes a store, and a session whose requests fail until they may pass. Its clock stands still, so that no pause ends by itself.
    private func make(
        _ isAway: @escaping @Sendable () -> Bool, _ configure: (inout TransferStoreSettings) -> Void = { _ in }
    ) throws -> (store: TransferStore, session: Session, reachability: NetworkReachability) {
        let time = TestClock()
        var options = EngineOptions()
        options.clock = time.clock
        let engine = Engine(options: options)
        let mock = MockTransport { request in
            if request.url.path == "/busy" { return .text("Later.", status: 503) }
            if isAway() { throw Self.lost }
            return .text("content")
        }
        let session = try Session(baseURL: "http://example.com") {
            $0.network.engine = engine
            $0.network.transport = mock
            $0.retry = .none
        }
        let reachability = network.reachability(options: Self.options)
        let store = try TransferStore(folder: folder.path + "/store") {
            $0.reachability = reachability
            configure(&$0)
        }
        return (store, session, reachability)
    }

    private static var options: ReachabilityOptions {
        var options = ReachabilityOptions()
        options.settlingTime = .zero
        return options
    }

    private static func until(_ isMet: () -> Bool) async -> Bool {
        let end = ContinuousClock.now + .seconds(180)
        while !isMet() {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }

    @Test("After a network failure the next attempt begins at once; after a server's Retry-After it does not")
    func wakes() async throws {
        let isAway = Mutex(true)
        let (store, session, reachability) = try make { isAway.withLock { $0 } }
        #expect(!network.isWatched)
        let transfer = try await store.download("file", to: folder.path + "/file", with: session)
        let busy = try await store.download("busy", to: folder.path + "/busy", with: session)
        #expect(network.isWatched)
        #expect(await Self.until { transfer.attempts.first?.failure != nil && transfer.status.state == .waiting })
        #expect(await Self.until { busy.attempts.first?.failure != nil && busy.status.state == .waiting })
        network.lose()
        isAway.withLock { $0 = false }
        // All readers of one object get all changes, so that the store reads the loss before the return.
        for await path in reachability.updates where path.status == .notReachable { break }
        network.connect()
        try await expectEqual(transfer.end(), .finished(path: folder.path + "/file", length: 7))
        #expect(busy.status.state == .waiting && busy.attempts.count == 1)
        try await busy.cancel()
        #expect(await Self.until { !network.isWatched })
    }

    @Test("Transfers that were not begun, or that a queue has returned, do not begin by themselves")
    func leftAlone() async throws {
        let isAway = Mutex(true)
        let (store, session, reachability) = try make { isAway.withLock { $0 } }
        let left = try await store.download("left", to: folder.path + "/left", with: session)
        #expect(await Self.until { left.attempts.first?.failure != nil && left.status.state == .waiting })
        let queue = TransferQueue(with: session)
        queue.start()
        try await queue.add(left)
        await queue.stop()
        let idle = try await store.download("idle", to: folder.path + "/idle", with: session, startsAtOnce: false)
        let last = try await store.download("last", to: folder.path + "/last", with: session)
        #expect(await Self.until { last.attempts.first?.failure != nil && last.status.state == .waiting })
        let attempts = left.attempts.count
        network.lose()
        isAway.withLock { $0 = false }
        for await path in reachability.updates where path.status == .notReachable { break }
        network.connect()
        // It comes after the others.
        try await expectEqual(last.end(), .finished(path: folder.path + "/last", length: 7))
        await store.retryNow()
        #expect(left.attempts.count == attempts && idle.attempts.isEmpty)
        for transfer in [left, idle] {
            try await transfer.resume()
            guard case .finished = try await transfer.end() else {
                Issue.record("\(transfer.status)")
                return
            }
        }
    }

    @Test("A store without reachability watches nothing")
    func off() async throws {
        let (store, session, _) = try make({ true }) { $0.reachability = nil }
        let transfer = try await store.download("file", to: folder.path + "/file", with: session)
        #expect(await Self.until { transfer.attempts.first?.failure != nil })
        #expect(!network.isWatched)
        try await transfer.cancel()
    }
}
