import NIOCore
import SternaCore
import SternaSecurity

/// One attempt to open a connection, and the exchange that it was begun for.
// Invariant: everything is touched on the shard's event loop only.
final class Dial: @unchecked Sendable {
    /// Whom it is for: whoever it was begun for, or who needs it since that one has another connection.
    var exchange: Exchange
    let endpoint: Endpoint
    let shard: Shard

    /// Who had come into the line by then.
    let lastTicket: Int
    let began: Int64

    /// The time-outs that it keeps: those of whom it was begun for.
    let limits: DialLimits

    /// Its place among the shard's dials.
    var index = 0

    /// How far it has come.
    var phase = SternaError.Phase.resolve
    var timeline = DialTimeline()

    /// What the policy's rotating identity was when the handshake began.
    var rotation: ClientIdentity?
    private var channels: [any Channel] = []
    private var cancellation: (() -> Void)?
    private(set) var isCancelled = false

    init(for exchange: Exchange, to endpoint: Endpoint, on shard: Shard, lastTicket: Int) {
        self.exchange = exchange
        self.endpoint = endpoint
        self.shard = shard
        self.lastTicket = lastTicket
        began = shard.now
        limits = DialLimits(exchange)
        timeline.isTLS = endpoint.isTLS
        if case .proxy = endpoint.route { timeline.hasProxy = true }
    }

    /// Takes note of a channel that is being connected; there may be one for each address of the host.
    func track(_ channel: any Channel) {
        channels.append(channel)
        if isCancelled { channel.close(promise: nil) }
    }

    /// What it has opened is not its own any more.
    func letGo() { channels = [] }

    /// What ends the part that is under way.
    func whenCancelled(_ cancellation: (() -> Void)?) {
        self.cancellation = cancellation
        if isCancelled { cancellation?() }
    }

    /// Gives it up: it fails soon.
    func cancel() {
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

    init(_ exchange: Exchange) {
        let amounts = exchange.request.timeouts.amounts
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
struct DialTimeline {
    var began = NIODeadline.now()
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
