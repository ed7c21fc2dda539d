#if Foundation
import Dispatch
import Foundation
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

@Suite("Notifications of tasks", .timeLimit(.minutes(5)))
struct TaskNotificationTests {
    /// Posts to a centre of its own, whose notifications it writes down.
    private final class Scene: Sendable {
        let center = NotificationCenter()
        let log = TaskEventLines()
        private let names = [
            SternaNotification.taskDidResume, SternaNotification.taskDidSuspend, SternaNotification.taskDidComplete,
            SternaNotification.sessionDidInvalidate, SternaNotification.downloadDidMoveFile,
            SternaNotification.downloadDidFailToMoveFile,
        ]

        init() {
            for name in names {
                _ = center.addObserver(forName: name, object: nil, queue: nil) { [log] in log.add(Self.line($0)) }
            }
        }

        private static func line(_ note: Notification) -> String {
            var words = [String(note.name.rawValue.split(separator: ".").last ?? "")]
            if let value = note[SternaNotification.serializedValue] { words.append("value \(value)") }
            if let data = note[SternaNotification.responseData] { words.append("data \(data.count)") }
            if let serializer = note[SternaNotification.serializer] { words.append("\(type(of: serializer))") }
            if let error = note[SternaNotification.error] { words.append("\(error.kind)") }
            if let file = note[SternaNotification.fileURL] { words.append("file \(file.lastPathComponent)") }
            if let metrics = note[SternaNotification.metrics] { words.append("metrics \(metrics.attempts.count)") }
            if !(note.object is SessionTask || note.object is Session) { words.append("no object") }
            return words.joined(separator: " ")
        }

        func session(_ server: TestServer, _ configure: (inout SessionSettings) -> Void = { _ in }) throws -> Session {
            try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.events.notificationCenter = center
                $0.callbacks = .queue(DispatchQueue(label: "notifications"))
                configure(&$0)
            }
        }
    }

    @Test("None is posted unless a centre is set")
    func off() throws {
        _ = try Session { expectNil($0.events.notificationCenter) }
    }

    @Test("A task posts its start, suspension and completion, with the values of its response")
    func task() async throws {
        try await TestServer.withServer { server in
            let scene = Scene()
            let api = try scene.session(server) { $0.events.collectsMetrics = true }
            let task = api.get(
                "bytes/10", as: DataResponseSerializer(), success: { _, _ in scene.log.add("success") },
                failure: { _, _ in scene.log.add("failure") })
            #expect(task != nil)
            #expect(await eventually { scene.log.lines.count == 3 })
            expectEqual(Set(scene.log.lines.prefix(2)), ["didResume", "success"])
            let last = try #require(scene.log.lines.last)
            #expect(last.hasPrefix("didComplete value "))
            #expect(last.hasSuffix("data 10 DataResponseSerializer metrics 1"))
        }
    }

    @Test("A task that is suspended and cancelled")
    func cancelled() async throws {
        try await TestServer.withServer { server in
            let scene = Scene()
            let task = try scene.session(server).dataTask(.get("delay/60"))
            task.suspend()
            task.cancel()
            #expect(await eventually { scene.log.lines.count == 3 })
            expectEqual(
                scene.log.lines,
                [
                    "didResume", "didSuspend", "didComplete JSONResponseSerializer cancelled",
                ])
        }
    }

    @Test("An error carries the body of its response")
    func rejected() async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/missing") { _ in ServerResponse(status: 404, body: .bytes([0x6E, 0x6F])) }
            let scene = Scene()
            _ = try? await scene.session(server).dataTask(.get("missing")).value
            #expect(await eventually { scene.log.lines.count == 2 })
            expectEqual(scene.log.lines.last, "didComplete data 2 JSONResponseSerializer unacceptableStatus")
        }
    }

    @Test("A download's file is moved, or cannot be moved; then the session is invalidated")
    func download() async throws {
        try await TestServer.withServer { server in
            try await Downloading.withFolder { folder in
                let scene = Scene()
                let api = try scene.session(server)
                _ = try await api.download("range/10", to: .file("\(folder)/x")).value
                #expect(await scene.log.ends(with: "didComplete file x"))
                expectEqual(scene.log.lines, ["didResume", "didMoveFile file x", "didComplete file x"])
                let task = api.download("range/10", to: .choose { _, _ in "\(folder)/x" })
                await #expect(throws: SternaError.self) { try await task.value }
                #expect(await scene.log.ends(with: "didComplete destinationUnusable"))
                expectEqual(
                    scene.log.lines.suffix(3),
                    [
                        "didResume", "didFailToMoveFile destinationUnusable file x", "didComplete destinationUnusable",
                    ])
                api.invalidateAndCancel()
                #expect(await scene.log.ends(with: "didInvalidate"))
            }
        }
    }

    @Test("They are posted where callbacks run")
    func target() async throws {
        actor Home {
            var count = 0
            func add() { count += 1 }
        }
        try await TestServer.withServer { server in
            let (scene, home) = (Scene(), Home())
            _ = scene.center.addObserver(forName: SternaNotification.taskDidComplete, object: nil, queue: nil) { _ in
                home.assumeIsolated { $0.add() }
            }
            let api = try scene.session(server) { $0.callbacks = .actor(home) }
            _ = try? await api.dataTask(.get("get")).value
            #expect(await eventually { await home.count == 1 })
        }
    }
}
#endif
