import Dispatch
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// One call from the verb to its end.
@Suite("Calls: one for all that it takes")
struct CallIdentityTests {
    private final class Catcher: Interceptor, Sendable {
        private let caught = Mutex<[UInt64]>([])
        var ids: [UInt64] { caught.withLock { $0 } }

        func intercept(_ request: Request, next: Chain) async throws -> Response {
            let id = request.call?.id ?? 0
            caught.withLock { $0.append(id) }
            return try await next(request)
        }
    }

    @Test("Interceptors, the events and the metrics see one number, over redirects")
    func oneNumber() async throws {
        try await TestServer.withServer { server in
            let (outer, inner, log) = (Catcher(), Catcher(), EventLog(.network))
            let api = try Session(baseURL: server.url) {
                $0.interceptors = [outer]
                $0.networkInterceptors = [inner]
                $0.events.observers = [log.observer]
                $0.responseSerializer = .data
            }
            let reply = try await api.get("redirect/2")
            let id = try #require(outer.ids.first)
            #expect(id > 0)
            expectEqual(outer.ids.count, 1, "once for a call")
            expectEqual(inner.ids, [id, id, id], "once for each hop")
            await api.flushEvents()
            expectEqual(Set(log.events.map(\.call?.id)), [id])
            expectEqual(reply.response.metrics?.id, id)
        }
    }

    @Test("Each call has a number of its own, also without metrics")
    func numbers() async throws {
        let catcher = Catcher()
        let (api, mock) = try mocked { $0.interceptors = [catcher] }
        try await withThrowingTaskGroup { group in
            for number in 0..<20 { group.addTask { try await api.get("\(number)") } }
            try await group.waitForAll()
        }
        expectEqual(Set(catcher.ids).count, 20)
        expectEqual(Set(mock.requests.compactMap { $0.call?.id }), Set(catcher.ids))
    }

    @Test("Callbacks and streamed responses have one, too")
    func others() async throws {
        let catcher = Catcher()
        let (api, _) = try mocked {
            $0.interceptors = [catcher]
            $0.callbacks = .queue(.global())
        }
        try await api.withResponse(to: .get("a")) { _ in }
        await withCheckedContinuation { continuation in
            api.get("b", success: { _, _ in continuation.resume() }, failure: { _, _ in continuation.resume() })
        }
        expectEqual(Set(catcher.ids).count, 2)
        #expect(!catcher.ids.contains(0))
    }

    @Test("Attempts are counted over redirects")
    func attempts() async throws {
        try await TestServer.withServer { server in
            let counts = Mutex<[Int]>([])
            let api = try Session(baseURL: server.url) {
                $0.interceptors = [
                    Doing { request, next in
                        let response = try await next(request)
                        counts.withLock { $0.append(request.call?.attempts ?? 0) }
                        return response
                    }
                ]
                $0.responseSerializer = .data
            }
            try await api.get("redirect/2")
            try await api.get("get")
            expectEqual(counts.withLock { $0 }, [3, 1])
        }
    }
}
