import BenchKit
import InMemoryTracing
import Logging
import Metrics
import Sterna
import SternaMetrics
import SternaRecorder
import SternaTracing
import Tracing

/// What it costs to observe requests: logs, traces and metrics, by backends that do nothing and by backends in memory, and a recorder.
@main
struct Observing {
    enum Watch: String {
        case nothing
        /// A logger whose level is above all lines.
        case logsNoop = "logs-noop"
        /// Each line is made, and thrown away.
        case logs
        case tracesNoop = "traces-noop", traces
        case metricsNoop = "metrics-noop"
        case metrics = "metrics-backend"
        /// In memory, with the limits that it has by itself.
        case recorder
    }

    static func main() async throws {
        let arguments = Arguments()
        guard let watch = Watch(rawValue: arguments.feature ?? "nothing") else { throw Refused() }
        let url = try HTTPURL(arguments.url)
        let tracer = InMemoryTracer(recordInjections: false, recordExtractions: false)
        let full = try session(watch, tracer)
        let with = load(full, url, arguments)
        if arguments.isAlone {
            return await with.run(count: arguments.count, concurrency: arguments.concurrency).printLine()
        }
        let comparison = Comparison(
            load(try session(.nothing, tracer), url, arguments), with,
            settle: {
                await full.flushEvents()
                try? await full.recorder?.flush()
            },
            clean: { tracer.clearAll() })
        try await comparison.run(count: arguments.count, concurrency: arguments.concurrency).printLine()
    }

    private static func session(_ watch: Watch, _ tracer: InMemoryTracer) throws -> Session {
        try Session { settings in
            settings.responseSerializer = .data
            // Those of a whole turn: an event that is dropped would cost nothing.
            settings.events.capacity = 20_000
            switch watch {
            case .nothing: break
            case .logsNoop:
                settings.events.log(to: Logger(label: "benchmark", factory: { _ in SwiftLogNoOpLogHandler() }))
            case .logs:
                var logger = Logger(label: "benchmark", factory: { _ in DiscardedLines() })
                logger.logLevel = .debug
                settings.events.log(to: logger)
            case .tracesNoop: settings.events.trace(by: NoOpTracer())
            case .traces: settings.events.trace(by: tracer)
            case .metricsNoop: settings.events.measure(by: NOOPMetricsHandler.instance)
            case .metrics: settings.events.measure(by: Sums())
            case .recorder: settings.events.record(with: SternaRecorder.Recorder())
            }
        }
    }

    private static func load(_ session: Session, _ url: HTTPURL, _ arguments: Arguments) -> Load {
        let isStreamed = arguments.isStreamed
        let request: Load.Request = { _ in
            guard isStreamed else { return try await session.get(url).body.count }
            return try await session.withResponse(to: .get(url)) { response in
                guard response.status == .ok else { throw Refused() }
                var bytes = 0
                for try await chunk in response.body { bytes += chunk.count }
                return bytes
            }
        }
        return arguments.isOnLoop
            ? Load(place: { caller in await session.onEventLoop { await caller() } }, request: request)
            : Load(request: request)
    }
}
