import NIOCore
import Sterna
import SternaCore
import SternaTransport
import Synchronization

/// Reports a session's metrics: those of requests when their calls end, and those of connections at intervals.
///
/// What goes up and down is set from the engine's own figures, never counted by events, since events can be dropped.
final class Meter: SessionMeter {
    private let instruments: Instruments
    private let interval: Duration
    private let engineName: String?

    private struct Poll: Sendable {
        weak var poller: EnginePoller?
    }

    private let poll = Mutex(Poll())

    init(_ instruments: Instruments, every interval: Duration, engineName: String?) {
        (self.instruments, self.interval, self.engineName) = (instruments, interval, engineName)
    }

    var observer: EventObserver {
        EventObserver(.network) { [instruments] event in
            switch event.kind {
            case .requestEnded(let metrics): CallReport.report(metrics, to: instruments)
            case .dropped(let count): instruments.count("sterna.client.dropped_events", [], Int64(count))
            default: break
            }
        }
    }

    /// Sessions that were derived from one another share the poller of their engine.
    func begin(on engine: Engine) -> any AnyObject & Sendable {
        let (poller, isNew) = poll.withLock { poll in
            if let present = poll.poller, present.isOf(engine) { return (present, false) }
            let poller = EnginePoller(engine, PoolReport(instruments, engineName: engineName), every: interval)
            poll.poller = poller
            return (poller, true)
        }
        if isNew { poller.start() }
        return poller
    }
}

/// Reports an engine's figures at intervals, as long as this object and the engine exist.
final class EnginePoller: Sendable {
    private weak let engine: Engine?
    private let time: LoopClock
    private let report: PoolReport
    private let interval: Duration
    private let timer = Mutex<ClockTimer?>(nil)

    init(_ engine: Engine, _ report: PoolReport, every interval: Duration) {
        (self.engine, self.report, self.interval) = (engine, report, interval)
        time = engine.loopClock
    }

    deinit {
        timer.withLock { $0.take() }?.cancel()
        report.end()
    }

    func isOf(_ other: Engine) -> Bool { engine === other }

    func start() {
        let next = time.clock.schedule(
            at: time.clock.now + TimeAmount(clamping: interval), on: time.loop, outlastsLoop: true
        ) { [weak self] in
            guard let self else { return }
            Task {
                guard await self.poll() else { return }
                self.start()
            }
        }
        timer.withLock { $0 = next }
    }

    /// Reports the figures now; returns false if the engine was released.
    func poll() async -> Bool {
        guard let engine else {
            report.end()
            return false
        }
        report.report(await engine.statistics())
        return true
    }
}

/// Reports the metrics of a call that has ended.
enum CallReport {
    static func report(_ metrics: RequestMetrics, to instruments: Instruments) {
        for (index, attempt) in metrics.attempts.enumerated() {
            let server = instruments.servers.dimensions(host: attempt.server.host, port: attempt.server.port)
            let request = [("http.request.method", KnownMethods.label(attempt.method))] + server
            instruments.record("http.client.request.duration", request + outcome(of: attempt), attempt.whole.duration)
            if let queue = attempt.queue {
                instruments.record("http.client.request.time_in_queue", request, queue.duration)
            }
            instruments.count("sterna.client.sent_bytes", server, attempt.bytesSent)
            instruments.count("sterna.client.received_bytes", server, attempt.bytesReceived)
            if index > 0 {
                instruments.count("sterna.client.resends", server + [("reason", attempt.reason.rawValue)])
            }
        }
        if let result = metrics.cacheResult {
            instruments.count("sterna.client.cache_lookups", [("result", result.rawValue)])
        }
    }

    /// The dimensions of an attempt's response, or of its failure.
    private static func outcome(of attempt: AttemptMetrics) -> [(String, String)] {
        var dimensions: [(String, String)] = []
        if let status = attempt.status { dimensions.append(("http.response.status_code", "\(status)")) }
        if let failure = attempt.failure {
            dimensions.append(("error.type", failure.rawValue))
        } else if let status = attempt.status, status >= 400 {
            dimensions.append(("error.type", "\(status)"))
        }
        if let version = attempt.version { dimensions.append(("network.protocol.version", version.number)) }
        return dimensions
    }
}
