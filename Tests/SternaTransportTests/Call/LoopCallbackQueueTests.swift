import NIOCore
import NIOPosix
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// User code is called in order, one call at a time, and never from within a change of state.
@Suite("Calls of user code", .timeLimit(.minutes(5)))
struct LoopCallbackQueueTests {
    @Test("Calls run in the next turn of the event loop, in order, including those that a call posts")
    func turn() async throws {
        try await PoolSupport.withLoops(1) { group in
            let loop = group.next()
            let queue = LoopCallbackQueue()
            let made = PoolOrder()
            @Sendable func note(_ number: Int) { made.add("\(number)") }
            // Posted by the loop itself, which cannot run any of them before this turn ends.
            let madeWithinTurn = try await loop.submit {
                queue.post(on: loop) {
                    note(1)
                    queue.post(on: loop) { note(3) }
                }
                queue.post(on: loop) { note(2) }
                return made.names
            }.get()
            #expect(madeWithinTurn.isEmpty)
            try await loop.submit {}.get()
            expectEqual(made.names, ["1", "2", "3"])
            try await loop.submit { queue.post(on: loop) { note(4) } }.get()
            try await loop.submit {}.get()
            expectEqual(made.names, ["1", "2", "3", "4"])
        }
    }

    @Test("Two event loops never run calls at the same time, and lose none")
    func loops() async throws {
        try await PoolSupport.withLoops(2) { group in
            let loops = Array(group.makeIterator())
            let queue = LoopCallbackQueue()
            let (running, mostAtOnce) = (Counter(), Counter())
            let order = [PoolOrder(), PoolOrder()]
            await withTaskGroup { tasks in
                for side in 0..<2 {
                    tasks.addTask {
                        for number in 1...2_000 {
                            queue.post(on: loops[side]) {
                                mostAtOnce.raise(to: running.add())
                                order[side].add("\(number)")
                                running.add(-1)
                            }
                        }
                    }
                }
            }
            let all = (1...2_000).map { "\($0)" }
            let areMade = await eventually { order.allSatisfy { $0.names == all } }
            #expect(areMade)
            expectEqual(mostAtOnce.value, 1)
        }
    }
}
