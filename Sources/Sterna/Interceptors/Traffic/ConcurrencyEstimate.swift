import NIOCore
import SternaCore

/// How many requests an origin serves at once without queueing them: a value, without a clock.
///
/// It compares the median time to a response with that of a few requests at a time, its baseline. While both are alike the limit grows;
/// beyond the server's capacity requests queue there, and the limit shrinks in the proportion of the times. The baseline is measured
/// anew now and then, since servers become faster and slower. Failures by overload shrink the limit at once.
struct ConcurrencyEstimate: Sendable {
    /// The bounds of the limit.
    struct Bounds: Sendable, Hashable {
        let least: Int
        let most: Int

        init(least: Int, most: Int) {
            self.least = max(least, 1)
            self.most = max(most, self.least)
        }

        /// The number of requests at the same time while the baseline is measured.
        var few: Int { min(max(least, 3), most) }
    }

    /// How a request has ended.
    enum Outcome: Sendable, Hashable {
        /// With a response.
        case answered
        /// In a way that tells of too much load.
        case overloaded
        /// Nothing that tells how the server is, such as a cancellation.
        case unknown
    }

    private enum Phase: Sendable {
        /// Few requests at a time measure the baseline.
        case probing(since: NIODeadline)
        case adapting
    }

    private let bounds: Bounds
    private var phase: Phase?

    /// The limit with its fraction, apart from probes.
    private(set) var exact: Double

    /// The median time to a response that few requests at a time had, in nanoseconds; nil until it is known.
    private(set) var baseline: Double?

    /// The times of the present window, in nanoseconds.
    private var times: [Int64] = []

    /// The maximum number of requests under way in the window.
    private var peak = 0

    /// When the window began; requests that were sent before it tell of another limit.
    private var windowBegan: NIODeadline?
    private var probedAt: NIODeadline?
    private var shrunkAt: NIODeadline?

    /// The number of times that make a baseline, and the least for a window.
    static let leastTimes = 10

    /// The largest number of times in a window.
    private static let mostTimes = 64

    /// By how much times may exceed the baseline without being a queue.
    private static let tolerance = 1.1

    /// The least time between two probes.
    private static let probePause = TimeAmount.seconds(30)

    /// How long growth stays slow after an overload.
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
    ///   - inFlight: the number of requests under way when it was sent, itself included.
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
                // A few slow requests would hold up all others; what is known has to do.
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

    /// Whether it is time for a new baseline. A probe of slow requests takes longer, so there are fewer.
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
            // Without a demand for it nothing tells whether a higher limit is right.
            exact = min(isCautious ? min(wanted, exact + 1) : wanted, Double(bounds.most))
        }
        if needsProbe(at: now) { probe(at: now) } else { beginWindow(at: now) }
    }

    /// Lowers the limit by a fifth, once for the failures of about the same time.
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

    /// What an error of a request says about the load of its server.
    static func outcome(of error: any Error) -> Outcome {
        guard let known = error as? SternaError else { return .unknown }
        switch known.kind {
        // A deadline that passed earlier is the caller's own.
        case .timedOut where [.prepare, .resolve].contains(known.phase): return .unknown
        case .timedOut, .connectionFailed, .connectionClosed, .writeFailed, .truncated: return .overloaded
        default: return .unknown
        }
    }

    /// What a status says about the load of its server.
    static func outcome(of status: Int) -> Outcome {
        switch status {
        case 429, 503: .overloaded
        // Other failures come sooner or later than answers do.
        case 500...599: .unknown
        default: .answered
        }
    }
}
