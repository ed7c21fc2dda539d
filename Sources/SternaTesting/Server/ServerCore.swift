import NIOCore
import Synchronization

/// The shared state of one server's connections: routes, counts, and the request record.
final class ServerCore: Sendable {
    private struct State {
        var router: ServerRouter
        var open: [Int: (channel: any Channel, anchor: ConnectionAnchor.Handle)] = [:]
        var total = 0
        var http2Total = 0
        var openStreams = 0
        var requestCount = 0
        var requestCounts: [ServerHTTPVersion: Int] = [:]
        var records: CircularBuffer<TestServer.RecordedRequest> = []
        var stopping = false
    }

    let scheme: String
    let idleTimeout: Duration?
    let changes = ChangeSignal()
    private let recordLimit: Int
    /// The number of bytes of each body to record.
    private let bodyRecordLimit: Int
    private let state: Mutex<State>

    init(scheme: String, idleTimeout: Duration?, recordLimit: Int, bodyRecordLimit: Int) {
        self.scheme = scheme
        self.idleTimeout = idleTimeout
        self.recordLimit = max(0, recordLimit)
        self.bodyRecordLimit = recordLimit > 0 ? max(0, bodyRecordLimit) : 0
        self.state = Mutex(State(router: ServerRouter(builtIn: BuiltInRoutes.all)))
    }

    // MARK: Routes

    func add(_ route: ServerRoute) {
        state.withLock { $0.router.add(route) }
    }

    func route(method: String, path: String) -> ServerRouter.Outcome {
        state.withLock { $0.router }.route(method: method, path: path)
    }

    // MARK: Connections

    /// Registers a connection; returns its number, or `nil` when the server is stopping.
    func opened(_ channel: any Channel, anchor: ConnectionAnchor.Handle) -> Int? {
        let number = state.withLock { state -> Int? in
            guard !state.stopping else { return nil }
            state.total += 1
            state.open[state.total - 1] = (channel, anchor)
            return state.total - 1
        }
        changes.changed()
        return number
    }

    func closed(_ number: Int) {
        state.withLock { _ = $0.open.removeValue(forKey: number) }
        changes.changed()
    }

    /// Records that a connection uses HTTP/2.
    func speaksHTTP2() {
        state.withLock { $0.http2Total += 1 }
    }

    func streamOpened() {
        state.withLock { $0.openStreams += 1 }
        changes.changed()
    }

    func streamClosed() {
        state.withLock { $0.openStreams -= 1 }
        changes.changed()
    }

    var openConnections: Int { state.withLock { $0.open.count } }
    var totalConnections: Int { state.withLock { $0.total } }
    var totalHTTP2Connections: Int { state.withLock { $0.http2Total } }
    var openStreams: Int { state.withLock { $0.openStreams } }

    func closeAll() async {
        let anchors = state.withLock { state in
            state.stopping = true
            return state.open.values.map(\.anchor)
        }
        for anchor in anchors { await anchor.abort() }
        _ = await changes.wait(within: 5) { self.openConnections == 0 }
    }

    func reset(_ number: Int) async { await state.withLock { $0.open[number]?.anchor }?.reset() }

    // MARK: Requests

    func recorded(_ request: TestServer.RecordedRequest) -> Int {
        let number = state.withLock { state in
            state.requestCount += 1
            state.requestCounts[request.version, default: 0] += 1
            if recordLimit > 0 {
                if state.records.count >= recordLimit { state.records.removeFirst() }
                state.records.append(request)
            }
            return state.requestCount - 1
        }
        changes.changed()
        return number
    }

    /// Appends a piece of a body to what is recorded of it.
    func record(_ piece: ByteBuffer, in body: inout [UInt8]) {
        let rest = bodyRecordLimit - body.count
        if rest > 0 { body += piece.readableBytesView.prefix(rest) }
    }

    func bodyEnded(request number: Int, _ body: [UInt8], size: Int) {
        state.withLock { state in
            let oldest = state.requestCount - state.records.count
            guard number >= oldest, number - oldest < state.records.count else { return }
            let index = state.records.index(state.records.startIndex, offsetBy: number - oldest)
            state.records[index].bodySize = size
            state.records[index].body = body
        }
    }

    var requestCount: Int { state.withLock { $0.requestCount } }

    func requestCount(over version: ServerHTTPVersion) -> Int {
        state.withLock { $0.requestCounts[version] ?? 0 }
    }

    var records: [TestServer.RecordedRequest] { state.withLock { Array($0.records) } }
}
