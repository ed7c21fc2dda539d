import NIOCore
import SternaCore
import SternaSecurity
import Synchronization

/// One attempt to open a connection to an endpoint, not bound to a particular request.
// Invariant: the stored `var`s are touched on the shard's event loop only.
final class Dial: ListMember, @unchecked Sendable {
    let endpoint: Endpoint
    let shard: Shard

    /// The timeouts of the request that the dial was started for.
    let timeouts: Timeouts

    /// Whether the dial may end with a connection of another origin.
    let mayShare: Bool

    /// The index in the shard's list of dials; nil outside the list.
    var listIndex: Int?

    /// The dial's progress so far, which requests waiting for it read from other threads.
    struct Progress: Sendable {
        var phase = SternaError.Phase.resolve
        var timeline: DialTimeline
    }

    private let known: Mutex<Progress>

    /// The policy's rotating identity when the handshake began.
    var rotation: ClientIdentity?

    /// The state of the proxy authentication.
    var proxyProgress: ProxyAuthentication.Progress?
    private var channels: [any Channel] = []
    private var cancellation: (() -> Void)?
    private(set) var isCancelled = false

    init(to endpoint: Endpoint, on shard: Shard, timeouts: Timeouts, mayShare: Bool = false) {
        self.endpoint = endpoint
        self.shard = shard
        self.timeouts = timeouts
        self.mayShare = mayShare
        known = Mutex(Progress(timeline: DialTimeline(began: shard.clock.now)))
        timeline.isTLS = endpoint.isTLS
        if case .proxy = endpoint.route { timeline.hasProxy = true }
    }

    var progress: Progress { known.withLock { $0 } }

    /// The current phase; changed on the event loop only.
    var phase: SternaError.Phase {
        get { known.withLock { $0.phase } }
        set { known.withLock { $0.phase = newValue } }
    }

    /// When each phase ended; changed on the event loop only.
    var timeline: DialTimeline {
        get { known.withLock { $0.timeline } }
        set { known.withLock { $0.timeline = newValue } }
    }

    var limits: DialLimits { DialLimits(timeouts) }

    /// Posts an event of the waiting request that this dial is assigned to, if any.
    func post(_ kind: @autoclosure () -> SternaEvent.Kind) {
        endpoint.change { $0.waiter(of: self)?.recorder }?.post(kind(), at: shard.clock.now)
    }

    /// Cancels the dial from any thread.
    func cancelSoon() { shard.loop.execute { self.cancel() } }

    /// Tracks a channel that is being connected; there may be one for each address of the host.
    func track(_ channel: any Channel) {
        shard.loop.assertInEventLoop()
        channels.append(channel)
        if isCancelled { channel.close(promise: nil) }
    }

    /// Releases ownership of the channels that the dial has opened.
    func letGo() { channels = [] }

    /// Sets the closure that cancels the current phase.
    func whenCancelled(_ cancellation: (() -> Void)?) {
        shard.loop.assertInEventLoop()
        self.cancellation = cancellation
        if isCancelled { cancellation?() }
    }

    /// Cancels the dial, which then soon fails.
    func cancel() {
        shard.loop.assertInEventLoop()
        guard !isCancelled else { return }
        isCancelled = true
        let (cancellation, channels) = (cancellation, channels)
        end()
        cancellation?()
        for channel in channels { channel.close(promise: nil) }
    }

    /// Releases everything that the dial holds.
    func end() {
        shard.loop.assertInEventLoop()
        cancellation = nil
        channels = []
    }
}

/// The time limits of a dial's phases.
struct DialLimits: Equatable {
    private let resolve, connect, proxy, tls: TimeAmount

    init(_ timeouts: Timeouts) {
        let amounts = timeouts.amounts
        (resolve, connect, proxy, tls) = (amounts.resolve, amounts.connect, amounts.proxy, amounts.tls)
    }

    /// Whether a phase's limit is at most that of other limits.
    func areNoLonger(than others: DialLimits, in phase: SternaError.Phase) -> Bool {
        switch phase {
        case .resolve: resolve <= others.resolve
        case .connect: connect <= others.connect
        case .proxy: proxy <= others.proxy
        case .tls: tls <= others.tls
        default: false
        }
    }

    /// The shortest limit.
    var least: TimeAmount { min(min(resolve, connect), min(proxy, tls)) }
}

/// When each phase of a dial ended, and its results.
struct DialTimeline: Sendable {
    var began: NIODeadline
    var hasProxy = false
    var isTLS = false
    var resolved: NIODeadline?
    var connected: NIODeadline?
    var proxied: NIODeadline?
    var secured: NIODeadline?
    var tlsVersion: String?
    var tlsDetails: TLSDetails?
    var localAddress: String?
    var remoteAddress: String?
    var address: IPAddress?

    /// Discards what was recorded for a connection that turned out to be useless.
    mutating func forgetConnection() {
        (resolved, connected, localAddress, remoteAddress, address) = (nil, nil, nil, nil, nil)
    }

    /// Writes the phases into an attempt's metrics; an unfinished phase lasts until the given time.
    func note(in attempt: inout AttemptMetrics, _ recorder: MetricsRecorder.Attempt, until end: NIODeadline? = nil) {
        guard let resolved = resolved ?? connected ?? end else { return }
        if self.resolved != nil || connected == nil { attempt.resolve = recorder.span(began, resolved) }
        guard self.resolved != nil || connected != nil else { return }
        attempt.connect = recorder.span(self.resolved ?? began, connected ?? end)
        guard let connected else { return }
        attempt.remoteAddress = remoteAddress
        attempt.localAddress = localAddress
        attempt.proxying = recorder.span(connected, hasProxy ? proxied ?? end : nil)
        guard !hasProxy || proxied != nil else { return }
        attempt.tls = recorder.span(proxied ?? connected, isTLS ? secured ?? end : nil)
        attempt.tlsVersion = tlsVersion
    }
}
