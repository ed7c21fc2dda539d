import HTTPTypes
import NIOCore
import SternaCore

/// Carries one exchange at a time: an HTTP/1 connection, or a stream of an HTTP/2 one.
///
/// The base class holds the state that both kinds share, and is the target of `BodyWriter`. Its properties describe a closed
/// codec; the subclasses override them.
// Invariant: everything is touched on the shard's event loop only.
class ExchangeCodec: @unchecked Sendable {
    /// A response of at most this many bytes is collected before the caller is woken.
    static let collectedBytes = 256 << 10

    final let endpoint: Endpoint
    final let shard: Shard
    final var exchange: Exchange?

    /// The number of exchanges so far, including the current one.
    final var exchangeCount = 0

    /// When bytes last moved in either direction, or the exchange last changed its phase.
    final var lastActivity: NIODeadline

    /// When the response's head must be complete; nil before its first byte.
    final var headLimit: NIODeadline?

    /// When the current throughput window began.
    final var throughputWindow: NIODeadline

    /// The bytes moved for the exchange, and how many of them before `throughputWindow` began.
    final var throughput = Throughput()
    final var marks = ExchangeMarks()

    /// The timeline of the dial, until the first exchange has recorded it.
    final var opening: DialTimeline?

    /// The connection's addresses; nil until an exchange with metrics needs them.
    var addresses: ConnectionAddresses?
    final var writer: BodyWriter?

    /// A body that waits for the server to ask for it.
    final var held: BodyWriter?
    final var continueTimer: ClockTimer?
    final var meter = ProgressMeter()
    // Invariant: accesses never overlap, since a buffer calls no other code.
    @exclusivity(unchecked) final var collected: Bytes?
    final var pipe: BodyPipe?
    final var pace = DeliveryPace()

    /// Whether bytes are held back and the reader's wake-up is scheduled.
    final var deliveryIsDue = false

    /// The number of body bytes taken at the last poll; `takenAt` is the time of that poll.
    final var lastTaken = 0
    final var takenAt = NIODeadline.distantPast

    /// The unwritten rest, at the last poll, of a body that was handed over as a whole.
    final var lastLeft = 0

    init(endpoint: Endpoint, shard: Shard) {
        self.endpoint = endpoint
        self.shard = shard
        lastActivity = shard.clock.now
        throughputWindow = lastActivity
    }

    /// Begins an exchange.
    final func take(_ exchange: Exchange) {
        shard.loop.assertInEventLoop()
        exchange.codec = self
        exchange.phase = .writing
        exchangeCount += 1
        self.exchange = exchange
        lastActivity = shard.clock.now
        headLimit = nil
        shard.counts.requests += 1
        throughputWindow = lastActivity
        throughput = Throughput()
        pace = DeliveryPace()
        lastLeft = exchange.request.body == nil ? 0 : .max
        let amounts = exchange.request.timeouts.amounts
        var first = lastActivity + min(amounts.firstByte, min(amounts.betweenBytes, amounts.write))
        if let least = exchange.request.timeouts.minimumThroughput { first = min(first, lastActivity + least.amount) }
        shard.tickNoLater(than: min(exchange.deadline, first))
    }

    /// Called when the exchange's time is paused.
    func timeStandsStill() {}

    /// Restarts all limits after the exchange's time was paused.
    final func timeGoesOn() {
        shard.loop.assertInEventLoop()
        lastActivity = shard.clock.now
        throughputWindow = lastActivity
        // The totals stay, as the metrics count them.
        throughput.counted = moved
        if let exchange, headLimit != nil { headLimit = lastActivity + exchange.request.timeouts.amounts.firstByte }
    }

    /// The channel of the connection or stream.
    var channel: (any Channel)? { nil }

    /// The TLS version; nil without TLS.
    var tlsVersion: String? { nil }

    /// Whether the response's head has arrived.
    var hasHead: Bool { false }

    /// Whether reading is paused because the caller has not read the response's body.
    var isReadHeld: Bool { false }

    /// The number of bytes handed to the channel that the network has not taken yet.
    var unwrittenBytes: Int { 0 }

    /// Ends the exchange with an error.
    func fail(_ error: SternaError) {}

    // MARK: Requirements of BodyWriter

    /// Whether the codec can send file regions without reading them.
    var takesFileRegions: Bool { false }

    /// Whether the codec still accepts a body.
    var isOpen: Bool { false }

    /// Whether the channel accepts more bytes now; otherwise the writer continues when it does again.
    var hasRoom: Bool { false }

    /// Writes a piece of the body.
    func write(_ piece: BodyPiece, _ promise: EventLoopPromise<Void>) {}

    /// Flushes the written pieces.
    func flush() {}

    /// Ends the body; throws for invalid trailer fields. Returns whether all of it was handed over; otherwise the codec reports
    /// that later.
    @discardableResult
    func endBody(_ trailers: HTTPFields?) throws(SternaError) -> Bool { false }
}

/// A piece of a body in the form that is written.
enum BodyPiece {
    case bytes(Bytes)
    case region(FileRegion)

    var count: Int {
        switch self {
        case .bytes(let bytes): bytes.readableBytes
        case .region(let region): region.readableBytes
        }
    }
}
