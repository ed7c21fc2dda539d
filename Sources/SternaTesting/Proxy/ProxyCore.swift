import NIOCore
import Synchronization

/// What all connections of one proxy share: its options, the log, and those waiting on it.
final class ProxyCore: Sendable {
    private struct State {
        var open: [Int: ConnectionAnchor.Handle] = [:]
        var connections: [TestProxy.Connection] = []
        var messages = 0
        var isStopping = false
    }

    let options: TestProxy.Options
    let changes = ChangeSignal()
    private let state = Mutex(State())

    init(_ options: TestProxy.Options) { self.options = options }

    /// The connection's number, or `nil` when the proxy is stopping.
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
            state.connections[number].isOpen = false
        }
        changes.changed()
    }

    /// Notes what a connection brought.
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

    /// Where a destination lies; `nil` for a name without a route.
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

    /// Whether these credentials let a client in.
    func admits(_ credentials: TestProxy.Credentials?) -> Bool {
        guard let username = options.username else { return true }
        return credentials == TestProxy.Credentials(username, options.password ?? "")
    }
}
