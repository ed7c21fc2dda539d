import HTTPTypes
import NIOCore
import SternaCore

/// What carries one exchange at a time: an HTTP/1 connection, or a stream of an HTTP/2 one.
///
/// It holds what both keep of an exchange, and is what a body's writer writes to. What it says of itself here is of one that
/// is gone; the two kinds say more.
// Invariant: everything is touched on the shard's event loop only.
class Carrier: @unchecked Sendable {
    /// A response of this size or less is collected before the caller is woken.
    static let collectedBytes = 256 << 10

    final let endpoint: Endpoint
    final let shard: Shard
    final var exchange: Exchange?

    /// How many exchanges it has carried, the one under way among them.
    final var exchangeCount = 0

    /// When bytes last moved in either direction, or the exchange last changed its phase.
    final var lastActivity: NIODeadline

    /// When the response's head must be complete; nil before its first byte.
    final var headLimit: NIODeadline?

    /// When the present measure of speed began.
    final var throughputWindow: NIODeadline

    /// What has moved since `throughputWindow` began.
    final var throughput = Throughput()
    final var marks = ExchangeMarks()

    /// How its dial went, until the first exchange has taken note of it.
    final var opening: DialTimeline?
    final var writer: BodyWriter?

    /// A body that waits for the server to ask for it.
    final var held: BodyWriter?
    final var continueTimer: ClockTimer?
    final var meter = ProgressMeter()
    final var collected: Bytes?
    final var pipe: BodyPipe?
    final var pace = DeliveryPace()

    /// Whether bytes are held for the reader, who is woken for them in a moment.
    final var deliveryIsDue = false

    /// How much of a body the network had taken when it was asked last, and when that was.
    final var lastTaken = 0
    final var takenAt = NIODeadline.distantPast

    /// How much of a body that is on its way as a whole was left when it was asked last.
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
        exchange.carrier = self
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

    /// Begins all limits anew: time has stood still for the exchange.
    final func timeGoesOn() {
        lastActivity = shard.clock.now
        throughputWindow = lastActivity
        throughput = Throughput()
        if let exchange, headLimit != nil { headLimit = lastActivity + exchange.request.timeouts.amounts.firstByte }
    }

    /// The channel that the bytes go through.
    var channel: (any Channel)? { nil }

    /// The version of TLS that is spoken; nil without TLS.
    var tlsVersion: String? { nil }

    /// Whether the response's head has come.
    var hasHead: Bool { false }

    /// Whether the reader of the response is the one to be waited for.
    var isReadHeld: Bool { false }

    /// How many bytes that were handed over the network has not taken yet.
    var unwrittenBytes: Int { 0 }

    /// Ends the exchange with an error.
    func fail(_ error: SternaError) {}

    // MARK: What a body's writer needs

    /// Whether it can send files without reading them.
    var takesFileRegions: Bool { false }

    /// Whether it still takes a body.
    var isOpen: Bool { false }

    /// Whether it takes more at the moment; the writer is told to go on when it does again.
    var hasRoom: Bool { false }

    /// Takes a piece of the body.
    func write(_ piece: BodyPiece, _ promise: EventLoopPromise<Void>) {}

    /// Sends what it has taken.
    func flush() {}

    /// Ends the body; throws where the trailer fields are none. Whether all of it is on its way: else it says so later.
    @discardableResult
    func endBody(_ trailers: HTTPFields?) throws(SternaError) -> Bool { false }
}

/// What a body consists of when it is written.
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
