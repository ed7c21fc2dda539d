import SternaPlatform

/// Ends the child when one input takes five seconds of processor time, or five minutes in which nothing happens.
enum MutationWatchdog {
    private static let longest: UInt64 = 5_000_000_000
    private static let longestPause: UInt64 = 300_000_000_000

    static func begin(_ record: MutationRecord) {
        SmallStack.begin {
            var seen = UInt64.max
            var since = (processor: UInt64(0), clock: UInt64(0))
            while record.state == .running || record.state == .waiting {
                let now = (processor: MutationSettings.processorTime(), clock: MutationSettings.clockTime())
                if record.executions != seen {
                    seen = record.executions
                    since = now
                } else if record.state == .running,
                    now.processor - since.processor > longest || now.clock - since.clock > longestPause
                {
                    record.message = "\((now.processor - since.processor) / 1_000_000) ms of processor time."
                    record.state = .hung
                    _exit(EXIT_FAILURE)
                }
                usleep(100_000)
            }
        }
    }
}
