import HTTPTypes
import NIOCore
import SternaCore
import SternaTesting
import Synchronization

@testable import Sterna

/// A session on a mock, with a cache whose clock the test sets.
final class CacheScene: Sendable {
    let mock: MockTransport
    let cache: ResponseCache
    let api: Session
    private let time: Moment

    /// The time of a cache, in milliseconds since 1970.
    final class Moment: Sendable {
        let value = Mutex<Int64>(1_800_000_000_000)
    }

    init(
        folder: String? = nil, bytes: Int64 = 32 << 20, isShared: Bool = false,
        _ configure: (inout SessionSettings) -> Void = { _ in },
        answer: @escaping @Sendable (Request) async throws -> ServerResponse
    ) throws {
        let time = Moment()
        let clock = { @Sendable in time.value.withLock { $0 } }
        let storage: any CacheStorage
        if let folder {
            var limits = CacheLimits(bytes: bytes)
            // A busy machine's disk is slow, which is not the subject.
            limits.patience = .seconds(60)
            let disk = DiskCache(folder: folder, limits: limits, now: clock)
            storage = LayeredCache(MemoryCache(limits: CacheLimits(bytes: 4 << 20), now: clock), over: disk)
        } else {
            storage = MemoryCache(limits: CacheLimits(bytes: bytes), now: clock)
        }
        let cache = ResponseCache(storage, path: folder, isShared: isShared, clock: clock)
        let mock = MockTransport(answer)
        api = try Session(baseURL: "https://api.example.com") { settings in
            settings.network.transport = mock
            settings.cache.store = cache
            settings.retry = .none
            configure(&settings)
        }
        (self.mock, self.cache, self.time) = (mock, cache, time)
    }

    func advance(_ seconds: Int64) { time.value.withLock { $0 += seconds * 1_000 } }

    /// The number of requests that have reached the transport.
    var sent: Int { mock.requests.count }
}

extension ServerResponse {
    /// A text with header fields.
    static func cached(
        _ text: String, _ control: String, _ more: ServerHeaders = [:], status: Int = 200
    ) -> ServerResponse {
        var fields = more
        fields[.contentType] = "text/plain"
        if !control.isEmpty { fields[.cacheControl] = control }
        return .init(status: status, headers: fields, body: ResponseBody(Bytes(text: text)))
    }
}

/// Counts up.
final class Numbers: Sendable {
    private let last = Mutex(0)

    var next: Int {
        last.withLock { last in
            last += 1
            return last
        }
    }
}
