import SternaCore
import SternaTransport
import Synchronization

/// Sets the gauges of an engine from its figures. A gauge of a server without connections is set to zero.
final class PoolReport: Sendable {
    private struct Gauge: Hashable {
        let label: String
        /// Names and values in turns.
        let dimensions: [String]

        init(_ label: String, _ dimensions: [(String, String)]) {
            self.label = label
            self.dimensions = dimensions.flatMap { [$0.0, $0.1] }
        }

        var pairs: [(String, String)] {
            stride(from: 0, to: dimensions.count - 1, by: 2).map { (dimensions[$0], dimensions[$0 + 1]) }
        }
    }

    private let instruments: Instruments
    private let engine: [(String, String)]

    /// The gauges that the last report has set.
    private let last = Mutex<Set<Gauge>>([])

    init(_ instruments: Instruments, engineName: String?) {
        self.instruments = instruments
        engine = engineName.map { [("sterna.engine", $0)] } ?? []
    }

    /// Sets all gauges to zero, since the figures are reported no more.
    func end() { set([:]) }

    func report(_ statistics: EngineStatistics) {
        // Several endpoints may have one server, and all servers beyond the limit have one name: their figures are added.
        var values: [Gauge: Int] = [:]
        for counts in statistics.origins {
            let host = counts.origin.host.trimmingBrackets
            let server = instruments.servers.dimensions(host: host, port: counts.origin.port) + engine
            for (state, count) in [("active", counts.busy), ("idle", counts.idle), ("dialling", counts.dialling)] {
                let dimensions = [("http.connection.state", state)] + server
                values[Gauge("http.client.open_connections", dimensions), default: 0] += count
            }
            values[Gauge("sterna.client.waiting_requests", server), default: 0] += counts.waiting
        }
        values[Gauge("http.client.active_requests", engine)] = statistics.activeRequests
        set(values)
    }

    private func set(_ values: [Gauge: Int]) {
        var values = values
        let former = last.withLock { last in
            defer { last = Set(values.keys) }
            return last
        }
        for gauge in former where values[gauge] == nil { values[gauge] = 0 }
        for (gauge, value) in values { instruments.set(gauge.label, gauge.pairs, value) }
    }
}

extension String {
    /// The text of an IPv6 address without the brackets of URLs.
    fileprivate var trimmingBrackets: String {
        hasPrefix("[") && hasSuffix("]") ? String(dropFirst().dropLast()) : self
    }
}
