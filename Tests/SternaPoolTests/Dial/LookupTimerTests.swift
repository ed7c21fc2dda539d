import NIOCore
import NIOEmbedded
import SternaCore
import Synchronization
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

    /// A clock that stands still, and calls a closure once when a timer is scheduled.
    private final class CallingClock: ClockSource {
        private let call = Mutex<(@Sendable () -> Void)?>(nil)
        let now = NIODeadline.now()

        func callOnce(_ work: @escaping @Sendable () -> Void) { call.withLock { $0 = work } }

        func schedule(
            at moment: NIODeadline, on loop: any EventLoop, _ work: @escaping @Sendable () -> Void
        ) -> @Sendable () -> Void {
            let action = call.withLock { call in
                defer { call = nil }
                return call
            }
            action?()
            return {}
        }
    }

    @Test("A look-up whose waiter gives up while it is started is cancelled")
    func abandoned() async throws {
        let loop = NIOAsyncTestingEventLoop()
        let (gate, never, cancelled) = (Gate(), Gate(), Counter())
        let most = DNSCacheState<Int>.maximumLookups
        let resolver = GivenResolver { number, _ in
            guard number > most else {
                await gate.wait()
                return ResolvedHost([IPAddress(v4: 0x7F00_0001)])
            }
            await never.pass()
            if Task.isCancelled { cancelled.add() }
            return ResolvedHost([])
        }
        let clock = CallingClock()
        let directory = DNSCache(
            resolver: resolver, lifetime: .seconds(60), timers: loop, clock: NetworkClock(source: clock))
        let ended = Counter()
        for number in 0..<most {
            directory.addresses(of: "\(number).test", .any, on: loop).0.whenComplete { _ in ended.add() }
        }
        // The last look-up waits until another one ends, and loses its waiter when its timer is scheduled, before its task is made.
        let (addresses, giveUp) = directory.addresses(of: "last.test", .any, on: loop)
        addresses.whenComplete { _ in ended.add() }
        #expect(await eventually { resolver.asked.count == most })
        clock.callOnce(giveUp)
        gate.open()
        #expect(await eventually { cancelled.value == 1 })
        never.open()
        let haveEnded = await eventually {
            await loop.run()
            return ended.value == most + 1
        }
        #expect(haveEnded)
        await loop.shutdownGracefully()
    }
}
