import NIOCore
import SternaCore
import SternaTesting
import Synchronization
import Testing

@testable import Sterna
@testable import SternaTestSupport

@Suite("Deadlines of many, watched by one timer", .timeLimit(.minutes(5)))
struct DeadlineWatchTests {
    /// One that counts how often it was told.
    private final class Member: DeadlineWatch.Member {
        private let moment: Mutex<NIODeadline>
        let told = Counter()

        init(_ deadline: NIODeadline) { moment = Mutex(deadline) }

        var deadline: NIODeadline {
            get { moment.withLock { $0 } }
            set { moment.withLock { $0 = newValue } }
        }

        func deadlinePassed() { told.add() }
    }

    private let time = TestClock()
    private let loop = Engine.shared.loopClock.loop

    private func watch() -> DeadlineWatch { DeadlineWatch(LoopClock(time.clock, on: loop)) }

    /// Lets the clock advance, and the event loop do what is due.
    private func pass(_ seconds: Int64) async throws {
        await time.advance(by: .seconds(seconds))
        try await loop.submit {}.get()
    }

    @Test("There is one timer, and each is told when its own deadline has passed")
    func many() async throws {
        let watch = watch()
        let members = (1...100).map { Member(time.now + .seconds(Int64($0))) }
        for member in members { watch.add(member) }
        #expect(time.timerCount == 1 && watch.count == 100)
        try await pass(30)
        expectEqual(members.map(\.told.value), (1...100).map { $0 <= 30 ? 1 : 0 })
        expectEqual(watch.count, 70)
        try await pass(1)
        expectEqual(members.map(\.told.value), (1...100).map { $0 <= 31 ? 1 : 0 })
        expectEqual(time.timerCount, 1)
    }

    @Test("One that was removed is not told, nor one without a deadline")
    func removed() async throws {
        let watch = watch()
        let (gone, endless) = (Member(time.now + .seconds(1)), Member(.distantFuture))
        watch.add(endless)
        expectEqual(time.timerCount, 0)
        watch.add(gone)
        watch.remove(gone)
        watch.remove(gone)
        try await pass(5)
        #expect(gone.told.value == 0 && endless.told.value == 0)
        #expect(watch.count == 1 && time.timerCount == 0)
    }

    @Test("A deadline in the past is told at once, and one that moves at its new moment")
    func moves() async throws {
        let watch = watch()
        let (late, member) = (Member(time.now - .seconds(1)), Member(time.now + .seconds(60)))
        watch.add(late)
        #expect(late.told.value == 1 && time.timerCount == 0 && watch.count == 0)
        watch.add(member)
        member.deadline = time.now + .seconds(5)
        watch.update(member)
        try await pass(5)
        expectEqual(member.told.value, 1)
        watch.remove(member)
        // It is a member no more.
        member.deadline = time.now + .seconds(1)
        watch.update(member)
        try await pass(2)
        expectEqual(member.told.value, 1)
    }

    @Test("One that is put off is told later")
    func postponed() async throws {
        let watch = watch()
        let member = Member(time.now + .seconds(1))
        watch.add(member)
        member.deadline = .distantFuture
        try await pass(10)
        expectEqual(member.told.value, 0)
        member.deadline = time.now + .seconds(3)
        watch.update(member)
        try await pass(3)
        expectEqual(member.told.value, 1)
    }

    @Test("The timer ends with the watch")
    func ends() {
        do {
            let watch = watch()
            watch.add(Member(time.now + .seconds(604_800)))
            expectEqual(time.timerCount, 1)
        }
        expectEqual(time.timerCount, 0)
    }
}
