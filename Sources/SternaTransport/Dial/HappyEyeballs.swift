import SternaCore

/// Schedules connection attempts to a host's addresses, each with a head start before the next one (Happy Eyeballs, RFC 8305, 4 and
/// 5).
///
/// A state machine without I/O: the caller reports events with their times, in nanoseconds of a monotonic clock, and performs the
/// returned actions. The race ends with `won` or `lost` once, unless it is cancelled. Duplicate addresses are dropped; IPv4
/// addresses in IPv6's mapped form count as IPv4 addresses.
struct HappyEyeballs: Sendable {
    /// The actions to perform, in order.
    enum Action: Sendable {
        case connect(attempt: Int, IPAddress)
        /// Sets or moves the single timer.
        case setTimer(at: Int64)
        case cancelTimer
        /// Closes a connection, or cancels an attempt to open it.
        case abandon(Int)
        case won(Int)
        /// No address could be connected to; the errors are in the order of the attempts.
        case lost([(IPAddress, any Error)])
    }

    private enum State {
        case ready, running
        /// Decided, with the winning attempt, if any.
        case decided(winner: Int?)
    }

    /// The minimum delay between two attempts (RFC 8305, 5).
    static let shortestDelay: Int64 = 10_000_000

    /// The addresses in the order of the attempts; an attempt's number is its index here.
    let addresses: [IPAddress]

    private let attemptDelay: Int64
    private var state = State.ready
    private var started = 0
    // Lists, as they are short; the running ones in the order in which they started.
    private var running: [Int] = []
    private var failures: [(attempt: Int, error: any Error)] = []
    private var timer: Int64?

    /// - Parameters:
    ///   - addresses: in order of preference, the best first.
    ///   - family: the family of the first attempt; nil for that of the first address.
    ///   - attemptDelay: the head start of an attempt in nanoseconds; at least 10 ms.
    ///   - maximumAddresses: the maximum number of addresses to try.
    init(
        addresses: [IPAddress], preferring family: IPAddress.Family? = nil, attemptDelay: Int64 = 250_000_000,
        maximumAddresses: Int = 16
    ) {
        self.addresses = Array(Self.interleaved(addresses, preferring: family).prefix(max(maximumAddresses, 0)))
        self.attemptDelay = max(attemptDelay, Self.shortestDelay)
    }

    /// Alternates the families, one address of each, without duplicates (RFC 8305, 4, with a First Address Family Count of 1).
    private static func interleaved(_ addresses: [IPAddress], preferring family: IPAddress.Family?) -> [IPAddress] {
        let unique = withoutRepetitions(addresses.map(\.unmapped))
        guard let family = family ?? unique.first?.family else { return [] }
        let first = unique.filter { $0.family == family }
        let second = unique.filter { $0.family != family }
        return (0..<max(first.count, second.count)).flatMap { index in
            [first, second].compactMap { index < $0.count ? $0[index] : nil }
        }
    }

    // Most hosts have so few addresses that a set would cost more.
    private static func withoutRepetitions(_ addresses: [IPAddress]) -> [IPAddress] {
        guard addresses.count > 16 else {
            return addresses.indices.filter { !addresses[..<$0].contains(addresses[$0]) }.map { addresses[$0] }
        }
        var seen: Set<IPAddress> = []
        return addresses.filter { seen.insert($0).inserted }
    }

    /// Starts the first attempt.
    mutating func start(now: Int64) -> [Action] {
        guard case .ready = state else { return [] }
        state = .running
        return addresses.isEmpty ? lose() : startNext(now)
    }

    /// Handles the timer; ignored before its time has come.
    mutating func timerFired(now: Int64) -> [Action] {
        guard case .running = state, let due = timer else { return [] }
        guard now >= due else { return [.setTimer(at: due)] }
        timer = nil
        return startNext(now)
    }

    /// Records a failed attempt. If it is the most recent one, the next starts at once, since waiting gains nothing.
    mutating func failed(_ attempt: Int, error: any Error, now: Int64) -> [Action] {
        guard case .running = state, end(attempt) else { return [] }
        failures.append((attempt, error))
        if started < addresses.count { return attempt == started - 1 ? startNext(now) : [] }
        return running.isEmpty ? lose() : []
    }

    /// Records a successful attempt: the winner, or one that is too late.
    mutating func connected(_ attempt: Int) -> [Action] {
        if case .decided(attempt) = state { return [] }
        guard case .running = state, end(attempt) else { return [.abandon(attempt)] }
        return stop(winner: attempt) + [.won(attempt)]
    }

    /// Ends the race, since the connection is no longer needed.
    mutating func cancel() -> [Action] {
        if case .decided = state { return [] }
        return stop(winner: nil)
    }

    /// Records that an attempt is over. Returns whether it was running.
    private mutating func end(_ attempt: Int) -> Bool {
        guard let index = running.firstIndex(of: attempt) else { return false }
        running.remove(at: index)
        return true
    }

    private mutating func startNext(_ now: Int64) -> [Action] {
        guard started < addresses.count else { return [] }
        let attempt = started
        started += 1
        running.append(attempt)
        var actions = [Action.connect(attempt: attempt, addresses[attempt])]
        if started < addresses.count {
            let (sum, overflow) = now.addingReportingOverflow(attemptDelay)
            let due = overflow ? Int64.max : sum
            timer = due
            actions.append(.setTimer(at: due))
        } else if timer != nil {
            timer = nil
            actions.append(.cancelTimer)
        }
        return actions
    }

    private mutating func lose() -> [Action] {
        let reasons = failures.sorted { $0.attempt < $1.attempt }.map { (addresses[$0.attempt], $0.error) }
        return stop(winner: nil) + [.lost(reasons)]
    }

    private mutating func stop(winner: Int?) -> [Action] {
        var actions: [Action] = timer == nil ? [] : [.cancelTimer]
        actions += running.map { .abandon($0) }
        timer = nil
        running = []
        failures = []
        state = .decided(winner: winner)
        return actions
    }
}
