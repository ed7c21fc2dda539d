import HTTPTypes
import NIOCore
import SternaCore
import Synchronization

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

    /// The connection's number and addresses; nil until an exchange with metrics needs them.
    var facts: ConnectionFacts?
    final var writer: BodyWriter?

    /// A body that waits for the server to ask for it.
    final var held: BodyWriter?
    final var continueTimer: ClockTimer?
    final var meter = ProgressMeter()
    // Invariant: accesses never overlap, since a buffer calls no other code.
    @exclusivity(unchecked) final var collected: Bytes?
    final var pipe: BodyPipe?
    final var pace = DeliveryPace()

    /// The bytes both ways after a switch of protocols; nil before.
    final var duplex: DuplexPipe?

    /// Whether output waits for the network, after a switch of protocols.
    final var isStalled = false

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

    /// The number of the stream (RFC 9113, 5.1.1); nil over HTTP/1.
    var streamNumber: Int? { nil }

    /// Whether the response's head has arrived.
    var hasHead: Bool { false }

    /// Whether reading is paused because the caller has not read the response's body.
    var isReadHeld: Bool { false }

    /// The number of bytes handed to the channel that the network has not taken yet.
    var unwrittenBytes: Int { 0 }

    /// Ends the exchange with an error.
    func fail(_ error: SternaError) {}

    // MARK: Requirements of DuplexPipe

    /// Hands bytes to the channel as they are; `flush` sends them.
    func writeDirectly(_ bytes: Bytes) {}

    /// Ends this side's direction.
    func finishOutput() {}

    /// Resumes reading after the pipe or its handler was full.
    func resumeInput() {}

    /// From now on what arrives goes to the pipe's handler, no longer to its reader.
    func hasHandler() { pipe = nil }

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

/// Wakes the reader of a response's body.
extension ExchangeCodec {
    /// Delivers the bytes of one socket read after they were parsed.
    final func deliverBody(at now: NIODeadline) {
        guard let pipe else { return }
        // Waking a reader on its own event loop is free.
        let least = exchange?.isOnLoop != false ? 1 : pace.least(at: now)
        switch pipe.deliver(atLeast: least) {
        case .notNeeded: break
        case .isDone(let count): pace.delivered(count, at: now)
        case .isHeld(let count):
            guard !deliveryIsDue else { return }
            deliveryIsDue = true
            shard.clock.schedule(in: DeliveryPace.interval, on: shard.loop) { [weak self] in
                self?.deliverHeld(count)
            }
        }
    }

    // If no bytes joined the held ones, holding them gained nothing.
    private func deliverHeld(_ first: Int) {
        deliveryIsDue = false
        guard case .isDone(let count) = pipe?.deliver() else { return }
        pace.delivered(count, at: shard.clock.now)
        if count <= first { pace.wasFruitless() }
    }
}

/// Timestamps of the exchange in progress; set only for exchanges with a recorder.
struct ExchangeMarks {
    var start = NIODeadline.distantPast
    var sent: NIODeadline?
    var firstByte: NIODeadline?
}

/// The facts of a connection as metrics show them, made once for all its exchanges.
final class ConnectionFacts: Sendable {
    private static let last = Atomic<UInt64>(0)

    /// Unique within the process.
    let number = last.wrappingAdd(1, ordering: .relaxed).newValue
    let local: String?
    let remote: String?
    let tls: TLSDetails?

    init(_ opening: DialTimeline?, _ channel: (any Channel)?) {
        tls = opening?.tlsDetails
        local = opening?.localAddress ?? channel?.localAddress?.numericText
        remote = opening?.remoteAddress ?? channel?.remoteAddress?.numericText
    }
}

/// Records an exchange's metrics; called only for exchanges with a recorder.
extension ExchangeCodec {
    final func noteStart(_ exchange: Exchange) {
        guard let recorder = exchange.recorder else { return }
        marks = ExchangeMarks(start: lastActivity)
        let facts = facts ?? ConnectionFacts(opening, channel)
        self.facts = facts
        var isReused = true
        var waitedUntil = lastActivity
        if case .some = opening {
            isReused = exchangeCount > 1
            waitedUntil = max(noteOpening(recorder), exchange.queuedAt)
        }
        recorder.update { attempt in
            attempt.isReused = isReused
            if exchange.queuedAt != .distantFuture { attempt.queue = recorder.span(exchange.queuedAt, waitedUntil) }
            if case .proxy(let proxy) = endpoint.route { attempt.proxy = proxy.description }
            attempt.tlsVersion = tlsVersion
            (attempt.localAddress, attempt.remoteAddress) = (facts.local, facts.remote)
            (attempt.connectionNumber, attempt.streamNumber) = (facts.number, streamNumber)
            attempt.tlsDetails = facts.tls
        }
        recorder.post(.connectionAcquired(isReused: isReused), at: lastActivity)
    }

    /// Records how the connection was opened, and returns when that began.
    // A function of its own, since its copies of the timeline would cost each request on an open connection, too.
    @inline(never)
    private func noteOpening(_ recorder: MetricsRecorder.Attempt) -> NIODeadline {
        guard let opening = opening.take() else { return lastActivity }
        recorder.update { opening.note(in: &$0, recorder) }
        if opening.secured != nil { recorder.post(.tlsEstablished(version: opening.tlsVersion), at: lastActivity) }
        return opening.began
    }

    final func noteSent() {
        guard let exchange, let recorder = exchange.recorder, marks.sent == nil else { return }
        let now = shard.clock.now
        marks.sent = now
        let bytes = Int64(throughput.sent)
        recorder.update { attempt in
            attempt.write = recorder.span(marks.start, now)
            attempt.bytesSent = bytes
        }
        recorder.post(.requestSent(bytes: bytes), at: now)
    }

    final func noteInformational(_ status: Int, _ section: FieldSection, _ exchange: Exchange) {
        // The final response begins later.
        marks.firstByte = nil
        guard exchange.recorder != nil || exchange.request.onInformational != nil else { return }
        let response = InformationalResponse(status: status, headers: section.fields)
        if let inform = exchange.request.onInformational { exchange.callSoon { inform(response) } }
        exchange.recorder?.post(.informationalReceived(response), at: lastActivity)
    }

    final func noteHead(_ status: Int, _ version: HTTPVersion, _ section: FieldSection, _ exchange: Exchange) {
        guard let recorder = exchange.recorder else { return }
        marks.firstByte = marks.firstByte ?? lastActivity
        recorder.update { attempt in
            attempt.status = status
            attempt.version = version
            attempt.wait = recorder.span(marks.sent ?? marks.start, marks.firstByte ?? lastActivity)
        }
        let url = exchange.request.url
        recorder.post(
            .responseBegan(Response(status: .init(code: status), version: version, section: section, url: url)),
            at: lastActivity)
    }

    final func noteCounts() {
        let (sent, received) = (Int64(throughput.sent), Int64(throughput.received))
        exchange?.recorder?.update { attempt in
            attempt.bytesSent = sent
            attempt.bytesReceived = received
        }
    }

    /// Records a failure; the phase in progress ends now.
    final func noteFailure() {
        noteCounts()
        guard let exchange, let recorder = exchange.recorder else { return }
        let now = shard.clock.now
        recorder.update { attempt in
            if exchange.phase == .writing { attempt.write = attempt.write ?? recorder.span(marks.start, now) }
            guard !attempt.isOver, exchange.phase == .waiting || exchange.phase == .reading else { return }
            if attempt.wait == nil { attempt.wait = recorder.span(marks.sent ?? marks.start, marks.firstByte ?? now) }
            if let firstByte = marks.firstByte { attempt.read = recorder.span(firstByte, now) }
        }
    }

    final func noteEnd(_ exchange: Exchange) {
        guard let recorder = exchange.recorder else { return }
        let (sent, received) = (Int64(throughput.sent), Int64(throughput.received))
        recorder.update { attempt in
            (attempt.bytesSent, attempt.bytesReceived) = (sent, received)
            // An attempt that has switched protocols, or whose call was over, has ended before.
            guard !attempt.isOver else { return }
            attempt.read = recorder.span(marks.firstByte ?? lastActivity, lastActivity)
            recorder.end(&attempt, at: lastActivity)
        }
        recorder.post(.responseEnded(bytes: received), at: lastActivity)
    }
}

/// Bytes moved for one exchange.
struct Throughput {
    var sent = 0
    var received = 0

    /// The bytes that had moved when the current throughput window began.
    var counted = 0
}

/// Measures whether an exchange is fast enough.
extension ExchangeCodec {
    /// Starts a new throughput window when the exchange waits for the peer again.
    final func measureAnew() {
        throughputWindow = shard.clock.now
        throughput.counted = moved
        if let least = exchange?.request.timeouts.minimumThroughput {
            shard.tickNoLater(than: throughputWindow + least.amount)
        }
    }

    final var moved: Int { takenBytes + throughput.received }

    /// Returns whether enough bytes moved in the throughput window; if so, starts a new window.
    final func isFastEnough(_ least: Timeouts.Throughput, at now: NIODeadline) -> Bool {
        let moved = moved
        let seconds = Double((now - throughputWindow).nanoseconds) / 1e9
        guard Double(moved - throughput.counted) >= Double(least.bytesPerSecond) * seconds else { return false }
        throughputWindow = now
        throughput.counted = moved
        return true
    }
}

/// Sends a request's body.
extension ExchangeCodec {
    /// Whether the limits of the phase are suspended: the exchange waits for the response's reader, for the body's source, or for
    /// 100 (Continue).
    final var isPaused: Bool { isReadHeld || writer?.isWaitingForSource == true || held != nil && !hasHead }

    /// Holds a body until the server asks for it (`100-continue`).
    final func hold(_ writer: BodyWriter) {
        held = writer
        continueTimer = shard.clock.schedule(in: shard.continueWait, on: shard.loop) { self.sendHeld() }
        exchange?.phase = .waiting
    }

    /// Sends the held body when the server asks for it or the wait is over.
    final func sendHeld() {
        continueTimer?.cancel()
        continueTimer = nil
        guard let held, let exchange, !hasHead, isOpen else { return }
        self.held = nil
        writer = held
        exchange.phase = .writing
        lastActivity = shard.clock.now
        measureAnew()
        watchWriting(exchange)
        held.advance()
    }

    /// Restarts the wait for the response after an interim response, which only shows that the server is alive.
    final func answerIsWaitedForAnew() {
        guard let exchange, exchange.phase == .reading else { return }
        exchange.phase = .waiting
        headLimit = nil
        shard.tickNoLater(than: lastActivity + exchange.request.timeouts.amounts.firstByte)
    }

    /// Whether the request has an upload progress callback.
    final var hasUploadObserver: Bool { exchange?.request.uploadProgress != nil }

    /// Counts body bytes that the network has taken.
    final func bodyAdvanced(by bytes: Int, ofExchange number: Int) {
        guard number == exchangeCount else { return }
        lastActivity = shard.clock.now
        throughput.sent += bytes
        guard hasUploadObserver else { return }
        meter.add(bytes, at: lastActivity)
        report(meter.progress(at: lastActivity))
    }

    /// Reports upload progress to the caller.
    final func report(_ progress: TransferProgress) {
        guard let exchange, let report = exchange.request.uploadProgress else { return }
        exchange.callSoon { report(progress) }
    }

    /// Starts polling the write progress several times per limit, since the network reports nothing before the end of a piece.
    final func watchWriting(_ exchange: Exchange) {
        lastTaken = takenBytes
        takenAt = shard.clock.now
        shard.tickNoLater(than: nextCheck(exchange))
    }

    /// When to poll next. Bytes taken shortly before a poll count as taken then, so limits are accurate to an eighth.
    final func nextCheck(_ exchange: Exchange) -> NIODeadline {
        let amounts = exchange.request.timeouts.amounts
        let limit = exchange.phase == .writing ? amounts.write : amounts.firstByte
        return takenAt + .nanoseconds(limit.nanoseconds / 8)
    }

    /// Whether the network has not yet taken all of a body that was handed over as a whole.
    final var isLeaving: Bool { lastLeft > 0 && lastLeft < .max }

    /// Returns whether the network has taken bytes since the last call, even part of a write.
    final func hasWrittenOn() -> Bool {
        let taken = takenBytes
        defer { (lastTaken, takenAt) = (taken, shard.clock.now) }
        guard taken > lastTaken else { return false }
        lastActivity = shard.clock.now
        return true
    }

    /// Returns whether the network has taken more of a body that was handed over as a whole. The response cannot arrive before the
    /// rest has left.
    final func hasLeftOn() -> Bool {
        let left = unwrittenBytes
        defer { (lastLeft, takenAt) = (left, shard.clock.now) }
        guard left < lastLeft, left > 0 || lastLeft < .max else { return false }
        lastActivity = shard.clock.now
        return true
    }

    /// The number of body bytes that the network has taken, including part of a piece in progress.
    final var takenBytes: Int {
        guard duplex == nil else { return throughput.sent - unwrittenBytes }
        return writer.map { Int($0.handed) - unwrittenBytes } ?? throughput.sent
    }

    /// Restarts the limits that wait for the peer, now that the body's source has delivered.
    final func sourceDelivered() {
        lastActivity = shard.clock.now
        measureAnew()
        if let exchange { watchWriting(exchange) }
    }

    /// Moves the exchange from writing to waiting once the whole body was handed over.
    final func bodyFinished() {
        writer = nil
        lastActivity = shard.clock.now
        guard let exchange, exchange.phase == .writing else { return }
        exchange.phase = .waiting
        (lastLeft, takenAt) = (unwrittenBytes, lastActivity)
        if exchange.recorder != nil { noteSent() }
        shard.tickNoLater(than: exchange.timeLimit().at)
    }
}

/// Exchanges that have switched protocols: their bytes belong to the program.
extension ExchangeCodec {
    /// Makes the pipe of an exchange that switches protocols, and ends its limits but for the write time-out. Its metrics end here.
    final func switchProtocols(over incoming: BodyPipe) -> DuplexPipe {
        let duplex = DuplexPipe(self, incoming: incoming)
        self.duplex = duplex
        exchange?.phase = .switched
        if let recorder = exchange?.recorder {
            recorder.update { attempt in
                attempt.read = recorder.span(marks.firstByte ?? lastActivity, lastActivity)
                recorder.end(&attempt, at: lastActivity)
            }
        }
        return duplex
    }

    /// Notes that output waits for the network: the write time-out begins.
    final func outputWaits() {
        guard !isStalled, let exchange else { return }
        isStalled = true
        (lastTaken, takenAt) = (takenBytes, shard.clock.now)
        shard.tickNoLater(than: takenAt + exchange.request.timeouts.amounts.write)
    }

    /// Returns whether the network has taken output since the write time-out began, which begins it anew.
    final func takesOutput() -> Bool {
        if hasRoom, duplex?.holdsOutput != true, duplex?.hasFinished != true || unwrittenBytes == 0 {
            isStalled = false
            return true
        }
        let taken = takenBytes
        guard taken > lastTaken else { return false }
        (lastTaken, takenAt) = (taken, shard.clock.now)
        return true
    }
}
