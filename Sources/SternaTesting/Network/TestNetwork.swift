import Sterna
public import SternaCore
public import SternaReachability
import SternaTransport
import Synchronization

/// A network that a test takes away and gives back.
///
///     let network = TestNetwork()
///     let api = try Session(baseURL: server.url) {
///         $0.network.waitsForConnectivity = true
///         $0.network.reachability = network.reachability()
///     }
///     network.lose()
public final class TestNetwork: Sendable {
    private struct State {
        var table: NetworkTable?
        var readers: [Int: @Sendable (NetworkTable?) -> Void] = [:]
        var lastReader = 0
    }

    private final class Source: NetworkSource {
        private let state: Mutex<State>

        // Keeps the order of reports.
        private let turn = Mutex(())

        init(_ table: NetworkTable?) { state = Mutex(State(table: table)) }

        var readerCount: Int { state.withLock { $0.readers.count } }

        func begin(_ report: @escaping @Sendable (NetworkTable?) -> Void) -> @Sendable () -> Void {
            let number = turn.withLock { _ in
                let (number, table) = state.withLock { state in
                    state.lastReader += 1
                    state.readers[state.lastReader] = report
                    return (state.lastReader, state.table)
                }
                report(table)
                return number
            }
            return { [weak self] in _ = self?.state.withLock { $0.readers.removeValue(forKey: number) } }
        }

        func set(_ table: NetworkTable?) {
            turn.withLock { _ in
                let readers = state.withLock { state in
                    state.table = table
                    return Array(state.readers.values)
                }
                for reader in readers { reader(table) }
            }
        }
    }

    private let source: Source
    private let watch: NetworkWatch

    /// Makes a network with one interface, `test0`.
    public init(_ link: NetworkPath.Link = .cable, families: Set<IPAddress.Family> = [.v4, .v6]) {
        source = Source(Self.table(link, "test0", families, nil))
        watch = NetworkWatch(source)
    }

    private static func table(
        _ link: NetworkPath.Link, _ name: String, _ families: Set<IPAddress.Family>, _ isMetered: Bool?
    ) -> NetworkTable {
        NetworkTable(links: [(name, link.ofRoute)], families: families, isMetered: isMetered)
    }

    /// Whether anything watches the network.
    public var isWatched: Bool { source.readerCount > 0 }

    /// Returns an object that watches this network.
    ///
    /// - Parameter clock: measures the settling time; the system's clock by default.
    public func reachability(
        to destination: ReachabilityDestination = .defaultRoute, options: ReachabilityOptions = ReachabilityOptions(),
        clock: TestClock? = nil
    ) -> NetworkReachability {
        guard let clock else { return NetworkReachability(to: destination, options: options, watch: watch) }
        return NetworkReachability(to: destination, options: options, watch: watch) {
            LoopClock(clock.clock, on: Engine.shared.loopClock.loop)
        }
    }

    /// Takes the network away.
    public func lose() { source.set(NetworkTable(links: [], families: [])) }

    /// Connects by an interface with default routes, in place of the previous one.
    public func connect(
        by link: NetworkPath.Link = .cable, named name: String = "test0",
        families: Set<IPAddress.Family> = [.v4, .v6], isMetered: Bool? = nil
    ) {
        source.set(Self.table(link, name, families, isMetered))
    }

    /// Makes the network's state unknown, as if the system did not report it.
    public func hide() { source.set(nil) }
}
