import NIOCore
import Synchronization

/// The shared state of one proxy's connections: its options, the log, and the tasks that wait on it.
final class ProxyCore: Sendable {
    private struct State {
        var open: [Int: ConnectionAnchor.Handle] = [:]
        /// The open connections that use HTTP/2.
        var streams: [Int: NIOLoopBound<ProxyStreamsHandler>] = [:]
        var connections: [TestProxy.Connection] = []
        var messages = 0
        var isStopping = false
        var nonces = ProxyNonces()
    }

    let options: TestProxy.Options
    let changes = ChangeSignal()
    private let state = Mutex(State())

    init(_ options: TestProxy.Options) { self.options = options }

    /// Registers a connection; returns its number, or `nil` when the proxy is stopping.
    func opened(_ handle: ConnectionAnchor.Handle) -> Int? {
        let number = state.withLock { state -> Int? in
            guard !state.isStopping else { return nil }
            let number = state.connections.count
            state.connections.append(TestProxy.Connection(number: number))
            state.open[number] = handle
            return number
        }
        changes.changed()
        return number
    }

    func closed(_ number: Int) {
        state.withLock { state in
            state.open[number] = nil
            state.streams[number] = nil
            state.connections[number].isOpen = false
        }
        changes.changed()
    }

    /// Records that a connection uses HTTP/2.
    func speaksHTTP2(_ number: Int, _ handler: NIOLoopBound<ProxyStreamsHandler>) {
        state.withLock { state in
            state.streams[number] = handler
            state.connections[number].isHTTP2 = true
        }
        changes.changed()
    }

    /// Records an event of a connection.
    func note(_ number: Int, isMessage: Bool = false, _ change: (inout TestProxy.Connection) -> Void) {
        state.withLock { state in
            change(&state.connections[number])
            if isMessage { state.messages += 1 }
        }
        changes.changed()
    }

    var openConnections: Int { state.withLock { $0.open.count } }
    var connections: [TestProxy.Connection] { state.withLock { $0.connections } }
    var messageCount: Int { state.withLock { $0.messages } }

    var openTunnels: Int { state.withLock { $0.connections.reduce(0) { $0 + $1.openTunnels } } }

    /// Runs work on every connection that uses HTTP/2, or on one.
    func withStreams(of number: Int?, _ work: @escaping @Sendable (ProxyStreamsHandler) -> Void) async {
        let found = state.withLock { state in
            state.streams.compactMap { key, handler in
                number ?? key == key ? state.open[key].map { ($0.channel.eventLoop, handler) } : nil
            }
        }
        for (loop, handler) in found { try? await loop.submit { work(handler.value) }.get() }
    }

    /// Closes a connection, or all open ones; new ones are still accepted.
    func closeOpen(_ number: Int?, byReset: Bool) async {
        let handles = state.withLock { state in state.open.filter { number ?? $0.key == $0.key }.values }
        for handle in handles {
            if byReset { await handle.reset() } else { await handle.abort() }
        }
    }

    func read(_ reads: Bool) async {
        let handles = state.withLock { Array($0.open.values) }
        for handle in handles { try? await handle.channel.setOption(.autoRead, value: reads).get() }
    }

    func closeAll() async {
        for handle in stopping() { await handle.abort() }
        _ = await changes.wait(within: 5) { self.openConnections == 0 }
    }

    /// Closes every connection without waiting.
    func abandon() {
        for handle in stopping() {
            let anchor = handle.anchor
            handle.channel.eventLoop.execute { anchor.value.closeNow() }
        }
    }

    private func stopping() -> [ConnectionAnchor.Handle] {
        state.withLock { state in
            state.isStopping = true
            return Array(state.open.values)
        }
    }

    /// Returns the address of a destination; `nil` for a name without a route.
    func address(host: String, port: Int) -> SocketAddress? {
        let name = host.lowercased()
        if let route = options.routes["\(name):\(port)"] {
            return try? SocketAddress(ipAddress: "127.0.0.1", port: route)
        }
        switch name {
        case "localhost", "127.0.0.1": return try? SocketAddress(ipAddress: "127.0.0.1", port: port)
        case "::1": return try? SocketAddress(ipAddress: "::1", port: port)
        default: return nil
        }
    }

    /// Returns the fault of a connection.
    func fault(of number: Int) -> TestProxy.Fault? {
        if let faulty = options.faultyConnections, number >= faulty { return nil }
        return options.fault
    }

    /// Forgets the nonces of Digest.
    func forgetNonces() { state.withLock { $0.nonces.forget() } }

    /// Returns the values of Proxy-Authenticate by which a request is refused; `nil` to admit it.
    func challenges(to request: TestProxy.Request) -> [String]? {
        let basic = TestProxy.Digest.basicChallenge
        guard let digest = options.digest, let username = options.username else {
            return admits(request.credentials) ? nil : [basic]
        }
        if digest.offersBasic, admits(request.credentials) { return nil }
        return state.withLock { state in
            guard
                let isStale = state.nonces.isStale(
                    request, digest, username: username, password: options.password ?? "")
            else { return nil }
            return (digest.offersBasic ? [basic] : []) + [state.nonces.challenge(digest, isStale: isStale)]
        }
    }

    /// Whether these credentials admit a client.
    func admits(_ credentials: TestProxy.Credentials?) -> Bool {
        guard let username = options.username else { return true }
        return credentials == TestProxy.Credentials(username, options.password ?? "")
    }
}
