import Dispatch
import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import Sterna
@testable import SternaReachability

#if Foundation
import Foundation

@testable import SternaTestSupport
#endif

@Suite("Reachability: watching", .timeLimit(.minutes(5)))
struct NetworkReachabilityTests {
    /// Options whose changes are reported at once, on a queue of their own.
    private func options(_ settling: Duration = .zero, _ change: (inout ReachabilityOptions) -> Void = { _ in })
        -> ReachabilityOptions
    {
        var options = ReachabilityOptions()
        options.settlingTime = settling
        options.callbacks = .queue(DispatchQueue(label: "reachability"))
        change(&options)
        return options
    }

    @Test("Nothing is watched before the start and after the stop, and the path is unknown")
    func start() async {
        let network = TestNetwork()
        let reachability = network.reachability(options: options())
        #expect(reachability.status == .unknown && !network.isWatched)
        reachability.start()
        reachability.start()
        #expect(network.isWatched)
        #expect(await eventually { reachability.isReachable })
        #expect(reachability.path.interface == "test0" && reachability.path.families == [.v4, .v6])
        reachability.stop()
        #expect(!network.isWatched && reachability.status == .unknown)
        network.lose()
        await expectEqual(reachability.current().status, .notReachable)
        #expect(await eventually { !network.isWatched })
    }

    @Test("A session's reachability is the one that was set, else the shared one")
    func setting() {
        var settings = SessionSettings()
        #expect(settings.network.reachability === NetworkReachability.shared)
        let own = TestNetwork().reachability(to: .host("a.example"))
        settings.network.reachability = own
        #expect(settings.network.reachability === own)
    }

    @Test("A released object ends its watch, unless its changes are still read")
    func released() async throws {
        let network = TestNetwork()
        do {
            let reachability = network.reachability(options: options())
            reachability.start()
            #expect(network.isWatched)
        }
        #expect(await eventually { !network.isWatched })
        var updates = network.reachability(options: options()).updates.makeAsyncIterator()
        await expectEqual(updates.next()?.isReachable, true)
        network.lose()
        await expectEqual(updates.next()?.status, .notReachable)
    }

    @Test("Readers get all changes in order, each once, from the present one on")
    func sequence() async {
        let network = TestNetwork(.wifi)
        let reachability = network.reachability(options: options())
        var first = reachability.updates.makeAsyncIterator()
        await expectEqual(first.next()?.status, .reachable(.wifi))
        var second = reachability.updates.makeAsyncIterator()
        await expectEqual(second.next()?.status, .reachable(.wifi))
        let steps: [(NetworkPath.Status, () -> Void)] = [
            (.notReachable, { network.lose() }), (.reachable(.cellular), { network.connect(by: .cellular) }),
            (.reachable(.cable), { network.connect(by: .cable) }), (.unknown, { network.hide() }),
            (.reachable(.wifi), { network.connect(by: .wifi) }),
        ]
        for (status, step) in steps.dropLast(3) {
            step()
            await expectEqual(first.next()?.status, status)
            await expectEqual(second.next()?.status, status)
        }
        for (status, step) in steps.suffix(3) {
            step()
            await expectEqual(first.next()?.status, status)
        }
        for (status, _) in steps.suffix(3) { await expectEqual(second.next()?.status, status) }
    }

    @Test("A loss that ends within the settling time is not reported")
    func flapping() async {
        let time = TestClock()
        let network = TestNetwork()
        let reachability = network.reachability(options: options(.milliseconds(250)), clock: time)
        var updates = reachability.updates.makeAsyncIterator()
        await expectEqual(updates.next()?.isReachable, true)  // at once
        network.lose()
        await time.waitForTimer(within: .milliseconds(250))
        await time.advance(by: .milliseconds(249))
        #expect(reachability.isReachable)
        network.connect()
        await time.advance(by: .milliseconds(1))
        network.connect(by: .cellular)
        // This change may have been seen before or after the end of the settling time.
        let isDone = Mutex(false)
        let mover = Task {
            while !isDone.withLock({ $0 }), !Task.isCancelled {
                if time.timerCount > 0 { await time.advance(by: .milliseconds(250)) }
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        await expectEqual(updates.next()?.status, .reachable(.cellular))
        isDone.withLock { $0 = true }
        await mover.value
    }

    @Test("Of several changes within the settling time, the last is reported")
    func merged() async {
        let time = TestClock()
        let network = TestNetwork()
        let reachability = network.reachability(options: options(.milliseconds(250)), clock: time)
        var updates = reachability.updates.makeAsyncIterator()
        await expectEqual(updates.next()?.isReachable, true)
        network.lose()
        await time.waitForTimer(within: .milliseconds(250))
        network.connect(by: .wifi)
        network.lose()
        network.connect(by: .cellular)
        expectEqual(reachability.status, .reachable(.cable))
        await time.advance(by: .milliseconds(250))
        await expectEqual(updates.next()?.status, .reachable(.cellular))
    }

    @Test("The callback gets all changes in order, and none after the stop")
    func callback() async {
        let network = TestNetwork()
        let reachability = network.reachability(options: options())
        let seen = Mutex<[NetworkPath.Status]>([])
        reachability.pathChanged = { path in seen.withLock { $0.append(path.status) } }
        reachability.start()
        #expect(await eventually { seen.withLock { $0.count } == 1 })
        network.lose()
        #expect(await eventually { seen.withLock { $0.count } == 2 })
        network.connect(by: .wifi)
        #expect(await eventually { seen.withLock { $0.count } == 3 })
        expectEqual(seen.withLock { $0 }, [.reachable(.cable), .notReachable, .reachable(.wifi)])
        reachability.stop()
        network.lose()
        #expect(reachability.status == .unknown && seen.withLock { $0.count } == 3)
    }

    @Test("Beside a reader the callback begins with the present path, and ends with the stop")
    func callbackBesideReader() async {
        let network = TestNetwork()
        let reachability = network.reachability(options: options())
        var updates = reachability.updates.makeAsyncIterator()
        await expectEqual(updates.next()?.isReachable, true)
        let seen = Mutex<[NetworkPath.Status]>([])
        reachability.pathChanged = { path in seen.withLock { $0.append(path.status) } }
        network.lose()
        await expectEqual(updates.next()?.isReachable, false)
        reachability.start()
        #expect(await eventually { seen.withLock { $0 } == [.notReachable] })
        reachability.stop()
        network.connect()
        await expectEqual(updates.next()?.isReachable, true)
        reachability.start()
        #expect(await eventually { seen.withLock { $0.count } == 2 })
        expectEqual(seen.withLock { $0 }, [.notReachable, .reachable(.cable)])
    }

    #if Foundation
    @Test("Notifications carry the status by AFNetworking's numbers, and the path")
    func notification() async {
        let center = NotificationCenter()
        let seen = Mutex<[String]>([])
        let token = center.addObserver(forName: SternaNotification.reachabilityDidChange, object: nil, queue: nil) {
            note in
            let text =
                "\(note[SternaNotification.reachabilityStatus] ?? -9) \(note[SternaNotification.networkPath]?.interface ?? "-")"
            seen.withLock { $0.append(text) }
        }
        defer { center.removeObserver(token) }
        let network = TestNetwork(.cellular)
        let reachability = network.reachability(options: options { $0.notificationCenter = center })
        reachability.start()
        #expect(await eventually { seen.withLock { $0.count } == 1 })
        network.lose()
        #expect(await eventually { seen.withLock { $0.count } == 2 })
        expectEqual(seen.withLock { $0 }, ["1 test0", "0 -"])
    }
    #endif

    @Test("Statuses have AFNetworking's numbers and distinct descriptions")
    func texts() {
        let statuses: [NetworkPath.Status] = [
            .unknown, .notReachable, .reachable(.cellular), .reachable(.wifi), .reachable(.cable),
        ]
        expectEqual(statuses.map(\.number), [-1, 0, 1, 2, 2])
        expectEqual(statuses.map(\.localizedDescription), statuses.map(\.description))
        expectEqual(Set(statuses.map(\.description)).count, 5)
    }

    private struct FixedResolver: HostResolver {
        let addresses: [IPAddress]?

        init(_ texts: [String]?) { addresses = texts?.compactMap { IPAddress($0) } }

        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            guard host == "example.com", let found = addresses else {
                throw SternaError(.hostNotFound, phase: .resolve, "None.")
            }
            return ResolvedHost(found)
        }
    }

    @Test("A host has the path of its addresses; a name that cannot be looked up has the default route's")
    func hosts() async {
        let watch = NetworkWatch(FixedSource(NetlinkBuilder.table(NetlinkBuilder.usual.dropLast())))
        func path(_ host: String, _ addresses: [String]?) async -> String {
            let reachability = NetworkReachability(
                to: .host(host), options: options(), watch: watch, resolver: FixedResolver(addresses))
            return "\(await reachability.current())"
        }
        await expectEqual(path("Example.com", ["2a00::1"]), "not reachable")
        await expectEqual(path("example.com", ["2a00::1", "198.51.100.7"]), "reachable by cable (eth0), IPv4")
        await expectEqual(path("example.com", nil), "reachable by cable (eth0), IPv4")
        await expectEqual(path("[2001:db8::7]", nil), "reachable by cable (eth0), IPv6")
        await expectEqual(path("192.0.2.7", nil), "reachable by cable (eth0), IPv4")
    }

    /// Finds a host once; later lookups do not end, as if there were no network.
    private final class LosingResolver: HostResolver {
        let count = Mutex(0)

        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number > 1 { try await Task.sleep(for: .seconds(86_400)) }
            return ResolvedHost([IPAddress(v4: 0xC633_6407)])
        }
    }

    @Test("The loss of the network makes a host unreachable at once, without another lookup")
    func lostHost() async {
        let (connected, lost) = (
            NetlinkBuilder.table(NetlinkBuilder.usual.dropLast()), NetworkTable(links: [], families: [])
        )
        let source = ChangingSource(connected)
        let resolver = LosingResolver()
        let reachability = NetworkReachability(
            to: .host("example.com"), options: options(), watch: NetworkWatch(source), resolver: resolver)
        var updates = reachability.updates.makeAsyncIterator()
        await expectEqual(updates.next()?.isReachable, true)
        source.set(lost)
        await expectEqual(updates.next()?.status, .notReachable)
        expectEqual(resolver.count.withLock { $0 }, 1)
    }

    private final class ChangingSource: NetworkSource {
        private let state: Mutex<(table: NetworkTable, report: (@Sendable (NetworkTable?) -> Void)?)>

        init(_ table: NetworkTable) { state = Mutex((table, nil)) }

        func begin(_ report: @escaping @Sendable (NetworkTable?) -> Void) -> @Sendable () -> Void {
            report(
                state.withLock { state in
                    state.report = report
                    return state.table
                })
            return {}
        }

        func set(_ table: NetworkTable) { state.withLock { $0.report }?(table) }
    }

    private struct FixedSource: NetworkSource {
        let table: NetworkTable

        init(_ table: NetworkTable) { self.table = table }

        func begin(_ report: @escaping @Sendable (NetworkTable?) -> Void) -> @Sendable () -> Void {
            report(table)
            return {}
        }
    }

    @Test("A probe confirms the path, finds captive portals, and is repeated after a change")
    func probe() async throws {
        try await TestServer.withServer { server async throws in
            let answer = Mutex("204")
            server.route("GET", "/probe") { _ in
                switch answer.withLock({ $0 }) {
                case "204": ServerResponse(status: 204)
                case "302": ServerResponse(status: 302, headers: ["Location": "/login"])
                default: ServerResponse.text("Sign in")
                }
            }
            let network = TestNetwork()
            let reachability = network.reachability(
                options: options {
                    $0.probe = ReachabilityProbe(server.url("/probe"))
                    $0.probe?.timeLimit = .seconds(60)
                })
            var updates = reachability.updates.makeAsyncIterator()
            await expectEqual(updates.next()?.description, "reachable by cable (test0), IPv4 and IPv6, confirmed")
            for portal in ["302", "200"] {
                answer.withLock { $0 = portal }
                network.lose()
                await expectEqual(updates.next()?.confirmation, .notAsked)
                network.connect(by: .wifi)
                let path = await updates.next()
                #expect(path?.status == .notReachable && path?.confirmation == .captivePortal)
            }
            answer.withLock { $0 = "204" }
            network.lose()
            await expectEqual(updates.next()?.confirmation, .notAsked)
            network.connect(by: .cable)
            await expectEqual(updates.next()?.confirmation, .confirmed)
        }
    }

    @Test("A probe without a response makes the path unreachable")
    func failedProbe() async throws {
        let network = TestNetwork()
        let reachability = network.reachability(
            options: options { $0.probe = ReachabilityProbe("http://127.0.0.1:1/") })
        var updates = reachability.updates.makeAsyncIterator()
        let path = await updates.next()
        #expect(path?.status == .notReachable && path?.confirmation == .failed)
        // The same network is no change; its loss is one.
        network.connect()
        network.lose()
        await expectEqual(updates.next()?.confirmation, .notAsked)
    }
}
