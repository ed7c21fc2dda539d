import NIOCore
import SternaCore
import Synchronization

/// Applies a schedule to a bandwidth limit when its windows begin and end.
final class SchedulePacer: Sendable {
    private struct State {
        var schedule: BandwidthSchedule?
        /// The rates that the schedule set last.
        var rates: BandwidthSchedule.Rates?
        var timer: ClockTimer?
    }

    private let limit: BandwidthLimit
    private let time: LoopClock
    private let wallClock: @Sendable (BandwidthSchedule.Zone) -> WeekMoment
    private let state = Mutex(State())

    /// The longest time in seconds between readings of the clock, which may be set or change to summer time.
    private static let longestWait = 600

    init(
        _ limit: BandwidthLimit, _ schedule: BandwidthSchedule?, _ time: LoopClock,
        _ wallClock: @escaping @Sendable (BandwidthSchedule.Zone) -> WeekMoment
    ) {
        (self.limit, self.time, self.wallClock) = (limit, time, wallClock)
        if schedule != nil { set(schedule) }
    }

    deinit { state.withLock { $0.timer }?.cancel() }

    var schedule: BandwidthSchedule? { state.withLock { $0.schedule } }

    func set(_ schedule: BandwidthSchedule?) {
        state.withLock { state in
            state.schedule = schedule
            state.rates = nil
        }
        check()
    }

    /// Applies the rates of the present window if they have changed, and schedules the next check.
    private func check() {
        state.withLock { state in
            state.timer?.cancel()
            state.timer = nil
            guard let schedule = state.schedule else { return }
            let moment = wallClock(schedule.zone)
            let rates = schedule.rates(at: moment)
            if rates != state.rates {
                state.rates = rates
                (limit.download, limit.upload) = (rates.download, rates.upload)
            }
            guard let wait = schedule.secondsToNextChange(after: moment) else { return }
            state.timer = time.clock.schedule(in: .seconds(Int64(min(wait, Self.longestWait))), on: time.loop) {
                [weak self] in self?.check()
            }
        }
    }
}
