import Dispatch
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Requests from code that belongs to an actor, whose closures use the actor's state: what matters most is that this compiles.
@Suite("Requests from the main actor and from actors")
struct CallerIsolationTests {
    @MainActor
    final class Screen {
        var caption = "A view of the sea"
        var patience = Duration.seconds(100)

        func load(_ api: Session) async throws -> [String] {
            let settings = try await api.get("anything") { $0.timeout = self.patience }.json()
            let upload = try await api.upload(
                "anything",
                multipart: { form in
                    form.append(self.caption, name: "caption")
                }
            ) { $0.timeout = self.patience }.json()
            self.caption = "seen"
            return [settings["method"].string ?? "", upload["form"]["caption"].string ?? ""]
        }
    }

    actor Store {
        var count = 0

        func send(_ api: Session) async throws -> Int {
            try await api.post("anything", parameters: ["count": count]) { _ in self.count += 1 }
            var form = FormBuilder()
            form.add("1", for: "a")
            try await api.submit(form, to: "anything") { _ in self.count += 1 }
            return count
        }
    }

    @Test("Closures that change settings and append parts run where the caller runs")
    func closures() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url)
            try await expectEqual(Screen().load(api), ["GET", "A view of the sea"])
            try await expectEqual(Store().send(api), 2)
        }
    }

    @Test("A trailing closure of an upload changes its settings, with and without progress")
    func trailing() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url)
            let last = Mutex<Int64>(0)
            let taken: Session.UploadProgress = { step in last.withLock { $0 = step.completed } }
            let first = try await api.upload(.text("hello"), to: "anything") { $0.responseSerializer = .text }
            #expect(try await first.text().contains("hello"))
            expectEqual(last.withLock { $0 }, 0)
            try await api.upload(.text("hello"), to: "anything") { $0.uploadProgress = taken }
            expectEqual(last.withLock { $0 }, 5)
            try await api.upload(.text("four"), to: "anything", { $0.priority = .high }, progress: taken)
            expectEqual(last.withLock { $0 }, 4)
        }
    }

    @Test("Callback uploads take bodies and forms")
    func callbacks() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) { $0.callbacks = .queue(DispatchQueue(label: "test")) }
            let text = await withCheckedContinuation { continuation in
                api.upload(
                    .text("hello"), to: "anything",
                    success: { _, value in continuation.resume(returning: value["data"].string) },
                    failure: { _, _ in continuation.resume(returning: nil) })
            }
            expectEqual(text, "hello")
            var form = FormBuilder()
            form.add("Ada", for: "name")
            let name = await withCheckedContinuation { continuation in
                api.submit(
                    form, to: "anything",
                    success: { _, value in continuation.resume(returning: value["form"]["name"].string) },
                    failure: { _, _ in continuation.resume(returning: nil) })
            }
            expectEqual(name, "Ada")
        }
    }
}
