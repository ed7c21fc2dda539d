import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// How a caller catches cancellation.
@Suite("Cancellation as an error", .timeLimit(.minutes(5)))
struct CancellationErrorTests {
    private func failure(
        of work: @escaping @Sendable (Session) async throws -> Void
    ) async throws -> (any Error)? {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url)
            let task = Task { try await work(api) }
            if server.requests().isEmpty { try await server.waitForRequests(1, within: 60) }
            task.cancel()
            do {
                try await task.value
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("A verb throws SternaError of kind cancelled", arguments: ["/fault/never", "/fault/stall"])
    func verbs(path: String) async throws {
        let error = try await failure { try await $0.get(path) }
        expectEqual((error as? SternaError)?.kind, .cancelled, "\(error.map { "\($0)" } ?? "none")")
    }

    @Test("A body that is read in withResponse throws it, too")
    func bodies() async throws {
        let error = try await failure { api in
            try await api.withResponse(to: .get("/fault/stall")) { for try await _ in $0.body {} }
        }
        expectEqual((error as? SternaError)?.kind, .cancelled, "\(error.map { "\($0)" } ?? "none")")
    }

    @Test("Errors of the closure of withResponse pass unchanged")
    func closures() async throws {
        let (begun, began) = AsyncStream.makeStream(of: Void.self)
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url)
            let task = Task {
                try await api.withResponse(to: .get("/get")) { _ in
                    began.yield()
                    try await Task.sleep(for: .seconds(3_600))
                }
            }
            for await _ in begun { break }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test("A task that was cancelled before sends nothing")
    func before() async throws {
        let (api, mock) = try mocked(by: MockTransport { _ in try await Task.never() })
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await api.get("a")
        }
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .cancelled)
        withExtendedLifetime(mock) {}
    }
}

extension Task where Success == Never, Failure == Never {
    /// Waits until the task is cancelled.
    fileprivate static func never() async throws -> ServerResponse {
        try await Task.sleep(for: .seconds(3_600))
        throw SternaError.cancelled(phase: .wait)
    }
}
