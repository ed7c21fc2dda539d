import Logging
import Metrics
import Synchronization

/// Takes each line, and does nothing with it.
struct DiscardedLines: LogHandler {
    var metadataProvider: Logger.MetadataProvider?
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {}
}

/// Metrics in memory, which are added up until they would be exported, so that they take no more memory with time.
final class Sums: MetricsFactory {
    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler { Sum() }
    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler { Sum() }
    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler { Sum() }
    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler { Sum() }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
}

/// One instrument: a number, how often it was given, and for times a histogram.
private final class Sum: CounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    private struct State {
        var sum = 0.0
        var count = 0
        var buckets = [Int](repeating: 0, count: Sum.bounds.count + 1)
    }

    /// The upper bounds of the buckets in seconds that OpenTelemetry's conventions advise.
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

    private let state = Mutex(State())

    private func add(_ value: Double) {
        state.withLock { state in
            state.sum += value
            state.count += 1
        }
    }

    func increment(by amount: Int64) { add(Double(amount)) }
    func increment(by amount: Double) { add(amount) }
    func decrement(by amount: Double) { add(-amount) }
    func reset() { state.withLock { $0 = State() } }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { state.withLock { $0.sum = value } }
    func record(_ value: Int64) { add(Double(value)) }
    func record(_ value: Double) { add(value) }

    func recordNanoseconds(_ duration: Int64) {
        let seconds = Double(duration) / 1e9
        state.withLock { state in
            state.sum += seconds
            state.count += 1
            state.buckets[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
        }
    }
}
