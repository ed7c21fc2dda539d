import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Synchronization

@testable import SternaTestSupport
@testable import SternaTransfers

/// A server, a session of its own, and a folder for the queues of a test.
struct QueueScene {
    let server: TestServer
    let session: Session
    let folder = TransferTestFolder()

    static func with(_ work: (QueueScene) async throws -> Void) async throws {
        try await TestServer.withServer { server async throws in
            let engine = Engine()
            let session = try Session(baseURL: server.url) { $0.network.engine = engine }
            try await work(QueueScene(server: server, session: session))
        }
    }

    func queue(_ configure: (inout TransferQueueOptions) -> Void = { _ in }) -> TransferQueue {
        TransferQueue(with: session, configure)
    }

    /// Waits for a condition, which the test's time limit bounds.
    func until(_ isMet: () -> Bool) async throws {
        while !isMet() { try await Task.sleep(for: .milliseconds(2)) }
    }
}

/// Names in the order in which they were added; as an observer, those of a queue's events.
final class QueueNames: Sendable {
    private let state = Mutex<[String]>([])

    func add(_ name: String) { state.withLock { $0.append(name) } }

    var names: [String] { state.withLock { $0 } }

    var observer: EventObserver {
        EventObserver(.transfers) { [self] event in
            switch event.kind {
            case .transferStarted: add("started")
            case .transferHeadersReceived(let response): add("headers \(response.status.code)")
            case .transferRedirected(let response, let following):
                add("redirect \(response.status.code) \(following.url.path)")
            case .transferFinished: add("finished")
            case .transferFailed(let error): add("failed \(error.status)")
            case .queueFinished(let finished, let failed): add("queue \(finished) \(failed)")
            default: break
            }
        }
    }
}

/// The events of a queue, read as a sequence.
final class QueueLog: Sendable {
    private let names = QueueNames()
    private let task: Task<Void, Never>

    init(_ queue: TransferQueue) {
        let events = queue.events
        task = Task { [names] in
            for await event in events { names.add(Self.name(event)) }
        }
    }

    deinit { task.cancel() }

    var events: [String] { names.names }

    func wait(_ isMet: ([String]) -> Bool) async {
        while !isMet(events) { try? await Task.sleep(for: .milliseconds(2)) }
    }

    private static func name(_ event: SternaEvent) -> String {
        switch event.kind {
        case .transferStarted: "started"
        case .transferHeadersReceived: "headersReceived"
        case .transferRedirected: "redirectFollowed"
        case .transferRetryScheduled: "retryScheduled"
        case .transferFinished: "finished"
        case .transferFailed: "failed"
        default: event.kind.name
        }
    }
}

extension QueuedTransfer {
    /// The error with which it has failed.
    var error: SternaError? {
        if case .failed(let error) = state { error } else { nil }
    }
}
