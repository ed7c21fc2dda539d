import NIOCore
import SternaCore
import SternaSecurity

/// A shard's connections to proxies that take many tunnels on each.
// Invariant: everything is touched on the shard's event loop only.
final class ProxyConnections: @unchecked Sendable {
    /// The properties that interchangeable connections have in common.
    struct Key: Hashable {
        let proxy: Proxy
        let policy: SecurityPolicy
    }

    private let loop: any EventLoop
    private var connections: [Key: [ProxyConnection]] = [:]

    /// A dial that other dials wait for, to use its connection.
    // Invariant: touched on the shard's event loop only.
    final class Lead: @unchecked Sendable {
        fileprivate let key: Key
        fileprivate var waiting: [EventLoopPromise<Void>] = []

        fileprivate init(_ key: Key) { self.key = key }
    }

    private var leads: [Key: Lead] = [:]

    /// Proxies that chose HTTP/1.1, and proxies that asked for it; each of their connections carries one tunnel.
    private var refusing: Set<Key> = []
    private var requiring: Set<Key> = []
    private static let mostRemembered = 1_024

    /// Proxies that take so few tunnels on a connection that waiting for one costs more than it saves.
    private var narrow: Set<Key> = []
    private static let fewTunnels = 8

    /// Whether the shard is shut down.
    private(set) var isOver = false

    init(on loop: any EventLoop) { self.loop = loop }

    /// Returns a connection that takes one more tunnel.
    func usable(_ key: Key) -> ProxyConnection? {
        loop.assertInEventLoop()
        guard !requiring.contains(key) else { return nil }
        return connections[key]?.first { $0.hasRoom && $0.rotation == key.policy.rotatingIdentity?.current }
    }

    func add(_ connection: ProxyConnection) {
        loop.assertInEventLoop()
        connections[connection.key, default: []].append(connection)
    }

    func remove(_ connection: ProxyConnection) {
        loop.assertInEventLoop()
        guard var list = connections[connection.key] else { return }
        list.removeAll { $0 === connection }
        connections[connection.key] = list.isEmpty ? nil : list
    }

    // MARK: Dials

    /// Whether a dial is under way whose connection other dials may also use.
    func isDialling(_ key: Key) -> Bool { leads[key] != nil }

    /// Begins a dial that others wait for. Returns nil if none has to wait: another such dial is under way, the proxy speaks
    /// HTTP/1.1, or it takes few tunnels.
    func lead(_ key: Key) -> Lead? {
        loop.assertInEventLoop()
        guard leads[key] == nil, !refusing.contains(key), !narrow.contains(key) else { return nil }
        let lead = Lead(key)
        leads[key] = lead
        return lead
    }

    /// Fulfils a promise when the dial under way completes.
    func wait(for key: Key, _ promise: EventLoopPromise<Void>) {
        loop.assertInEventLoop()
        if let lead = leads[key] { lead.waiting.append(promise) } else { promise.succeed(()) }
    }

    /// Completes the dial: resumes or fails all waiters.
    func ended(_ lead: Lead?, _ error: SternaError? = nil) {
        loop.assertInEventLoop()
        guard let lead, leads[lead.key] === lead else { return }
        leads[lead.key] = nil
        for promise in lead.waiting {
            if let error { promise.fail(error) } else { promise.succeed(()) }
        }
    }

    /// Records the protocol that the proxy has chosen.
    func chose(_ key: Key, http2: Bool) {
        loop.assertInEventLoop()
        if http2 {
            refusing.remove(key)
        } else if refusing.count < Self.mostRemembered {
            refusing.insert(key)
        }
    }

    /// Records how many tunnels the proxy takes on a connection.
    func note(_ key: Key, maximumTunnels: Int) {
        if maximumTunnels >= Self.fewTunnels {
            narrow.remove(key)
        } else if narrow.count < Self.mostRemembered {
            narrow.insert(key)
        }
    }

    /// Records that the proxy makes tunnels by HTTP/1.1 only, though it speaks HTTP/2.
    func requiresHTTP1(_ key: Key) {
        loop.assertInEventLoop()
        if requiring.count < Self.mostRemembered { requiring.insert(key) }
    }

    /// Returns the protocols to offer to the proxy.
    func applicationProtocols(_ key: Key) -> [String] {
        requiring.contains(key) ? ["http/1.1"] : ["h2", "http/1.1"]
    }

    // MARK: The end

    /// Closes connections without a tunnel, and the others when their last tunnel has ended.
    func shutDown() {
        loop.assertInEventLoop()
        isOver = true
        for connection in Array(connections.values.joined()) { connection.closeIfIdle() }
    }

    /// Closes all connections at once.
    func abandonAll() {
        loop.assertInEventLoop()
        for connection in Array(connections.values.joined()) { connection.abort() }
    }
}
