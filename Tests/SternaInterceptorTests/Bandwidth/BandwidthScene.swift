import HTTPTypes
import NIOCore
import NIOPosix
import SternaCore
import SternaTesting
import Synchronization

/// A limit on a test's clock, and readers of bodies whose progress can be counted.
struct BandwidthScene {
    let time = TestClock()

    var clock: LoopClock { LoopClock(time.clock, on: MultiThreadedEventLoopGroup.singleton.any()) }

    /// Wraps a complete body of a number of bytes.
    func body(_ count: Int, by limits: [BandwidthLimit], call: Call? = nil) throws -> ResponseBody {
        var request = Request(.get, try HTTPURL("http://a.test/"))
        if let call { request.join(call) }
        return LimitedBody.wrap(ResponseBody(Bytes(repeating: 0x61, count: count)), of: request, by: limits, clock)
    }

    /// Waits until exactly this many bodies wait for permission.
    static func wait(for count: Int, _ queue: BandwidthQueue) async throws {
        while queue.waiterCount != count { try await Task.sleep(for: .microseconds(200)) }
    }

    /// Waits until exactly this many bodies wait for permission, and the timer of their next turn is set, which happens after they are
    /// counted: time that passes before would be granted later than the test expects.
    func wait(for count: Int, _ queue: BandwidthQueue, turnWithin duration: Duration) async throws {
        try await Self.wait(for: count, queue)
        await time.waitForTimer(within: duration)
    }

    /// Reads a body to its end in a task; returns it with the count of bytes that it has had.
    static func reader(_ body: ResponseBody) -> (task: Task<Void, any Error>, count: ByteCount) {
        let count = ByteCount()
        let task = Task {
            for try await chunk in body { count.add(chunk.count) }
        }
        return (task, count)
    }
}

/// A sum that several tasks add to.
final class ByteCount: Sendable {
    private let total = Atomic(0)

    func add(_ count: Int) { total.wrappingAdd(count, ordering: .sequentiallyConsistent) }

    var value: Int { total.load(ordering: .sequentiallyConsistent) }
}
