import Dispatch
import Foundation
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// The rows of docs/Migrating/AFNetworking.md about blocks and notifications.
@Suite("Coming from AFNetworking: blocks", .timeLimit(.minutes(5)))
struct MigratingHookTests {
    @Test("Blocks are decisions and events")
    func blocks() async throws {
        var decisions = TaskDecisions()
        decisions.redirect = { task, response, request in .follow(request) }
        decisions.responseReceived = { task, response in .allow }
        decisions.dataReceived = { task, bytes in print(bytes.count) }
        decisions.needNewBody = { task, request in .text("again") }
        decisions.challengeReceived = { task, challenge in .use(Credential(user: "ada", password: "secret")) }
        let observer = EventObserver { event in
            switch event.kind {
            case .sessionInvalidated: print("invalid")
            case .bodyDataSent(let progress): print(progress.completed)
            case .taskCompleted: print(event.task?.id ?? 0)
            case .requestEnded(let metrics): print(metrics)
            case .bytesWritten(let progress): print(progress.completed)
            case .downloadResumed(let offset, _): print(offset)
            case .becameDownload(let id): print(id)
            default: break
            }
        }

        var policy = SecurityPolicy.system
        policy.challengeHandler = ChallengeHandler { challenge in .useDefault }

        try await TestServer.withServer { [decisions, policy] server in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.tasks.decisions = decisions
                $0.events.observers = [observer]
                $0.trust.policy = policy
                $0.events.collectsMetrics = true
                $0.callbacks = .queue(DispatchQueue(label: "decisions"))
            }
            let task = api.dataTask(.get("redirect/1"))
            #expect(try await task.value.response.redirects.count == 1)
            #expect(task.metrics != nil)
            try await Downloading.withFolder { folder in
                let download = api.download("range/10", to: .file("\(folder)/x"))
                #expect(try await download.value.path == "\(folder)/x")

                let refused = api.download("range/10", to: .file("\(folder)/x"))
                let error = try #require(await #expect(throws: SternaError.self) { try await refused.value })
                #expect(error.kind == .destinationUnusable)
                #expect(error.underlying is DestinationFault)
            }
        }
    }

    #if Foundation
    @Test("Notifications")
    func notifications() async throws {
        let journal = Journal()
        let center = NotificationCenter()
        let names = [
            SternaNotification.taskDidResume, SternaNotification.taskDidSuspend, SternaNotification.taskDidComplete,
            SternaNotification.sessionDidInvalidate, SternaNotification.downloadDidMoveFile,
            SternaNotification.downloadDidFailToMoveFile,
        ]
        let observers = names.map { name in
            center.addObserver(forName: name, object: nil, queue: nil) { note in
                if note.name == SternaNotification.taskDidComplete {
                    let hasValue = note[SternaNotification.serializedValue] != nil
                    let size = note[SternaNotification.responseData]?.count ?? 0
                    #expect(note[SternaNotification.serializer] != nil)
                    #expect(note[SternaNotification.fileURL] == nil)
                    #expect(note[SternaNotification.error] == nil)
                    #expect(note[SternaNotification.metrics] != nil)
                    journal.add("complete, a value: \(hasValue), bytes: \(size)")
                } else {
                    journal.add(note.name.rawValue)
                }
            }
        }
        defer { for observer in observers { center.removeObserver(observer) } }
        let (api, _) = try mocked(by: MockTransport { _ in .json([1]) }) {
            $0.events.notificationCenter = center
            $0.events.collectsMetrics = true
            $0.callbacks = .queue(DispatchQueue(label: "notifications"))
        }
        api.get("users", success: { _, _ in }, failure: { _, error in Issue.record(error) })
        await journal.wait(for: "complete, a value: true, bytes: 3")
        api.finishTasksAndInvalidate()
        await journal.wait(for: SternaNotification.sessionDidInvalidate.rawValue)
        #expect(
            journal.entries == [
                SternaNotification.taskDidResume.rawValue, "complete, a value: true, bytes: 3",
                SternaNotification.sessionDidInvalidate.rawValue,
            ])

        let (other, _) = try mocked { $0.events.notificationCenter = .default }
        #expect(other.tasks.isEmpty)
    }
    #endif

    @Test("A completion group")
    func group() async throws {
        let group = DispatchGroup()
        let ends = CallbackLog<JSON>()
        let (api, _) = try mocked {
            $0.tasks.completionGroup = group
            $0.callbacks = .queue(DispatchQueue(label: "callbacks"))
        }
        for _ in 0..<3 { api.get("users", success: ends.onSuccess, failure: ends.onFailure) }
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
        #expect(ends.ends == 3)
    }
}
