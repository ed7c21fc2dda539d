import NIOCore
import Synchronization

/// The foreground and background transfers of an engine; background transfers yield to the others.
///
/// Nothing is measured, and no timer runs, unless a background transfer runs.
package final class TransferTraffic: Sendable {
    /// The limit that background transfers share; ``YieldRule`` sets it.
    package let background = BandwidthLimit()

    private struct State {
        var background = 0
        var rate = SmoothedRate()
        /// The clock of the last background transfer that began.
        var time: LoopClock?
        var timer: ClockTimer?
    }

    private let state = Mutex(State())
    private let foreground = Atomic<Int>(0)
    private let measures = Atomic<Bool>(false)

    /// How often the limit follows the measured rate.
    private static let interval = TimeAmount.milliseconds(250)

    package init() {}

    /// Whether bytes are counted, since a background transfer runs.
    package var isMeasured: Bool { measures.load(ordering: .relaxed) }

    /// The number of running foreground transfers.
    package var foregroundCount: Int { foreground.load(ordering: .relaxed) }

    /// Records that a foreground transfer begins or resumes.
    package func foregroundBegan() {
        foreground.wrappingAdd(1, ordering: .relaxed)
        if measures.load(ordering: .relaxed) { update() }
    }

    /// Records that a foreground transfer has ended or was suspended.
    package func foregroundEnded() {
        foreground.wrappingSubtract(1, ordering: .relaxed)
        if measures.load(ordering: .relaxed) { update() }
    }

    /// Records that a background transfer begins.
    package func backgroundBegan(_ time: LoopClock) {
        state.withLock { state in
            state.background += 1
            state.time = time
            measures.store(true, ordering: .relaxed)
        }
        update()
    }

    /// Records that a background transfer has ended.
    package func backgroundEnded() {
        state.withLock { state in
            state.background -= 1
            guard state.background <= 0 else { return }
            measures.store(false, ordering: .relaxed)
            state.timer?.cancel()
            state = State()
        }
    }

    /// Counts bytes of a transfer.
    package func transferred(_ bytes: Int) {
        guard measures.load(ordering: .relaxed) else { return }
        state.withLock { state in
            if let now = state.time?.clock.now { state.rate.add(Int64(bytes), at: now) }
        }
    }

    /// Sets the limit by the current rate, and schedules the next update.
    private func update() {
        let limit: Int?? = state.withLock { state in
            guard let time = state.time else { return nil }
            state.timer?.cancel()
            state.timer = time.clock.schedule(in: Self.interval, on: time.loop) { [weak self] in self?.update() }
            return .some(
                YieldRule.limit(foreground: foregroundCount, measured: state.rate.rate(at: time.clock.now)))
        }
        guard let limit else { return }
        if background.download != limit { background.download = limit }
        if background.upload != limit { background.upload = limit }
    }
}
