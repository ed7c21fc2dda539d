import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

/// A session that coalesces, on a mock and a clock that stands still.
struct CoalescingScene {
    let time = TestClock()
    let api: Session
    let mock: MockTransport

    /// - Parameter answer: receives the number of the request, counted from 0.
    init(
        _ configure: (inout SessionSettings) -> Void = { _ in },
        answer: @escaping @Sendable (Request, Int) async throws -> ServerResponse
    ) throws {
        let count = Mutex(0)
        let mock = MockTransport { request in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return try await answer(request, number)
        }
        var options = EngineOptions()
        options.clock = time.clock
        let engine = Engine(options: options)
        api = try Session(baseURL: "https://api.example.com") { settings in
            settings.network.transport = mock
            settings.network.engine = engine
            settings.retry = .none
            settings.responseSerializer = .data
            settings.timeouts.total = .seconds(3_600)
            settings.network.coalescesRequests = true
            configure(&settings)
        }
        self.mock = mock
    }

    /// The number of requests that have reached the transport.
    var sent: Int { mock.requests.count }

    /// Whether no request waits for a transfer, and no timer is left but the one that watches the deadlines.
    var isQuiet: Bool { unrest.isEmpty }

    /// What is left of transfers that have ended; empty for nothing.
    var unrest: String {
        let coalescing = api.plan.builder.coalescing
        let counts = (coalescing.transfers.count, coalescing.deadlines.count, time.timerCount)
        return counts.0 == 0 && counts.1 == 0 && counts.2 <= 1 ? "" : "\(counts)"
    }

    /// Waits until so many requests share transfers whose heads have not arrived, and these have reached the transport.
    ///
    /// A transfer's request is sent by a task of its own, which a busy machine lets start late.
    func waitForReaders(_ count: Int, location: SourceLocation = #_sourceLocation) async {
        let transfers = api.plan.builder.coalescing.transfers
        let isReached = await eventually { transfers.readers == count && sent >= transfers.count }
        #expect(isReached, "\(transfers.readers) readers, \(sent) sent", sourceLocation: location)
    }

    /// Never answers; counts its cancellation.
    static func hang(_ cancelled: Counter) async throws {
        do {
            try await Task.sleep(for: .seconds(3_600))
        } catch {
            cancelled.add(1)
            throw error
        }
    }
}

extension Session {
    /// Waits until so many requests share transfers whose heads have not arrived.
    func waitForReaders(_ count: Int, location: SourceLocation = #_sourceLocation) async {
        let transfers = plan.builder.coalescing.transfers
        let isReached = await eventually { transfers.readers == count }
        #expect(isReached, "\(transfers.readers) readers", sourceLocation: location)
    }
}
