import Metrics
import SternaCore
import Synchronization

/// The instruments of a session, each made when it is first needed.
final class Instruments: Sendable {
    private enum Instrument {
        case timer(Timer)
        case counter(Counter)
        case gauge(Metrics.Meter)
    }

    private struct Key: Hashable {
        let label: String
        let dimensions: [(String, String)]

        init(_ label: String, _ dimensions: [(String, String)]) { (self.label, self.dimensions) = (label, dimensions) }

        // By hand, since tuples are not Hashable, and each report looks an instrument up.
        static func == (one: Key, other: Key) -> Bool {
            one.label == other.label && one.dimensions.elementsEqual(other.dimensions) { $0 == $1 }
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(label)
            // Their names follow from the label.
            for dimension in dimensions { hasher.combine(dimension.1) }
        }
    }

    private struct State {
        var known: [Key: Instrument] = [:]
        var limitedCount = 0
    }

    /// The most instruments, apart from gauges. Further values are reported without their dimensions, as by OpenTelemetry's SDKs.
    static let most = 2_000
    static let overflow = [("otel.metric.overflow", "true")]

    let servers: ServerLabels
    private let factory: any MetricsFactory
    private let state = Mutex(State())

    init(_ factory: any MetricsFactory, servers: ServerLabels) { (self.factory, self.servers) = (factory, servers) }

    func record(_ label: String, _ dimensions: [(String, String)], _ time: Duration) {
        let instrument = instrument(label, dimensions) { [factory] in
            .timer(Timer(label: label, dimensions: $0, factory: factory))
        }
        guard case .timer(let timer) = instrument else { return }
        timer.recordNanoseconds(time.nanosecondCount)
    }

    func count(_ label: String, _ dimensions: [(String, String)], _ amount: Int64 = 1) {
        guard amount > 0 else { return }
        let instrument = instrument(label, dimensions) { [factory] in
            .counter(Counter(label: label, dimensions: $0, factory: factory))
        }
        if case .counter(let counter) = instrument { counter.increment(by: amount) }
    }

    func set(_ label: String, _ dimensions: [(String, String)], _ value: Int) {
        let instrument = instrument(label, dimensions, isLimited: false) { [factory] in
            .gauge(Metrics.Meter(label: label, dimensions: $0, factory: factory))
        }
        if case .gauge(let gauge) = instrument { gauge.set(value) }
    }

    /// - Parameter isLimited: whether ``most`` applies. Gauges have no more values than ``servers``, and a shared one would be wrong.
    private func instrument(
        _ label: String, _ dimensions: [(String, String)], isLimited: Bool = true,
        _ make: ([(String, String)]) -> Instrument
    ) -> Instrument {
        var (key, dimensions) = (Key(label, dimensions), dimensions)
        let present = state.withLock { state -> Instrument? in
            if let instrument = state.known[key] { return instrument }
            guard isLimited, state.limitedCount >= Self.most else { return nil }
            dimensions = Self.overflow
            key = Key(label, dimensions)
            return state.known[key]
        }
        if let present { return present }
        // Unlocked, since it calls the program's factory. If two threads make one, both report by the first that is kept.
        let made = make(dimensions)
        return state.withLock { [key] state in
            if let instrument = state.known[key] { return instrument }
            if isLimited { state.limitedCount += 1 }
            state.known[key] = made
            return made
        }
    }
}

extension Duration {
    /// The nanoseconds; the largest number that fits for a longer time.
    var nanosecondCount: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isTooLarge || overflows ? .max : sum
    }
}
