import NIOCore
import SternaCore
import SternaSecurity

/// The connections of a shard to proxies that take many tunnels on each.
// Invariant: everything is touched on the shard's event loop only.
final class ProxyConnections: @unchecked Sendable {
    /// What connections must have in common to be used for one another.
    struct Key: Hashable {
        let proxy: Proxy
        let policy: SecurityPolicy
    }

    private var connections: [Key: [ProxyConnection]] = [:]

    /// A dial that others wait for, to use what it brings.
    // Invariant: touched on the shard's event loop only.
    final class Lead: @unchecked Sendable {
        fileprivate let key: Key
        fileprivate var waiting: [EventLoopPromise<Void>] = []

        fileprivate init(_ key: Key) { self.key = key }
    }

    private var leads: [Key: Lead] = [:]

    /// Proxies that chose HTTP/1.1, and those that asked for it; each of their connections carries one tunnel.
    private var refusing: Set<Key> = []
    private var requiring: Set<Key> = []
    private static let mostRemembered = 1_024

    /// Proxies that take so few tunnels on a connection that waiting for one costs more than it saves.
    private var narrow: Set<Key> = []
    private static let fewTunnels = 8

    /// Whether the shard takes no more requests.
    private(set) var isOver = false

    /// A connection that takes one more tunnel.
    func usable(_ key: Key) -> ProxyConnection? {
        guard !requiring.contains(key) else { return nil }
        return connections[key]?.first { $0.hasRoom && $0.rotation == key.policy.rotatingIdentity?.current }
    }

    func add(_ connection: ProxyConnection) { connections[connection.key, default: []].append(connection) }

    func remove(_ connection: ProxyConnection) {
        guard var list = connections[connection.key] else { return }
        list.removeAll { $0 === connection }
        connections[connection.key] = list.isEmpty ? nil : list
    }

    // MARK: Dials

    /// Whether somebody is opening a connection that others may use, too.
    func isDialling(_ key: Key) -> Bool { leads[key] != nil }

    /// Somebody begins to; nil where nobody has to wait for it, since there is another one, or the proxy speaks HTTP/1.1.
    func lead(_ key: Key) -> Lead? {
        guard leads[key] == nil, !refusing.contains(key), !narrow.contains(key) else { return nil }
        let lead = Lead(key)
        leads[key] = lead
        return lead
    }

    /// Fulfils a promise when the dial under way has come to its end.
    func wait(for key: Key, _ promise: EventLoopPromise<Void>) {
        if let lead = leads[key] { lead.waiting.append(promise) } else { promise.succeed(()) }
    }

    /// It has come to its end; who waits goes on, or fares the same.
    func ended(_ lead: Lead?, _ error: SternaError? = nil) {
        guard let lead, leads[lead.key] === lead else { return }
        leads[lead.key] = nil
        for promise in lead.waiting {
            if let error { promise.fail(error) } else { promise.succeed(()) }
        }
    }

    /// What the proxy has chosen.
    func chose(_ key: Key, http2: Bool) {
        if http2 {
            refusing.remove(key)
        } else if refusing.count < Self.mostRemembered {
            refusing.insert(key)
        }
    }

    /// What the proxy says it takes on a connection.
    func note(_ key: Key, maximumTunnels: Int) {
        if maximumTunnels >= Self.fewTunnels {
            narrow.remove(key)
        } else if narrow.count < Self.mostRemembered {
            narrow.insert(key)
        }
    }

    /// The proxy makes tunnels by HTTP/1.1 only, though it speaks HTTP/2.
    func requiresHTTP1(_ key: Key) {
        if requiring.count < Self.mostRemembered { requiring.insert(key) }
    }

    /// What is offered to the proxy.
    func applicationProtocols(_ key: Key) -> [String] {
        requiring.contains(key) ? ["http/1.1"] : ["h2", "http/1.1"]
    }

    // MARK: The end

    /// Closes what carries no tunnel, and the rest when its last tunnel has ended.
    func shutDown() {
        isOver = true
        for connection in Array(connections.values.joined()) { connection.closeIfIdle() }
    }

    /// Closes all.
    func abandonAll() {
        for connection in Array(connections.values.joined()) { connection.abort() }
    }
}
