import Dispatch
import SternaCore
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

@Suite("Look-ups that are cancelled", .timeLimit(.minutes(5)))
struct ResolverCancellationTests {
    /// A name service that answers when it is told to.
    final class SlowService: Sendable {
        let asked = Mutex<[String]>([])
        let threads = LookupThreads(limit: 1)
        private let arrivals: AsyncStream<String>
        private let arrival: AsyncStream<String>.Continuation
        private let gate = DispatchSemaphore(value: 0)

        init() { (arrivals, arrival) = AsyncStream.makeStream() }

        var resolver: SystemResolver {
            SystemResolver(threads: threads) { [self] host, _ in
                asked.withLock { $0.append(host) }
                arrival.yield(host)
                gate.wait()
                return [IPAddress(v4: 0xC000_0201)]
            }
        }

        func isAsked() async { for await _ in arrivals { return } }

        func answer() { gate.signal() }
    }

    @Test("A cancelled look-up ends at once, and its thread later serves others")
    func whileAsked() async throws {
        let service = SlowService()
        let resolver = service.resolver
        let task = Task { try await resolver.resolve("slow.example", .any) }
        await service.isAsked()
        task.cancel()
        // The service has not answered yet.
        let error = await #expect(throws: SternaError.self) { try await task.value }
        expectEqual(error?.kind, .cancelled)
        expectEqual(error?.phase, .resolve)
        service.answer()
        service.answer()
        try await expectEqual(resolver.resolve("next.example", .any).addresses.count, 1)
        expectEqual(service.asked.withLock { $0 }, ["slow.example", "next.example"])
    }

    @Test("A cancelled look-up that waits for a thread never runs")
    func whileWaiting() async throws {
        let service = SlowService()
        let resolver = service.resolver
        let first = Task { try await resolver.resolve("first.example", .any) }
        await service.isAsked()
        let second = Task { try await resolver.resolve("second.example", .any) }
        while service.threads.waitingJobs == 0 { await Task.yield() }
        second.cancel()
        await #expect(throws: SternaError.self) { try await second.value }
        service.answer()
        service.answer()
        try await expectEqual(first.value.addresses.count, 1)
        try await expectEqual(resolver.resolve("third.example", .any).addresses.count, 1)
        expectEqual(service.asked.withLock { $0 }, ["first.example", "third.example"])
    }

    @Test("In a cancelled task no look-up runs")
    func before() async {
        let service = SlowService()
        let resolver = service.resolver
        let error = await withTaskGroup(of: SternaError?.self) { group in
            group.cancelAll()
            group.addTask {
                do {
                    _ = try await resolver.resolve("a.example", .any)
                    return nil
                } catch { return error as? SternaError }
            }
            return await group.next() ?? nil
        }
        expectEqual(error?.kind, .cancelled)
        #expect(service.asked.withLock { $0.isEmpty })
    }

    @Test("The system's own look-up can be cancelled at any time")
    func anyTime() async {
        await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    let task = Task { try await SystemResolver.system.resolve("h\(index).sterna.invalid", .any) }
                    for _ in 0..<index % 20 { await Task.yield() }
                    task.cancel()
                    guard case .failure(let error as SternaError) = await task.result else { return false }
                    return error.kind == .cancelled || error.kind == .hostNotFound
                }
            }
            #expect(await group.reduce(true) { $0 && $1 })
        }
    }

    @Test("The number of threads is limited", arguments: [1, 2, 5])
    func threads(limit: Int) async {
        let threads = LookupThreads(limit: limit)
        let crowd = Crowd()
        let meeting = DispatchSemaphore(value: 0)
        let (ends, end) = AsyncStream<Void>.makeStream()
        for _ in 0..<40 {
            threads.run {
                let isLast = crowd.enter().isMultiple(of: limit)
                // The first wait until as many as are allowed run at once; with fewer threads they would wait for ever.
                if isLast { for _ in 0..<limit { meeting.signal() } }
                meeting.wait()
                crowd.leave()
                end.yield()
            }
        }
        var ended = 0
        for await _ in ends {
            ended += 1
            if ended == 40 { break }
        }
        expectEqual(crowd.most, limit)
    }
}
