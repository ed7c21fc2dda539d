import NIOCore
import SternaCore

/// Estimates how many concurrent requests an origin serves without queueing them.
///
/// It compares the median time to a response with the median time with few concurrent requests, the baseline. While both are
/// similar, the limit grows. Beyond the server's capacity requests queue there, and the limit shrinks in proportion to the times.
/// The baseline is measured periodically, since servers become faster and slower. Failures by overload shrink the limit at once.
struct ConcurrencyEstimate: Sendable {
    /// The bounds of the limit.
    struct Bounds: Sendable, Hashable {
        let least: Int
        let most: Int

        init(least: Int, most: Int) {
            self.least = max(least, 1)
            self.most = max(most, self.least)
        }

        /// The number of concurrent requests while the baseline is measured.
        var few: Int { min(max(least, 3), most) }
    }

    /// The outcome of a request.
    enum Outcome: Sendable, Hashable {
        /// A response.
        case answered
        /// A failure that indicates overload.
        case overloaded
        /// The outcome says nothing about the server, such as a cancellation.
        case unknown
    }

    private enum Phase: Sendable {
        /// Few concurrent requests measure the baseline.
        case probing(since: NIODeadline)
        case adapting
    }

    private let bounds: Bounds
    private var phase: Phase?

    /// The limit with its fraction, outside of probes.
    private(set) var exact: Double

    /// The median time to a response with few concurrent requests, in nanoseconds; nil until it is known.
    private(set) var baseline: Double?

    /// The times of the current window, in nanoseconds.
    private var times: [Int64] = []

    /// The maximum number of requests under way in the window.
    private var peak = 0

    /// When the window began; requests sent before it were subject to another limit.
    private var windowBegan: NIODeadline?
    private var probedAt: NIODeadline?
    private var shrunkAt: NIODeadline?

    /// The number of times in a baseline, and the minimum of a window.
    static let leastTimes = 10

    /// The maximum number of times in a window.
    private static let mostTimes = 64

    /// The factor by which times may exceed the baseline without indicating a queue.
    private static let tolerance = 1.1

    /// The minimum time between two probes.
    private static let probePause = TimeAmount.seconds(30)

    /// How long the limit grows slowly after an overload.
    private static let caution = TimeAmount.seconds(10)

    init(_ bounds: Bounds) {
        self.bounds = bounds
        exact = Double(bounds.few)
    }

    /// The number of requests that may be under way now.
    var limit: Int {
        let whole = min(max(Int(exact), bounds.least), bounds.most)
        if case .adapting = phase { return whole }
        return min(whole, bounds.few)
    }

    /// Records the end of a request.
    ///
    /// - Parameters:
    ///   - sent: when it was sent.
    ///   - inFlight: the number of requests under way when it was sent, including itself.
    mutating func ended(_ outcome: Outcome, sent: NIODeadline, inFlight: Int, at now: NIODeadline) {
        if phase == nil { probe(at: sent) }
        switch outcome {
        case .unknown: break
        case .overloaded: shrink(at: now)
        case .answered: answered(max((now - sent).nanoseconds, 1), sent, inFlight, at: now)
        }
    }

    private mutating func answered(_ time: Int64, _ sent: NIODeadline, _ inFlight: Int, at now: NIODeadline) {
        guard sent >= windowBegan ?? sent else { return }
        switch phase {
        case .probing(let since):
            if inFlight <= bounds.few { times.append(time) }
            if times.count >= Self.leastTimes {
                endProbe(at: now)
            } else if let baseline, Double((now - since).nanoseconds) > max(baseline * 20, 1e9) {
                // A few slow requests must not delay all others: the probe ends with the times known so far.
                self.baseline = times.isEmpty ? baseline : max(baseline, Self.median(times))
                adapt(at: now)
            }
        case .adapting, nil:
            times.append(time)
            peak = max(peak, inFlight)
            let wanted = min(max(Self.leastTimes, Int(exact)), Self.mostTimes)
            if times.count >= wanted { endWindow(at: now) }
        }
    }

    // MARK: Probes

    private mutating func probe(at now: NIODeadline) {
        phase = .probing(since: now)
        beginWindow(at: now)
    }

    private mutating func endProbe(at now: NIODeadline) {
        baseline = Self.median(times)
        adapt(at: now)
    }

    private mutating func adapt(at now: NIODeadline) {
        phase = .adapting
        probedAt = now
        beginWindow(at: now)
    }

    /// Returns whether to measure a new baseline. Slow requests make probes longer, so they are rarer.
    private func needsProbe(at now: NIODeadline) -> Bool {
        guard let probedAt, let baseline else { return true }
        let pause = min(baseline * Double(Self.leastTimes) * 25, 3.6e12)
        return Double((now - probedAt).nanoseconds) >= max(Double(Self.probePause.nanoseconds), pause)
    }

    // MARK: Windows

    private mutating func beginWindow(at now: NIODeadline) {
        times.removeAll(keepingCapacity: true)
        peak = 0
        windowBegan = now
    }

    private mutating func endWindow(at now: NIODeadline) {
        guard let baseline else { return probe(at: now) }
        let ratio = min(max(baseline * Self.tolerance / Self.median(times), 0.5), Self.tolerance)
        let wanted = exact * ratio + exact.squareRoot()
        let isCautious = shrunkAt.map { now - $0 < Self.caution } ?? false
        if wanted <= exact {
            exact = max(wanted, Double(bounds.least))
        } else if Double(peak) * 2 >= exact {
            // The limit grows only if enough requests were under way to test it.
            exact = min(isCautious ? min(wanted, exact + 1) : wanted, Double(bounds.most))
        }
        if needsProbe(at: now) { probe(at: now) } else { beginWindow(at: now) }
    }

    /// Lowers the limit by a fifth, once for failures at about the same time.
    private mutating func shrink(at now: NIODeadline) {
        let pause = max(min(baseline ?? 0, 1e10), 1e8)
        if let shrunkAt, Double((now - shrunkAt).nanoseconds) < pause { return }
        shrunkAt = now
        exact = max(exact * 0.8, Double(bounds.least))
        if case .adapting = phase { beginWindow(at: now) }
    }

    private static func median(_ times: [Int64]) -> Double {
        guard !times.isEmpty else { return 1 }
        return Double(times.sorted()[times.count / 2])
    }

    /// Returns what an error says about the load of the server.
    static func outcome(of error: any Error) -> Outcome {
        guard let known = error as? SternaError else { return .unknown }
        switch known.kind {
        // The deadline passed before the server was reached.
        case .timedOut where [.prepare, .resolve].contains(known.phase): return .unknown
        case .timedOut, .connectionFailed, .connectionClosed, .writeFailed, .truncated: return .overloaded
        default: return .unknown
        }
    }

    /// Returns what a status says about the load of the server.
    static func outcome(of status: Int) -> Outcome {
        switch status {
        case 429, 503: .overloaded
        // Other failures do not have the times of normal responses.
        case 500...599: .unknown
        default: .answered
        }
    }
}
