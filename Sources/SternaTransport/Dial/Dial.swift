import NIOCore
import SternaCore
import SternaSecurity
import Synchronization

/// One attempt to open a connection to an endpoint, for no request in particular.
// Invariant: the stored `var`s are touched on the shard's event loop only.
final class Dial: @unchecked Sendable {
    let endpoint: Endpoint
    let shard: Shard

    /// The time-outs that it keeps: those of the request that it was begun for.
    let timeouts: Timeouts

    /// Whether a connection of another origin may be used in place of its own.
    let mayShare: Bool

    /// Its place among the shard's dials.
    var index = 0

    /// What is known of it so far. Requests that wait for it look at that from elsewhere.
    struct Progress: Sendable {
        var phase = SternaError.Phase.resolve
        var timeline: DialTimeline
    }

    private let known: Mutex<Progress>

    /// What the policy's rotating identity was when the handshake began.
    var rotation: ClientIdentity?

    /// What it has learnt of the proxy's credentials.
    var proxyTurn: ProxyAuthentication.Turn?
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

    /// How far it has come; changed on the event loop only.
    var phase: SternaError.Phase {
        get { known.withLock { $0.phase } }
        set { known.withLock { $0.phase = newValue } }
    }

    /// When its parts came to their ends; changed on the event loop only.
    var timeline: DialTimeline {
        get { known.withLock { $0.timeline } }
        set { known.withLock { $0.timeline = newValue } }
    }

    var limits: DialLimits { DialLimits(timeouts) }

    /// Tells the observer of the request that counts as having this dial, if one does.
    func tell(_ event: @escaping @Sendable (any NetworkObserver, ObservedRequest) -> Void) {
        endpoint.change { $0.waiter(of: self)?.recorder }?.report(shard.clock.now, event)?()
    }

    /// Gives it up from anywhere.
    func cancelSoon() { shard.loop.execute { self.cancel() } }

    /// Takes note of a channel that is being connected; there may be one for each address of the host.
    func track(_ channel: any Channel) {
        shard.loop.assertInEventLoop()
        channels.append(channel)
        if isCancelled { channel.close(promise: nil) }
    }

    /// What it has opened is not its own any more.
    func letGo() { channels = [] }

    /// What ends the part that is under way.
    func whenCancelled(_ cancellation: (() -> Void)?) {
        shard.loop.assertInEventLoop()
        self.cancellation = cancellation
        if isCancelled { cancellation?() }
    }

    /// Gives it up: it fails soon.
    func cancel() {
        shard.loop.assertInEventLoop()
        guard !isCancelled else { return }
        isCancelled = true
        let (cancellation, channels) = (cancellation, channels)
        end()
        cancellation?()
        for channel in channels { channel.close(promise: nil) }
    }

    /// It has come to its end, and holds nothing any more.
    func end() {
        cancellation = nil
        channels = []
    }
}

/// How long the parts of a dial may take.
struct DialLimits: Equatable {
    private let resolve, connect, proxy, tls: TimeAmount

    init(_ timeouts: Timeouts) {
        let amounts = timeouts.amounts
        (resolve, connect, proxy, tls) = (amounts.resolve, amounts.connect, amounts.proxy, amounts.tls)
    }

    /// Whether a part may take no longer than by others.
    func areNoLonger(than others: DialLimits, in phase: SternaError.Phase) -> Bool {
        switch phase {
        case .resolve: resolve <= others.resolve
        case .connect: connect <= others.connect
        case .proxy: proxy <= others.proxy
        case .tls: tls <= others.tls
        default: false
        }
    }

    /// The shortest of them.
    var least: TimeAmount { min(min(resolve, connect), min(proxy, tls)) }
}

/// When the parts of a dial came to their ends, and what they brought.
struct DialTimeline: Sendable {
    var began: NIODeadline
    var hasProxy = false
    var isTLS = false
    var resolved: NIODeadline?
    var connected: NIODeadline?
    var proxied: NIODeadline?
    var secured: NIODeadline?
    var tlsVersion: String?
    var localAddress: String?
    var remoteAddress: String?
    var address: IPAddress?

    /// What was found of a connection that turned out to be of no use.
    mutating func forgetConnection() {
        (resolved, connected, localAddress, remoteAddress, address) = (nil, nil, nil, nil, nil)
    }

    /// Writes the parts into an attempt's metrics; one that has not come to its end lasts until the moment given.
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
