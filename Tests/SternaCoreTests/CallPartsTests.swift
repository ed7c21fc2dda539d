import NIOCore
import SternaTestSupport
import Testing

@testable import SternaCore

/// What a call is made of: its steps, its limit and its pauses.
@Suite("Parts of a call")
struct CallPartsTests {
    private final class Step: CallStep {
        func callCancelled() {}
        func callResumed() {}
    }

    @Test("Steps end in any order, and the last one that is left is the first to be told")
    func steps() {
        let (first, second, third) = (Step(), Step(), Step())
        var steps = CallSteps()
        #expect(steps.isEmpty)
        for step in [first, second, third] { #expect(steps.begin(step)) }
        expectEqual(steps.all.map { ObjectIdentifier($0) }, [third, first, second].map { ObjectIdentifier($0) })
        #expect(steps.end(first) === first)
        #expect(steps.end(first) == nil)
        #expect(steps.end(third) === third)
        expectEqual(steps.all.map { ObjectIdentifier($0) }, [ObjectIdentifier(second)])
        #expect(steps.end(second) === second)
        #expect(steps.isEmpty)
    }

    @Test("A step that begins again is there once")
    func again() {
        let step = Step()
        var steps = CallSteps()
        #expect(steps.begin(step) && steps.begin(step))
        expectEqual(steps.all.count, 1)
    }

    @Test("Nothing begins after a cancellation")
    func cancelled() {
        let (first, second) = (Step(), Step())
        var steps = CallSteps()
        #expect(steps.begin(first))
        expectEqual(steps.cancel().count, 1)
        #expect(!steps.begin(second))
        #expect(steps.isCancelled)
    }

    @Test("Time stands still until the last pause ends, and then has what was left")
    func pauses() {
        let limit = CallLimit(.uptimeNanoseconds(1_000))
        var pauses = CallPauses()
        #expect(pauses.begin(limit, at: .uptimeNanoseconds(400)))
        #expect(!pauses.begin(limit, at: .uptimeNanoseconds(500)))
        #expect(limit.isPaused)
        expectEqual(limit.moment, .distantFuture)
        expectEqual(pauses.remaining, .nanoseconds(600))
        #expect(!pauses.end(limit, at: .uptimeNanoseconds(5_000)))
        #expect(pauses.end(limit, at: .uptimeNanoseconds(6_000)))
        expectEqual(limit.moment, .uptimeNanoseconds(6_600))
        #expect(!pauses.end(limit, at: .uptimeNanoseconds(7_000)))
        expectEqual(limit.moment, .uptimeNanoseconds(6_600))
    }

    @Test("A limit that has passed stays passed, and the latest one does not overflow")
    func ends() {
        let late = CallLimit(.uptimeNanoseconds(10))
        var pauses = CallPauses()
        _ = pauses.begin(late, at: .uptimeNanoseconds(90))
        _ = pauses.end(late, at: .uptimeNanoseconds(100))
        expectEqual(late.moment, .uptimeNanoseconds(100))

        let endless = CallLimit(.distantFuture)
        #expect(!endless.isPaused)
        _ = pauses.begin(endless, at: .uptimeNanoseconds(90))
        _ = pauses.end(endless, at: .uptimeNanoseconds(.max / 2 + 100))
        #expect(!endless.isPaused)
    }

    @Test("Connections are offered while the call is paused")
    func offers() {
        let limit = CallLimit(.uptimeNanoseconds(1_000))
        var pauses = CallPauses()
        pauses.setRelease(ConnectionRelease { true })
        #expect(pauses.offersConnections && pauses.offer == nil)
        _ = pauses.begin(limit, at: .uptimeNanoseconds(1))
        #expect(pauses.offer != nil)
        _ = pauses.end(limit, at: .uptimeNanoseconds(2))
        #expect(pauses.offer == nil)
    }
}
