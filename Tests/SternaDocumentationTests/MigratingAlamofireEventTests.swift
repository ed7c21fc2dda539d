import Dispatch
import Foundation
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/Alamofire.md about EventMonitor, and about notifications.
@Suite("Coming from Alamofire: events", .timeLimit(.minutes(5)))
struct MigratingAlamofireEventTests {
    /// Counts the calls of each method of EventMonitor's counterpart.
    private final class TaskLog: TaskObserver {
        private let calls = Mutex<[String: Int]>([:])

        private func note(_ name: String = #function) {
            let name = String(name.prefix { $0 != "(" })
            calls.withLock { $0[name, default: 0] += 1 }
        }

        func count(_ name: String) -> Int { calls.withLock { $0[name] ?? 0 } }

        func sessionInvalidated(_ session: Session) { note() }
        func requestCreated(_ task: SessionTask, _ request: Request) { note() }
        func requestAdapted(_ task: SessionTask, _ received: Request, _ adapted: Request) { note() }
        func adaptationFailed(_ task: SessionTask, _ request: Request, _ error: SternaError) { note() }
        func taskCreated(_ task: SessionTask) { note() }
        func taskResumed(_ task: SessionTask) { note() }
        func taskSuspended(_ task: SessionTask) { note() }
        func taskCancelled(_ task: SessionTask) { note() }
        func retryScheduled(_ task: SessionTask, _ request: Request, _ retry: ScheduledRetry) { note() }
        func taskRetried(_ task: SessionTask, _ request: Request, _ attempts: Int) { note() }
        func metricsCollected(_ task: SessionTask, _ metrics: RequestMetrics) { note() }
        func taskCompleted(_ task: SessionTask, _ error: SternaError?) { note() }
        func redirectDecided(_ task: SessionTask, _ response: Response, _ decision: RedirectDecision) { note() }
        func newBodyNeeded(_ task: SessionTask, _ request: Request, _ body: Body?) { note() }
        func challengeReceived(
            _ task: SessionTask, _ challenge: CredentialChallenge, _ disposition: ChallengeDisposition
        ) { note() }
        func bodyDataSent(_ task: SessionTask, _ progress: TransferProgress) { note() }
        func responseReceived(_ task: SessionTask, _ response: Response, _ disposition: ResponseDisposition) { note() }
        func responseValidated(_ task: SessionTask, _ response: Response, _ error: SternaError?) { note() }
        func valueParsed(_ task: SessionTask, _ result: Result<any Sendable, SternaError>) { note() }
        func dataReceived(_ task: SessionTask, _ piece: Bytes) { note() }
        func bytesWritten(_ task: DownloadTask, _ progress: TransferProgress) { note() }
        func downloadResumed(_ task: DownloadTask, _ offset: Int64, _ length: Int64?) { note() }
        func destinationChosen(_ task: DownloadTask, _ path: String) { note() }
        func downloadFinished(_ task: DownloadTask, _ path: String) { note() }
        func downloadNotMoved(_ task: DownloadTask, _ path: String, _ error: SternaError) { note() }
    }

    @Test("Monitors are observers")
    func observers() async throws {
        let log = TaskLog()
        let queue = DispatchQueue(label: "observers")
        let ends = CallbackLog<JSON>()
        let (use, report) = (ends.onSuccess, ends.onFailure)
        let answers: [MockTransport.Answer] = [.json([:], status: 503), .redirect(to: "/new"), .json(["name": "Ada"])]
        let (api, _) = try mocked(by: MockTransport(answers: answers)) {
            $0.taskObservers = [log]
            $0.callbacks = .queue(queue)
            $0.collectsMetrics = true
            $0.retry = .transient
            $0.retry.backoff = .constant(.milliseconds(1))
        }
        api.get("users", success: use, failure: report)
        #expect(await eventually { log.count("taskCompleted") == 1 })
        for name in [
            "requestCreated", "taskCreated", "taskResumed", "retryScheduled", "redirectDecided", "responseReceived",
            "responseValidated", "valueParsed", "metricsCollected",
        ] {
            #expect(log.count(name) == 1, "\(name)")
        }
        #expect(log.count("taskSuspended") == 0)
        api.finishTasksAndInvalidate()
        #expect(await eventually { log.count("sessionInvalidated") == 1 })
    }

    @Test("Closures are hooks")
    func hooks() async throws {
        let completed = Counter()
        var hooks = SessionHooks()
        hooks.taskResumed = { task in print(task.id) }
        hooks.taskCompleted = { task, error in completed.add(1) }
        let (api, _) = try mocked { [hooks] in
            $0.hooks = hooks
            $0.callbacks = .queue(DispatchQueue(label: "hooks"))
        }
        _ = try await api.dataTask(.get("users")).value
        #expect(await eventually { completed.value == 1 })
    }

    #if Foundation
    @Test("Notifications")
    func notifications() async throws {
        let center = NotificationCenter()
        let tasks = Counter()
        let names = [
            SternaNotification.taskDidResume, SternaNotification.taskDidSuspend, SternaNotification.taskDidComplete,
        ]
        let observers = names.map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { note in
                guard let task = note.object as? SessionTask else { return }
                let isCancelled = note[SternaNotification.error]?.kind == .cancelled
                if task.id > 0, !isCancelled { tasks.add(1) }
            }
        }
        defer { for observer in observers { center.removeObserver(observer) } }
        let (api, _) = try mocked {
            $0.notificationCenter = center
            $0.callbacks = .queue(DispatchQueue(label: "notifications"))
        }
        _ = try await api.dataTask(.get("users")).value
        #expect(await eventually { tasks.value == 2 })
        let posting = api.with { $0.notificationCenter = .default }
        #expect(posting.tasks.isEmpty)
    }
    #endif
}
