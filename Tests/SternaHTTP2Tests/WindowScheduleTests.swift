import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// A stream's window under random schedules, on a connection with a delay: what a server may send, what is under way,
/// and what a reader has left lying.
@Suite("HTTP/2: windows under any schedule")
struct WindowScheduleTests {
    /// What a stream does with its window, around a store as `BodyPipe` has it.
    private struct World {
        var random: SeededRandom
        let delay: Int64
        let maximum: Int
        var now: Int64 = 0
        var window = ReceiveWindow()
        var tuner: WindowTuner
        var stored = 0
        var isPaused = false

        /// What the server may send as far as it knows, and what is on its way.
        var allowed = ReceiveWindow.initial
        var credits: [(at: Int64, bytes: Int)] = []
        var data: [(at: Int64, bytes: Int)] = []
        var probe: Int64?
        var received = 0
        var total = 0

        init(seed: UInt64, maximum: Int, delay given: Int64? = nil) {
            random = SeededRandom(seed: seed)
            delay = given ?? Int64.random(in: 100_000...80_000_000, using: &random)
            self.maximum = maximum
            tuner = WindowTuner(maximum: maximum)
        }

        /// Everything that is on its way arrives that should have by now.
        mutating func advance(by time: Int64) {
            now += time
            while let credit = credits.first, credit.at <= now {
                credits.removeFirst()
                allowed += credit.bytes
            }
            if let answered = probe, answered <= now {
                probe = nil
                tuner.answered(at: now)
            }
        }

        mutating func send(_ bytes: Int) {
            let count = min(bytes, allowed)
            guard count > 0 else { return }
            allowed -= count
            total += count
            data.append((now + delay, count))
        }

        /// A piece comes; a reader that keeps up takes it before it is seen to the window.
        mutating func receive(keepsUp: Bool = false) {
            guard let piece = data.first, piece.at <= now else { return }
            data.removeFirst()
            received += piece.bytes
            if tuner.received(piece.bytes, at: now) { probe = now + 2 * delay }
            window.isLeft(window.size - piece.bytes)
            stored = keepsUp ? 0 : stored + piece.bytes
            credit()
        }

        mutating func read(_ bytes: Int) {
            stored -= min(bytes, stored)
            guard isPaused, stored < BodyPipe.capacity / 2 else { return }
            isPaused = false
            credit()
        }

        private mutating func credit() {
            if stored >= BodyPipe.capacity {
                isPaused = true
                return
            }
            let target = stored == 0 ? tuner.target : ReceiveWindow.initial
            if let more = window.credit(upTo: target) { credits.append((now + delay, more)) }
        }

        var underWay: Int { credits.reduce(0) { $0 + $1.bytes } + data.reduce(0) { $0 + $1.bytes } }
    }

    private func check(_ world: World) {
        // The server knows no more than this side has announced, and both count alike.
        #expect(world.allowed >= 0)
        expectEqual(world.window.size, world.allowed + world.underWay)
        #expect(world.window.size <= world.tuner.target)
        #expect(world.tuner.target <= world.maximum)
        #expect((ReceiveWindow.initial...world.maximum).contains(world.tuner.target))
        // Where nothing is held back the server is never left without leave.
        if !world.isPaused { #expect(world.window.size > ReceiveWindow.initial / 2) }
    }

    @Test("A reader that keeps up never makes the server wait for ever", arguments: 0..<30)
    func keepsUp(seed: Int) {
        var world = World(seed: UInt64(seed) &* 31 &+ 7, maximum: 16 << 20)
        for _ in 0..<500 {
            world.advance(by: Int64.random(in: 0...world.delay / 4, using: &world.random))
            world.send(Int.random(in: 1...200_000, using: &world.random))
            while let piece = world.data.first, piece.at <= world.now {
                world.receive(keepsUp: true)
                check(world)
                #expect(world.window.size > world.tuner.target / 2, "more than half is always announced")
            }
            check(world)
            #expect(!world.isPaused)
        }
        #expect(world.received > 0)
    }

    @Test(
        "A server that fills its window gets larger ones until the network is used, in pieces of any size",
        arguments: [1, 5, 20], [1, 12])
    func grows(milliseconds: Int64, pieces: Int) {
        // 200 MB/s: what comes within the delay there and back is below the limit.
        var world = World(seed: 1, maximum: 16 << 20, delay: milliseconds * 1_000_000)
        var last = 0
        for number in 0..<12_000 {
            world.advance(by: 1_000_000)
            let before = world.total
            for _ in 0..<pieces { world.send(200_000 / pieces) }
            while let piece = world.data.first, piece.at <= world.now { world.receive(keepsUp: true) }
            if number >= 11_000 { last += world.total - before }
        }
        check(world)
        #expect(
            last >= 120_000_000, "\(last / 1_000_000) MB in the last second, with a target of \(world.tuner.target)")
    }

    @Test("A reader with pauses is served again when it resumes", arguments: 0..<30)
    func anyReader(seed: Int) {
        var world = World(seed: UInt64(seed) &* 131 &+ 17, maximum: 1 << 20)
        for _ in 0..<800 {
            world.advance(by: Int64.random(in: 0...world.delay, using: &world.random))
            world.send(Int.random(in: 1...100_000, using: &world.random))
            for _ in 0..<Int.random(in: 0...8, using: &world.random) { world.receive() }
            if Int.random(in: 0..<3, using: &world.random) == 0 {
                world.read(Int.random(in: 1...400_000, using: &world.random))
            }
            check(world)
            // Nobody can have sent more than what was allowed when the reader stopped.
            #expect(world.stored <= world.maximum + BodyPipe.capacity)
        }
        // Everything arrives, and the server has leave again.
        for _ in 0..<50 {
            world.advance(by: world.delay)
            while !world.data.isEmpty, world.data[0].at <= world.now { world.receive() }
            world.read(.max)
        }
        check(world)
        expectEqual(world.received, world.total)
        expectEqual(world.stored, 0)
        #expect(world.allowed > ReceiveWindow.initial / 2)
    }

    @Test("The bytes kept for a stopped reader are bounded by the allowed window", arguments: 0..<20)
    func stops(seed: Int) {
        var world = World(seed: UInt64(seed) &* 17 &+ 5, maximum: 4 << 20)
        let steps = Int.random(in: 0..<400, using: &world.random)
        for _ in 0..<steps {
            world.advance(by: world.delay / 4)
            world.send(300_000)
            while !world.data.isEmpty, world.data[0].at <= world.now { world.receive(keepsUp: true) }
        }
        // Nobody reads from now on, and the server sends what it can.
        let allowed = world.window.size
        let credits = ReceiveWindow.initial
        for _ in 0..<400 {
            world.advance(by: world.delay)
            world.send(.max)
            world.receive()
            check(world)
            #expect(world.stored <= max(allowed, BodyPipe.capacity) + credits)
        }
        #expect(world.isPaused)
        #expect(world.data.isEmpty)
        #expect(world.stored >= BodyPipe.capacity)
        // Where it had not been fast before, this is all that there is.
        if steps == 0 { #expect(world.stored <= BodyPipe.capacity + ReceiveWindow.initial) }
    }
}
