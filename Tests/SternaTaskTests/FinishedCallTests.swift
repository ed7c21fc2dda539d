import Dispatch
import NIOCore
import Sterna
import SternaPlatform
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// What a finished call held is freed: the call, its requests with their bodies, and what the program's closures captured.
@Suite("Calls: a finished call is not retained", .timeLimit(.minutes(5)))
struct FinishedCallTests {
    enum Kind: CaseIterable {
        case verb, post, stream, task, postTask, uploadTask, redirectedTask, retriedTask, refusedTask, cancelledTask
        case callback, download, cancelledDownload
    }

    /// Keeps the objects of calls weakly, and counts those that are alive.
    private final class Kept: Sendable {
        private struct Weak: Sendable { weak var object: (any AnyObject & Sendable)? }

        private let all = Mutex<[Weak]>([])

        var count: Int { all.withLock { $0.count } }
        var alive: Int { all.withLock { $0.count { $0.object != nil } } }

        func add(_ object: some AnyObject & Sendable) { all.withLock { $0.append(Weak(object: object)) } }

        /// Returns an object for a closure to capture.
        func captured() -> Captured {
            let object = Captured()
            add(object)
            return object
        }
    }

    private final class Captured: Sendable {
        func use() {}
    }

    @Test("Neither the engine nor the session retains it", arguments: Kind.allCases)
    func finished(kind: Kind) async throws {
        try await TestServer.withServer { server in
            server.route("GET", "/busy") { _ in ServerResponse(status: 503) }
            let kept = Kept()
            let note = Doing { request, next in
                if let call = request.call { kept.add(call) }
                if let recorder = request.recorder { kept.add(recorder) }
                return try await next(request)
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.interceptors = [note]
                $0.networkInterceptors = [note]
                $0.events.observers = [EventObserver { _ in }]
                $0.events.collectsMetrics = true
                $0.retry = .transient
                $0.retry.backoff = .constant(.milliseconds(1))
                $0.retry.budget = nil
            }
            try await Downloading.withFolder { folder in
                for number in 0..<5 { try await make(kind, number, api, folder, kept) }
            }
            #expect(kept.count >= 10)
            #expect(await eventually { kept.alive == 0 }, "\(kept.alive) of \(kept.count) are alive.")
            withExtendedLifetime(api) {}
        }
    }

    private func make(_ kind: Kind, _ number: Int, _ api: Session, _ folder: String, _ kept: Kept) async throws {
        let object = kept.captured()
        let body = Body.bytes(Array(repeating: 0x61, count: 100_000))
        func configure(_ settings: inout RequestSettings) { settings.uploadProgress = { _ in object.use() } }
        switch kind {
        case .verb: try await api.get("1k", configure)
        case .post: try await api.post("anything", body: body, configure)
        case .stream:
            try await api.withResponse(to: .get("1k")) { response in
                object.use()
                for try await _ in response.body {}
            }
        case .task: _ = try await api.dataTask(.get("1k", configure)).value
        case .postTask: _ = try await api.dataTask(.post("anything", body: body, configure)).value
        case .uploadTask:
            _ = try await api.uploadTask(.upload(body, to: "anything", configure)).value
        case .redirectedTask: _ = try await api.dataTask(.get("redirect/2", configure)).value
        case .retriedTask: _ = try? await api.dataTask(.get("busy", configure)).value
        case .refusedTask: _ = try? await api.dataTask(.get("status/404", configure)).value
        case .cancelledTask:
            let task = api.dataTask(.get("delay/60", configure))
            #expect(await eventually { task.requests.count == 1 })
            task.cancel()
            _ = try? await task.value
        case .callback:
            let log = CallbackLog<Int>()
            api.get(
                "1k", as: DataResponseSerializer().map { $0.count }, success: log.onSuccess, failure: log.onFailure,
                configure)
            await log.wait()
        case .download:
            _ = try await api.download("range/100000", to: .file(folder + "/\(number)"), configure).value
        case .cancelledDownload:
            let task = api.download("delay/60", to: .file(folder + "/\(number)"))
            #expect(await eventually { task.requests.count == 1 })
            task.cancel()
            _ = try? await task.value
        }
    }
}
