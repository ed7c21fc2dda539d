import CSternaLibGTK
import Dispatch
import Sterna
import SternaGTK
import Synchronization

/// GTK and the main actor take turns.
@MainActor enum MainLoopChecks {
    static var all: [Check] {
        [
            Check("A main actor that is flooded leaves frames to GTK") { findings in
                let window = TestWindow(gtk_spinner_new())
                try await window.frames(3)
                let counter = FrameCounter(window.widget)
                let (end, turns) = (ContinuousClock.now + .seconds(1), Turns())
                // Each piece of work enqueues the next one at once, so that the queue is never empty.
                let works = (0..<200).map { _ in
                    Task {
                        while ContinuousClock.now < end {
                            turns.count += 1
                            await Task.yield()
                        }
                    }
                }
                for work in works { await work.value }
                counter.end()
                findings.expect(counter.count >= 20, "only \(counter.count) frames in a second")
                findings.expect(turns.count > 2_000, "only \(turns.count) pieces of work in a second")
            },
            Check("A main actor that other threads flood leaves frames to GTK") { findings in
                let window = TestWindow(gtk_spinner_new())
                try await window.frames(3)
                let counter = FrameCounter(window.widget)
                let (end, turns) = (ContinuousClock.now + .seconds(1), Turns())
                let floods = (0..<2).map { _ in
                    Task.detached {
                        while ContinuousClock.now < end {
                            for _ in 0..<50 { Task { @MainActor in turns.count += 1 } }
                            await MainActor.run {}
                        }
                    }
                }
                for flood in floods { await flood.value }
                counter.end()
                findings.expect(counter.count >= 20, "only \(counter.count) frames in a second")
                findings.expect(turns.count > 2_000, "only \(turns.count) pieces of work in a second")
            },
            Check("Work that is enqueued while the loop sleeps runs at once") { findings in
                var longest = Duration.zero
                for _ in 0..<20 {
                    // Long enough for GLib to sleep in poll.
                    let sent = await Task.detached {
                        try? await Task.sleep(for: .milliseconds(5))
                        return ContinuousClock.now
                    }.value
                    longest = max(longest, ContinuousClock.now - sent)
                }
                findings.expect(longest < .milliseconds(500), "the main actor went on after \(longest)")
            },
            Check("Timers, the main queue and tasks run while GTK does") { findings in
                let order = Mutex<[String]>([])
                DispatchQueue.main.async { order.withLock { $0.append("queue") } }
                Task { @MainActor in order.withLock { $0.append("task") } }
                try await Task.sleep(for: .milliseconds(1))
                try await findings.waits(for: "both") { order.withLock { $0.count } == 2 }
                findings.expect(Set(order.withLock { $0 }), is: ["queue", "task"])
            },
            Check("The main loop refuses a second run, and a run in a Swift task") { findings in
                do throws(SternaError) {
                    try MainLoop.run()
                    findings.fault("it ran")
                } catch {
                    findings.expect(error.kind, is: .invalidRequest)
                }
                try MainLoop.start()
            },
            Check("Turns of the main actor are measured") { findings in
                var times: [MainLoop.Turn] = []
                MainLoop.measureTurns { times.append($0) }
                for _ in 0..<10 { try await Task.sleep(for: .milliseconds(1)) }
                MainLoop.measureTurns(nil)
                let count = times.count
                findings.expect(
                    times.allSatisfy { $0.duration > .zero && $0.processorTime > .zero }, "a turn took no time")
                findings.expect(count >= 5, "\(count) turns")
                try await Task.sleep(for: .milliseconds(5))
                findings.expect(times.count, is: count)
            },
        ]
    }

    @MainActor final class Turns { var count = 0 }
}
