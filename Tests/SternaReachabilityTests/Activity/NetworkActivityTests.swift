import Dispatch
import NIOCore
import SternaCore
import SternaTesting
import SternaTransport
import Synchronization
import Testing

@testable import Sterna
@testable import SternaReachability
@testable import SternaTestSupport

@Suite("Activity: the rule")
struct ActivityRuleTests {
    @Test("Each change in each state")
    func table() {
        enum Event { case add, remove, timer }
        let steps: [(Event, NetworkActivity.State, ActivityRule.Step)] = [
            (.remove, .notActive, .init()), (.timer, .notActive, .init()),
            (.add, .delayingStart, .init(timer: .start)), (.add, .delayingStart, .init()),
            (.remove, .delayingStart, .init()), (.remove, .notActive, .init(cancelsTimer: true)),
            (.add, .delayingStart, .init(timer: .start)), (.timer, .active, .init(shows: true)),
            (.timer, .active, .init()), (.add, .active, .init()), (.remove, .active, .init()),
            (.remove, .delayingEnd, .init(timer: .end)), (.remove, .delayingEnd, .init()),
            (.add, .active, .init(cancelsTimer: true)), (.remove, .delayingEnd, .init(timer: .end)),
            (.timer, .notActive, .init(shows: false)),
        ]
        var rule = ActivityRule()
        for (number, (event, state, expected)) in steps.enumerated() {
            let step =
                switch event {
                case .add: rule.add(1)
                case .remove: rule.add(-1)
                case .timer: rule.timerFired()
                }
            #expect(step == expected && rule.state == state, "step \(number)")
        }
    }

    @Test("The count is never negative and does not overflow; a reset hides the activity")
    func bounds() {
        var rule = ActivityRule()
        _ = rule.add(.min)
        expectEqual(rule.count, 0)
        _ = rule.add(.max)
        _ = rule.add(.max)
        expectEqual(rule.count, .max)
        _ = rule.timerFired()
        expectEqual(rule.reset(), .init(shows: false, cancelsTimer: true))
        #expect(rule.reset() == .init(cancelsTimer: true) && rule.state == .notActive)
    }
}

@Suite("Activity: tasks and the clock", .timeLimit(.minutes(5)))
struct NetworkActivityTests {
    private let time = TestClock()
    private let shown = Shown()

    private final class Shown: Sendable {
        let values = Mutex<[Bool]>([])
        var all: [Bool] { values.withLock { $0 } }
    }

    private func make() -> NetworkActivity {
        NetworkActivity(
            .seconds(1), .milliseconds(170), .queue(DispatchQueue(label: "activity")),
            { [shown] isActive in shown.values.withLock { $0.append(isActive) } }
        ) { [time] in LoopClock(time.clock, on: Engine.shared.loopClock.loop) }
    }

    @Test("A short activity is not shown, a long one is after 1 s, and a pause below 170 ms is ignored")
    func delays() async {
        let activity = make()
        activity.increment()
        #expect(activity.state == .delayingStart && !activity.isActive)
        await time.advance(by: .milliseconds(999))
        activity.decrement()
        #expect(activity.state == .notActive && time.timerCount == 0)
        activity.increment()
        await time.advance(by: .milliseconds(1_000))
        #expect(activity.state == .active && activity.isActive)
        activity.decrement()
        #expect(activity.state == .delayingEnd && activity.isActive)
        await time.advance(by: .milliseconds(169))
        activity.increment()
        expectEqual(activity.state, .active)
        await time.advance(by: .seconds(10))
        activity.decrement()
        await time.advance(by: .milliseconds(170))
        expectEqual(activity.state, .notActive)
        #expect(await eventually { shown.all.count == 2 })
        expectEqual(shown.all, [true, false])
    }

    @Test("Turned off, it hides the activity and counts nothing")
    func disabled() async {
        let activity = make()
        activity.increment()
        await time.advance(by: .seconds(1))
        activity.isEnabled = false
        #expect(activity.state == .notActive && activity.count == 0)
        activity.increment()
        expectEqual(activity.count, 0)
        activity.isEnabled = true
        activity.increment()
        expectEqual(activity.state, .delayingStart)
        #expect(await eventually { shown.all == [true, false] })
    }

    @Test("Tasks count while they run, each once")
    func tasks() async throws {
        let activity = make()
        try await TestServer.withServer { server async throws in
            let gate = TaskGateway()
            server.route("GET", "/held") { _ in
                await gate.wait()
                return ServerResponse(status: 204)
            }
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.events.observers = [activity.observer]
                $0.callbacks = .queue(DispatchQueue(label: "tasks"))
            }
            let first = api.dataTask(.get("held"))
            let second = api.dataTask(.get("held"))
            #expect(await eventually { activity.count == 2 })
            first.suspend()
            #expect(await eventually { activity.count == 1 })
            first.resume()
            #expect(await eventually { activity.count == 2 })
            await time.advance(by: .seconds(1))
            #expect(activity.isActive)
            second.cancel()
            #expect(await eventually { activity.count == 1 })
            gate.open()
            _ = try await first.value
            #expect(await eventually { activity.count == 0 && activity.state == .delayingEnd })
            await time.advance(by: .milliseconds(170))
            expectEqual(activity.state, .notActive)
        }
    }

    @Test("A task that is cancelled silently counts until it ends, running or suspended", arguments: [false, true])
    func silent(isSuspended: Bool) async throws {
        let activity = make()
        try await TestServer.withServer { server async throws in
            let api = try Session(baseURL: server.url) {
                $0.network.engine = Engine()
                $0.events.observers = [activity.observer]
                $0.callbacks = .queue(DispatchQueue(label: "tasks"))
            }
            let (silent, other) = (api.dataTask(.get("delay/60")), api.dataTask(.get("delay/60")))
            #expect(await eventually { activity.count == 2 })
            if isSuspended { silent.suspend() }
            silent.cancel(silently: true)
            #expect(await eventually { activity.count == 1 })
            other.cancel(silently: true)
            #expect(await eventually { activity.count == 0 })
            expectEqual(activity.state, .notActive)
        }
    }

    /// Holds answers until it is opened.
    private final class TaskGateway: Sendable {
        private let channel = UpdateChannel(false)

        func open() { channel.report(true) }

        func wait() async { _ = await channel.change(after: 0) }
    }
}
