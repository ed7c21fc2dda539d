import Dispatch
import NIOCore
import SternaCore
import SternaRecorder
import SternaTesting
import Synchronization

@testable import Sterna
@testable import SternaTestSupport

/// A recorder, and sessions that record to it.
struct RecorderScene {
    let recorder: Recorder

    init(_ recorder: Recorder = Recorder()) { self.recorder = recorder }

    init(_ change: (inout Recorder.Limits) -> Void) {
        var limits = Recorder.Limits()
        change(&limits)
        recorder = Recorder(limits: limits)
    }

    /// A session with an engine of its own.
    func session(_ base: String, _ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
        try Session(baseURL: base) {
            $0.network.engine = Engine()
            $0.retry = .none
            $0.responseSerializer = .data
            $0.events.record(with: recorder)
            configure(&$0)
        }
    }

    /// A session on a mock.
    func mocked(
        _ configure: (inout SessionSettings) -> Void = { _ in },
        _ answer: @escaping @Sendable (Request) async throws -> ServerResponse
    ) throws -> Session {
        try session("https://api.example.com") {
            $0.network.transport = MockTransport(answer)
            configure(&$0)
        }
    }

    /// A line for each entry: method, path, status, and why it was sent.
    var rows: [String] {
        get async { await recorder.har().entries.map(\.row) }
    }
}

extension HARDocument.Entry {
    var row: String {
        var words = [request.method, (try? HTTPURL(request.url))?.path ?? request.url, "\(response.status)"]
        if let reason = json["_reason"].string { words.append(reason) }
        if let cache = json["_fromCache"].string { words.append("from \(cache)") }
        if let failure = failure ?? json["_callError"].string { words.append(String(failure.prefix { $0 != ":" })) }
        return words.joined(separator: " ")
    }
}

/// An observer that holds the delivery of events at the first one until it is released.
final class EventBarrier: Sendable {
    private let release = DispatchSemaphore(value: 0)
    private let isFirst = Mutex(true)

    var observer: EventObserver {
        EventObserver { [self] _ in
            let holds = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if holds { release.wait() }
        }
    }

    func open() { release.signal() }
}
