import NIOCore
import Testing

@testable import SternaCore
@testable import SternaTestSupport

/// What a call is made of: its steps, its limit and its pauses.
@Suite("Parts of a call")
struct CallPartsTests {
    private final class Step: CallStep {
        func callCancelled() {}
        func callResumed() {}
    }

    @Test("Steps end in any order; the step that began last comes first")
    func steps() {
        let (first, second, third) = (Step(), Step(), Step())
        var steps = CallSteps()
        #expect(steps.isEmpty)
        expectEqual([first, second, third].map { steps.begin($0) }, [true, true, true])
        expectEqual(steps.all.map { ObjectIdentifier($0) }, [third, first, second].map { ObjectIdentifier($0) })
        expectEqual([first, first, third].map { steps.end($0) === $0 }, [true, false, true])
        expectEqual(steps.all.map { ObjectIdentifier($0) }, [ObjectIdentifier(second)])
        expectEqual([second].map { steps.end($0) === $0 }, [true])
        #expect(steps.isEmpty)
    }

    @Test("A step that begins again is there once")
    func again() {
        let step = Step()
        var steps = CallSteps()
        expectEqual([step, step].map { steps.begin($0) }, [true, true])
        expectEqual(steps.all.count, 1)
    }

    @Test("No step begins after a cancellation")
    func cancelled() {
        let (first, second) = (Step(), Step())
        var steps = CallSteps()
        expectEqual([first].map { steps.begin($0) }, [true])
        expectEqual(steps.cancel().count, 1)
        expectEqual([second].map { steps.begin($0) }, [false])
        #expect(steps.isCancelled)
    }

    @Test("The time limit is suspended until the last pause ends, and then has the time that was left")
    func pauses() {
        let limit = CallLimit(.uptimeNanoseconds(1_000))
        var pauses = CallPauses()
        let begun = [400, 500].map { pauses.begin(limit, at: .uptimeNanoseconds($0)) }
        expectEqual(begun, [true, false])
        expectEqual(limit.isPaused, true)
        expectEqual(limit.moment, .distantFuture)
        expectEqual(pauses.remaining, .nanoseconds(600))
        let ended = [5_000, 6_000, 7_000].map { pauses.end(limit, at: .uptimeNanoseconds($0)) }
        expectEqual(ended, [false, true, false])
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
        expectEqual(endless.isPaused, false)
        _ = pauses.begin(endless, at: .uptimeNanoseconds(90))
        _ = pauses.end(endless, at: .uptimeNanoseconds(.max / 2 + 100))
        expectEqual(endless.isPaused, false)
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
