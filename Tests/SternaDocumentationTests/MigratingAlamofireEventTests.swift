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
    @Test("Monitors are observers")
    func observers() async throws {
        let log = EventLog()
        let queue = DispatchQueue(label: "observers")
        let ends = CallbackLog<JSON>()
        let (use, report) = (ends.onSuccess, ends.onFailure)
        let answers: [ServerResponse] = [.json([:], status: 503), .redirect(to: "/new"), .json(["name": "Ada"])]
        let (api, _) = try mocked(by: MockTransport(responses: answers)) {
            $0.events.observers = [log.observer, Self.printing]
            $0.callbacks = .queue(queue)
            $0.retry = .transient
            $0.retry.backoff = .constant(.milliseconds(1))
        }
        api.get("users", success: use, failure: report)
        #expect(await eventually { log.events.last?.kind.name == "taskCompleted" })
        let names = log.events.map(\.kind.name)
        for name in [
            "taskCreated", "taskResumed", "retryScheduled", "redirectDecided", "responseReceived",
            "responseValidated", "valueParsed", "requestEnded", "taskCompleted",
        ] {
            #expect(names.count { $0 == name } == 1, "\(name)")
        }
        #expect(!names.contains("taskSuspended"))
        api.finishTasksAndInvalidate()
        #expect(await eventually { log.events.last?.kind.name == "sessionInvalidated" })
    }

    @Test("Any number of observers")
    func several() throws {
        let log = EventObserver(.tasks) { event in print(event) }
        let (api, _) = try mocked { $0.events.observers = [log] }
        #expect(api.tasks.isEmpty)
    }

    private static let printing = EventObserver { event in
        switch event.kind {
        case .sessionInvalidated: print("invalid")
        case .challengeReceived(let challenge): print(challenge.scheme)
        case .bodyDataSent(let progress): print(progress.completed)
        case .newBodyNeeded(let request, let isProvided): print(request.url, isProvided)
        case .redirectDecided(let response, let decision): print(response.url, decision)
        case .requestEnded(let metrics): print(metrics.duration)
        case .taskCompleted(let error): print(error?.message ?? "done")
        case .responseReceived(let response): print(response.status)
        case .dataReceived(let bytes): print(bytes)
        case .downloadResumed(let offset, _): print(offset)
        case .bytesWritten(let progress): print(progress.completed)
        case .downloadFinished(let path): print(path)
        case .downloadNotMoved(let path, let error): print(path, error.message)
        case .destinationChosen(let path): print(path)
        case .taskCreated(let request): print(request?.url.path ?? "")
        case .requestAdapted(let received, let adapted): print(received.url, adapted.url)
        case .adaptationFailed(_, let error): print(error.message)
        case .retryScheduled(let retry): print(retry.reason)
        case .attemptBegan(let reason, let request): print(reason, request.url)
        case .taskResumed: print(event.task?.id ?? 0)
        case .taskSuspended: print("suspended")
        case .taskCancelled: print("cancelled")
        case .responseValidated(_, let error): print(error?.message ?? "valid")
        case .valueParsed(let result): print(result)
        default: break
        }
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
            $0.events.notificationCenter = center
            $0.callbacks = .queue(DispatchQueue(label: "notifications"))
        }
        _ = try await api.dataTask(.get("users")).value
        #expect(await eventually { tasks.value == 2 })
        let posting = api.with { $0.events.notificationCenter = .default }
        #expect(posting.tasks.isEmpty)
    }
    #endif
}
