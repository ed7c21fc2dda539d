import NIOCore
import NIOEmbedded
import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

@Suite("The timer of a look-up", .timeLimit(.minutes(5)))
struct LookupTimerTests {
    @Test("A look-up that succeeds, fails or is cancelled leaves no timer", arguments: 0..<3)
    func released(end: Int) async throws {
        let loop = NIOAsyncTestingEventLoop()
        let resolver = GivenResolver { _, _ in
            switch end {
            case 0: return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
            case 1: throw SternaError(.hostNotFound, phase: .resolve, "none")
            default:
                try await Task.sleep(for: .seconds(3_600))
                return ResolvedHost([])
            }
        }
        weak var weakDirectory: DNSCache?
        do {
            let directory = DNSCache(
                resolver: resolver, lifetime: .seconds(60), timers: loop,
                clock: NetworkClock(source: LoopClock(loop)))
            weakDirectory = directory
            let (addresses, giveUp) = directory.addresses(of: "a.test", .any, on: loop)
            if end == 2 {
                #expect(await eventually { resolver.asked.count == 1 })
                giveUp()
            }
            let count = Counter()
            addresses.whenComplete { _ in count.add() }
            let hasAnswer = await eventually {
                await loop.run()
                return count.value == 1
            }
            #expect(hasAnswer)
        }
        // The clock of the loop stands still, so that only a timer that was cancelled lets go of the directory.
        let isGone = await eventually {
            await loop.run()
            return weakDirectory == nil
        }
        #expect(isGone)
        await loop.shutdownGracefully()
    }
}
