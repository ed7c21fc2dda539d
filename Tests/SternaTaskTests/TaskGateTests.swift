import NIOCore
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Tasks: the gate")
struct TaskGateTests {
    @Test("Connections are given up once while the gate is closed, if that is allowed")
    func release() {
        let gate = TaskGate()
        gate.isReleasable = true
        #expect(!gate.release())
        gate.close()
        #expect(gate.release())
        #expect(!gate.release())
        expectEqual(gate.releases, 1)
        gate.open()
        #expect(!gate.release())
        gate.close()
        #expect(gate.release())
        gate.open()
        gate.isReleasable = false
        gate.close()
        #expect(!gate.release())
        expectEqual(gate.releases, 2)
    }

    @Test("An unlocked gate stays open")
    func unlocked() {
        let gate = TaskGate(isOpen: false)
        gate.isReleasable = true
        gate.unlock()
        gate.close()
        #expect(gate.isOpen)
        #expect(!gate.release())
    }

    @Test("A wait with a limit ends when connections are given up, and one that begins later ends at once")
    func timedWait() async throws {
        let gate = TaskGate(isOpen: false)
        gate.isReleasable = true
        let clock = Engine.shared.loopClock
        async let first = gate.pass(within: .seconds(1_000), on: clock)
        while gate.timedWaitCount == 0 { await Task.yield() }
        #expect(gate.release())
        #expect(try await !first)
        #expect(try await !gate.pass(within: .seconds(1_000), on: clock))
        gate.open()
        #expect(try await gate.pass(within: .seconds(1_000), on: clock))
        expectEqual(gate.timedWaitCount, 0)
    }
}
