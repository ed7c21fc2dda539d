import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization

/// Sessions on a mock and on a clock that moves only while a request waits.
struct RetryScene {
    let time = TestClock()

    static let closed = SternaError(.connectionClosed, phase: .wait, "The mock closed the connection.")

    /// Makes a session whose requests are answered by a closure, which receives their number, counted from 0.
    func make(
        _ configure: (inout SessionSettings) -> Void = { _ in },
        _ answer: @escaping @Sendable (Request, Int) async throws -> ServerResponse
    ) throws -> (api: Session, mock: MockTransport) {
        let count = Mutex(0)
        let mock = MockTransport { request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return try await answer(request, number)
        }
        return try mocked(by: mock) {
            var options = EngineOptions()
            options.clock = time.clock
            $0.network.engine = Engine(options: options)
            $0.timeouts.total = .seconds(3_600)
            configure(&$0)
        }
    }

    /// Runs work, and moves the clock while it waits.
    func run<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R {
        let isDone = Mutex(false)
        let task = Task {
            defer { isDone.withLock { $0 = true } }
            return try await work()
        }
        while !isDone.withLock({ $0 }) {
            if time.timerCount > 0 { await time.advance(by: .milliseconds(200)) }
            try await Task.sleep(for: .milliseconds(1))
        }
        return try await task.value
    }

    /// A response with Retry-After.
    static func later(_ value: String, status: Int = 503) -> ServerResponse {
        .init(status: status, headers: ["Retry-After": value])
    }
}

/// A body of one piece that then breaks off.
final class BrokenBody: BodyStream {
    private let piece = Mutex<Bytes?>(Bytes(text: "one "))

    func next() async throws -> Bytes? {
        if let first = piece.withLock({ $0.take() }) { return first }
        throw SternaError(.truncated, phase: .read, "The mock broke off.")
    }

    func cancel() {}
    var length: Int64? { nil }
    var trailers: HTTPFields? { nil }

    static var answer: ServerResponse {
        .init(headers: ["Content-Type": "text/plain"], body: .content(ResponseBody(BrokenBody())))
    }
}
