#if os(Linux)
import CSternaNetlink
import Dispatch
import SternaPlatform
import Synchronization

/// The sockets for requests to the kernel. They belong to the network namespace of the thread that opens them.
package struct NetlinkSockets: Sendable {
    let route: Int32

    /// For queries about single links; negative if it could not be opened.
    let query: Int32
    let generic: Int32

    /// Opens the sockets; nil if the system does not allow it.
    package static func open() -> NetlinkSockets? {
        let route = CSternaNetlink_open(NetlinkNumbers.routeProtocol, NetlinkNumbers.groups)
        guard route >= 0 else { return nil }
        return NetlinkSockets(
            route: route, query: CSternaNetlink_openQuery(),
            generic: CSternaNetlink_open(NetlinkNumbers.genericProtocol, 0))
    }

    func close() {
        for descriptor in [route, query, generic] where descriptor >= 0 { _ = SternaPlatform.close(descriptor) }
    }
}

/// Reports the state of the network by rtnetlink, which needs no privileges and no polling.
package struct NetlinkSource: NetworkSource {
    private let open: @Sendable () -> NetlinkSockets?

    package init(open: @escaping @Sendable () -> NetlinkSockets? = NetlinkSockets.open) { self.open = open }

    package func begin(_ report: @escaping @Sendable (NetworkTable?) -> Void) -> @Sendable () -> Void {
        guard let sockets = open() else {
            report(nil)
            return {}
        }
        let reader = NetlinkReader(sockets, report)
        reader.begin()
        return { reader.end() }
    }
}

package typealias SystemNetworkSource = NetlinkSource

/// Reads the socket whenever data has arrived, on a queue of its own. No thread waits for it.
final class NetlinkReader: Sendable {
    private struct State {
        var conversation = NetlinkConversation()
        var reported: NetworkTable?
        var asked: UInt32 = 0
        /// Requests in a row that could not be sent.
        var failures = 0
        var isRefused = false
        /// Whether a request is delayed.
        var isPausing = false
    }

    /// The number of requests in a row that may fail to be sent; then the state is reported as unknown.
    private static let mostFailures = 10

    /// Larger than any datagram of the kernel, which has 32 KiB at most.
    private static let capacity = 64 << 10

    private let sockets: NetlinkSockets
    private let report: @Sendable (NetworkTable?) -> Void
    private let queue = DispatchQueue(label: "sterna.network")
    private let events: DispatchSourceBox

    // Accessed only on the queue; the lock is never contended.
    private let state = Mutex(State())

    /// A source of Dispatch, which is thread-safe.
    // Its methods may be called on any thread, as the documentation of Dispatch says.
    private struct DispatchSourceBox: @unchecked Sendable { let source: any DispatchSourceRead }

    init(_ sockets: NetlinkSockets, _ report: @escaping @Sendable (NetworkTable?) -> Void) {
        (self.sockets, self.report) = (sockets, report)
        events = DispatchSourceBox(source: DispatchSource.makeReadSource(fileDescriptor: sockets.route, queue: queue))
    }

    func begin() {
        events.source.setEventHandler { [weak self] in self?.read() }
        // Closed when the source no longer monitors them.
        events.source.setCancelHandler { [sockets] in sockets.close() }
        events.source.activate()
        queue.async { [self] in
            // If the reader was ended at once, the descriptor may already be that of another file.
            guard !events.source.isCancelled else { return }
            send(state.withLock { $0.conversation.drained() })
        }
    }

    func end() { events.source.cancel() }

    private func send(_ request: [UInt8]?) {
        guard let request else { return }
        guard CSternaNetlink_send(sockets.route, request, request.count) != 0 else {
            return state.withLock { $0.failures = 0 }
        }
        let failures = state.withLock { state in
            state.failures += 1
            return state.failures
        }
        guard failures <= Self.mostFailures else { return report(nil) }
        // Memory may be short for the moment.
        queue.asyncAfter(deadline: .now() + .milliseconds(200)) { [weak self] in
            guard let self, !events.source.isCancelled else { return }
            send(
                state.withLock { state in
                    state.conversation.lost()
                    return state.conversation.drained()
                })
        }
    }

    /// Requests a dump again after 200 ms.
    private func pause() {
        state.withLock { $0.isPausing = true }
        queue.asyncAfter(deadline: .now() + .milliseconds(200)) { [weak self] in
            guard let self, !events.source.isCancelled else { return }
            send(
                state.withLock { state in
                    state.isPausing = false
                    return state.conversation.paused()
                })
        }
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.capacity)
        var isDrained = false
        // A bound, so that a storm of changes does not keep the table from its readers.
        for _ in 0..<4_096 where !events.source.isCancelled {
            var sender: UInt32 = 0
            let count = Int(CSternaNetlink_receive(sockets.route, &buffer, buffer.count, &sender))
            if count < 0 {
                if count == -Int(ENOBUFS) {
                    state.withLock { $0.conversation.lost() }
                    continue
                }
                isDrained = true
                break
            }
            // Any process may send to the socket; 0 is the kernel.
            guard sender == 0, count > 0 else { continue }
            if count > buffer.count {
                state.withLock { $0.conversation.lost() }
                continue
            }
            send(state.withLock { $0.conversation.receive(Array(buffer[..<count])) })
        }
        guard !events.source.isCancelled else { return }
        if isDrained { send(state.withLock { $0.conversation.drained() }) }
        if state.withLock({ $0.conversation.needsPause && !$0.isPausing }) { pause() }
        publish()
    }

    /// Reports the complete table if it has changed.
    private func publish() {
        let isRefused = state.withLock { state in
            guard state.conversation.isRefused, !state.isRefused else { return false }
            state.isRefused = true
            return true
        }
        if isRefused { return report(nil) }
        let unclassified = state.withLock { $0.conversation.table?.unclassified ?? [] }
        if !unclassified.isEmpty { classify(unclassified) }
        let table = state.withLock { state -> NetworkTable? in
            guard let table = state.conversation.table, table != state.reported else { return nil }
            state.reported = table
            return table
        }
        if let table { report(table) }
    }

    // MARK: Wi-Fi

    /// Asks nl80211, and the wireless extensions of earlier drivers, which links are Wi-Fi. The kernel has answered when the call
    /// returns.
    private func classify(_ links: [NetworkLink]) {
        let known = wirelessInterfaces()
        for link in links {
            let isWireless =
                known.contains(link.index)
                || sockets.query >= 0 && CSternaNetlink_isWireless(sockets.query, link.name) == 1
            state.withLock { $0.conversation.setWireless(isWireless, link.index) }
        }
    }

    private func wirelessInterfaces() -> Set<Int32> {
        guard sockets.generic >= 0, let family = ask(nil).family else { return [] }
        return ask(family).interfaces
    }

    private func ask(_ family: UInt16?) -> WirelessQuery.Answer {
        let sequence = state.withLock { state in
            state.asked &+= 1
            return state.asked
        }
        let request =
            family.map { WirelessQuery.interfacesRequest(family: $0, sequence: sequence) }
            ?? WirelessQuery.familyRequest(sequence: sequence)
        var all = WirelessQuery.Answer()
        guard CSternaNetlink_send(sockets.generic, request, request.count) == 0 else { return all }
        var buffer = [UInt8](repeating: 0, count: Self.capacity)
        // A bound for replies that never end.
        for _ in 0..<1_000 {
            var sender: UInt32 = 0
            let count = Int(CSternaNetlink_receive(sockets.generic, &buffer, buffer.count, &sender))
            guard count > 0, count <= buffer.count else { break }
            guard sender == 0 else { continue }
            let part = WirelessQuery.answer(in: Array(buffer[..<count]), sequence: sequence, family: family)
            all.family = part.family ?? all.family
            all.interfaces.formUnion(part.interfaces)
            if part.isLast || family == nil && part.family != nil { break }
        }
        return all
    }
}
#endif
