import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Application interceptors see the result of a call that collects its body, not only the head of its response.
@Suite("Application interceptors and bodies")
struct BodyReadingInterceptorTests {
    /// A body of some pieces, whose last one may be an error.
    private final class Pieces: BodyStream {
        private let pieces: Mutex<[Bytes]>
        private let error: SternaError?
        let isCancelled = Mutex(false)

        init(_ pieces: [String], then error: SternaError? = nil) {
            self.pieces = Mutex(pieces.map { Bytes(text: $0) })
            self.error = error
        }

        func next() async throws -> Bytes? {
            if let piece = pieces.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return piece }
            if let error { throw error }
            return nil
        }

        func cancel() { isCancelled.withLock { $0 = true } }
        var length: Int64? { nil }
        var trailers: HTTPFields? { nil }
    }

    private static let cut = SternaError(.connectionClosed, phase: .read, "Cut short.")

    private func answer(_ stream: Pieces, status: Int = 200, headers: ServerHeaders = [:]) -> ServerResponse {
        var headers = headers
        headers[.contentType] = "text/plain"
        return .init(status: status, headers: headers, body: ResponseBody(stream))
    }

    private func watching(
        _ answers: [ServerResponse], seen: @escaping @Sendable (Result<Response, any Error>) -> Void,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        let (api, _) = try mocked(by: MockTransport(responses: answers)) {
            $0.responseSerializer = TextResponseSerializer()
            $0.retry = .none
            $0.interceptors = [
                Doing { request, next in
                    do {
                        let response = try await next(request)
                        seen(.success(response))
                        return response
                    } catch {
                        seen(.failure(error))
                        throw error
                    }
                }
            ]
            configure(&$0)
        }
        return api
    }

    @Test("Interceptors see the whole body of a collecting call")
    func whole() async throws {
        let bodies = Mutex<[Bytes?]>([])
        let api = try watching([answer(Pieces(["one ", "two"]))]) { result in
            bodies.withLock { $0.append(try? result.get().body.whole) }
        }
        try await expectEqual(api.get("a").text(), "one two")
        expectEqual(bodies.withLock { $0 }, [Bytes(text: "one two")])
    }

    @Test("Interceptors see the error of a body that was cut short, with the response")
    func cutShort() async throws {
        let errors = Mutex<[SternaError]>([])
        let stream = Pieces(["one "], then: Self.cut)
        let api = try watching([answer(stream)]) { result in
            if case .failure(let error as SternaError) = result { errors.withLock { $0.append(error) } }
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .connectionClosed)
        let seen = errors.withLock { $0 }
        expectEqual(seen.map(\.kind), [.connectionClosed])
        expectEqual(seen.first?.response?.status, .ok)
        expectEqual(seen.first?.requestSent, true)
        #expect(stream.isCancelled.withLock { $0 })
    }

    @Test("Interceptors see the error of a body longer than collectedBytes", arguments: [true, false])
    func limit(isWhole: Bool) async throws {
        let kinds = Mutex<[SternaError.Kind]>([])
        let long = isWhole ? ServerResponse.text("one two") : answer(Pieces(["one ", "two"]))
        let api = try watching([long]) { result in
            if case .failure(let error as SternaError) = result { kinds.withLock { $0.append(error.kind) } }
        } _: {
            $0.limits.collectedBytes = 5
        }
        let error = await #expect(throws: SternaError.self) { try await api.get("a") }
        expectEqual(error?.kind, .limitExceeded)
        expectEqual(kinds.withLock { $0 }, [.limitExceeded])
    }

    @Test("withResponse gives them the body as it arrives")
    func streamed() async throws {
        let isWhole = Mutex<[Bool]>([])
        let api = try watching([answer(Pieces(["one ", "two"]))]) { result in
            isWhole.withLock { $0.append((try? result.get().body.whole) != nil) }
        }
        let text = try await api.withResponse(to: .get("a")) { response in
            var text = ""
            for try await piece in response.body { text += String(buffer: piece) }
            return text
        }
        expectEqual(text, "one two")
        expectEqual(isWhole.withLock { $0 }, [false])
    }

    @Test("The body of a followed redirect is not read; the body of the final response is")
    func redirect() async throws {
        let endless = Pieces(["moved"], then: Self.cut)
        let api = try watching([
            answer(endless, status: 302, headers: ["Location": "/b"]), answer(Pieces(["one"])),
        ]) { _ in }
        try await expectEqual(api.get("a").text(), "one")
        #expect(endless.isCancelled.withLock { $0 })
    }

    @Test("Progress is reported once for each piece", arguments: [true, false])
    func progress(hasInterceptor: Bool) async throws {
        let told = Mutex<[Int64]>([])
        let api = try watching([answer(Pieces(["one ", "two"])), .text("three")]) { _ in
        } _: {
            if !hasInterceptor { $0.interceptors = [] }
        }
        for _ in 0..<2 {
            try await api.get("a") { $0.downloadProgress = { step in told.withLock { $0.append(step.completed) } } }
        }
        expectEqual(told.withLock { $0 }, [4, 7, 5])
    }

    @Test("Metrics count a body once")
    func metrics() async throws {
        try await TestServer.withServer { server in
            let api = try Session(baseURL: server.url) {
                $0.events.collectsMetrics = true
                $0.interceptors = [Doing { request, next in try await next(request) }]
            }
            let reply = try await api.get("bytes/1000000")
            let metrics = try #require(reply.response.metrics)
            expectEqual(metrics.attempts.map(\.decodedBytes), [1_000_000])
        }
    }
}
