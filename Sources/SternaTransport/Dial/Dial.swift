import NIOCore
import SternaCore

/// One attempt to open a connection, and the exchange that it was begun for.
// Invariant: everything is touched on the shard's event loop only.
final class Dial: @unchecked Sendable {
    let exchange: Exchange
    let endpoint: Endpoint
    let shard: Shard

    /// Who had come into the line by then.
    let lastTicket: Int

    /// How far it has come.
    var phase = SternaError.Phase.resolve
    var timeline = DialTimeline()
    private var channels: [any Channel] = []
    private var cancellation: (() -> Void)?
    private(set) var isCancelled = false

    init(for exchange: Exchange, to endpoint: Endpoint, on shard: Shard, lastTicket: Int) {
        self.exchange = exchange
        self.endpoint = endpoint
        self.shard = shard
        self.lastTicket = lastTicket
    }

    /// Takes note of a channel that is being connected; there may be one for each address of the host.
    func track(_ channel: any Channel) {
        channels.append(channel)
        if isCancelled { channel.close(promise: nil) }
    }

    /// What ends the part that is under way.
    func whenCancelled(_ cancellation: (() -> Void)?) {
        self.cancellation = cancellation
        if isCancelled { cancellation?() }
    }

    /// Gives it up: it fails soon.
    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        cancellation?()
        for channel in channels { channel.close(promise: nil) }
    }
}

/// When the parts of a dial came to their ends, and what they brought.
struct DialTimeline {
    var began = NIODeadline.now()
    var resolved: NIODeadline?
    var connected: NIODeadline?
    var proxied: NIODeadline?
    var secured: NIODeadline?
    var tlsVersion: String?
    var localAddress: String?
    var remoteAddress: String?

    /// Writes the parts into an attempt's metrics; one that has not come to its end lasts until the moment given.
    func note(in attempt: inout AttemptMetrics, _ recorder: MetricsRecorder, until end: NIODeadline? = nil) {
        guard let resolved = resolved ?? connected ?? end else { return }
        if self.resolved != nil || connected == nil { attempt.resolve = recorder.span(began, resolved) }
        guard self.resolved != nil || connected != nil else { return }
        attempt.connect = recorder.span(self.resolved ?? began, connected ?? end)
        guard let connected else { return }
        attempt.proxying = recorder.span(connected, proxied)
        attempt.tls = recorder.span(proxied ?? connected, secured)
        attempt.tlsVersion = tlsVersion
        attempt.remoteAddress = remoteAddress
        attempt.localAddress = localAddress
    }
}
