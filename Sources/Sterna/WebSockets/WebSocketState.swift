import DequeModule
import NIOCore
import SternaCore
import SternaSerialization

/// The state of a ``WebSocketConnection``: what has arrived, the turns of senders, and the close; a value without I/O.
///
/// Each function is called under the connection's lock, and returns what the connection has to do after unlocking.
struct WebSocketState: Sendable {
    /// The thread that parses received bytes.
    enum Parsing: Sendable, Hashable {
        /// The event loop, as they arrive.
        case loop
        /// None, since the queue is full; bytes that arrive are stored.
        case paused
        /// The task that has made room in the queue.
        case elsewhere
        /// None from now on; bytes that arrive are dropped.
        case over
    }

    /// How the peer's direction ended.
    enum InputEnd: Sendable {
        case orderly
        case failed(SternaError)
    }

    /// How the WebSocket ended.
    struct Ending: Sendable {
        let closure: WebSocket.Closure
        /// The error of the reader; nil if its sequence just ends.
        let error: SternaError?
    }

    /// A close frame to send.
    struct CloseOrder: Sendable, Hashable {
        let code: UInt16
        let reason: String
        /// Whether this side ends its direction afterwards.
        let finishes: Bool
    }

    /// What a sender has to do when it gives up its turn.
    enum Release: Sendable {
        case none
        /// Ends the wait of the next sender, or releases the turn again if that was cancelled.
        case hand(Wait<Void>)
        case close(CloseOrder)
    }

    struct Ping: Sendable {
        let number: UInt64
        let sent: ContinuousClock.Instant
        /// The wait of the caller; nil for a ping that keeps the connection alive.
        let wait: Wait<Duration>?
    }

    /// The bounds of the queue: the peer is read on when half of it has been read.
    static let queuedParts = 64
    static let queuedBytes = 256 << 10

    /// How many times as much may wait during the closing handshake, and while a ping of the program waits for its answer.
    private static let waitingFactor = 16

    private let messageBytes: Int

    // What has arrived.
    var parsing = Parsing.loop
    var backlog: Bytes?
    var inputEnd: InputEnd?
    private(set) var queue: Deque<WebSocketPart> = []
    private var byteCount = 0
    /// The message that is being collected.
    private var partial: WebSocketPart?
    private var reader: Wait<WebSocketPart?>?
    private var claim: ObjectIdentifier?
    private var readsPieces = false
    /// Whether no program reads any more.
    private var isAbandoned = false

    // What is sent.
    private var isTaken = false
    private var isPutting = false
    private var senders: Deque<Wait<Void>> = []

    // The close.
    private(set) var closing: WebSocket.Closure?
    private(set) var isCloseSent = false
    private var owedClose: CloseOrder?
    private(set) var ending: Ending?
    var endWaits: [ObjectIdentifier: Wait<Void>] = [:]

    // Pings and timers.
    private(set) var pings: [Ping] = []
    private var pingNumber: UInt64 = 0
    private(set) var roundTrip: Duration?
    var owedPong: Bytes?
    var sendsPongLater = false
    var keepAlive: (any DuplexTimer)?
    var closeTimer: (any DuplexTimer)?

    init(messageBytes: Int) { self.messageBytes = messageBytes }

    // MARK: Arrived content

    enum Acceptance: Sendable {
        case goOn
        /// The queue is full, so parsing stops.
        case paused
        /// The reader waits for this part.
        case hand(Wait<WebSocketPart?>, WebSocketPart)
        case tooBig
        /// The WebSocket has ended.
        case over
    }

    /// Takes a part that was parsed.
    mutating func accept(_ part: WebSocketPart) -> Acceptance {
        guard ending == nil else { return .over }
        guard !isAbandoned else { return .goOn }
        guard !readsPieces else { return offer(part) }
        switch collect(part) {
        case .incomplete: return .goOn
        case .tooBig: return .tooBig
        case .whole(let message): return offer(message)
        }
    }

    /// Gives a part to the reader, or puts it into the queue.
    mutating func offer(_ part: WebSocketPart) -> Acceptance {
        if let reader = reader.take() { return .hand(reader, part) }
        // The peer's close is behind what no task reads.
        if closing != nil, claim == nil, isFull {
            isAbandoned = true
            return .goOn
        }
        enqueue(part)
        guard isFull else { return .goOn }
        parsing = .paused
        return .paused
    }

    private mutating func enqueue(_ part: WebSocketPart) {
        var part = part
        part.bytes = part.bytes.withoutSurplus
        byteCount += part.bytes.count
        queue.append(part)
    }

    private var isFull: Bool { queue.count >= factor * Self.queuedParts || byteCount >= factor * Self.queuedBytes }

    /// More may wait if the peer's close or pong is expected, since the task that reads may be the one that waits for it.
    private var factor: Int { closing == nil && !pings.contains { $0.wait != nil } ? 1 : Self.waitingFactor }

    private enum Collected {
        case incomplete, tooBig
        case whole(WebSocketPart)
    }

    private mutating func collect(_ part: WebSocketPart) -> Collected {
        if part.isFirst {
            partial = nil
        } else if partial == nil {
            // The rest of a message whose beginning was read in pieces.
            return .incomplete
        }
        guard part.bytes.count <= messageBytes - (partial?.bytes.count ?? 0) else {
            partial = nil
            return .tooBig
        }
        if part.isWhole { return .whole(part) }
        if partial == nil {
            partial = part
            partial?.bytes = part.bytes.withoutSurplus
        } else {
            partial?.bytes.writeImmutableBuffer(part.bytes)
        }
        guard part.isLast, var whole = partial.take() else { return .incomplete }
        whole.isLast = true
        return .whole(whole)
    }

    // MARK: The reader

    enum Taken: Sendable {
        case part(WebSocketPart, resumes: Bool)
        case end(Ending)
        case wait(Wait<WebSocketPart?>, resumes: Bool)
        /// Another reader has the WebSocket.
        case busy
    }

    /// Returns the next part for a reader, or its wait.
    mutating func take(_ id: ObjectIdentifier) -> Taken {
        guard claim == id, reader == nil else { return .busy }
        if let part = queue.popFirst() {
            byteCount -= part.bytes.count
            return .part(part, resumes: beginsParsing())
        }
        if let ending { return .end(ending) }
        let wait = Wait<WebSocketPart?>()
        reader = wait
        return .wait(wait, resumes: beginsParsing())
    }

    /// Forgets a wait that was cancelled.
    mutating func leave(_ wait: Wait<WebSocketPart?>) {
        if reader === wait { reader = nil }
    }

    /// Whether received bytes wait for room in the queue, or are being parsed after it.
    var isBehind: Bool { parsing == .paused || parsing == .elsewhere }

    /// Whether parsing goes on after a pause; the caller then parses.
    mutating func beginsParsing() -> Bool {
        guard parsing == .paused else { return false }
        guard
            isAbandoned || closing != nil && claim == nil
                || queue.count <= factor * Self.queuedParts / 2 && byteCount <= factor * Self.queuedBytes / 2
        else { return false }
        parsing = .elsewhere
        return true
    }

    enum Claim: Sendable, Hashable {
        case granted, refused
        /// A message that is to be collected is too big.
        case tooBig
    }

    /// Gives the messages to a reader, or to a reader of pieces; refuses if another one has them.
    mutating func claim(_ id: ObjectIdentifier, pieces: Bool) -> Claim {
        guard claim == nil || claim == id else { return .refused }
        claim = id
        guard pieces != readsPieces else { return .granted }
        readsPieces = pieces
        if pieces {
            if let partial = partial.take() { enqueue(partial) }
            return .granted
        }
        let parts = queue
        (queue, byteCount) = ([], 0)
        for part in parts {
            switch collect(part) {
            case .incomplete: break
            case .whole(let message): enqueue(message)
            case .tooBig: return .tooBig
            }
        }
        return .granted
    }

    mutating func release(_ id: ObjectIdentifier) {
        if claim == id { claim = nil }
    }

    /// Drops content from now on, since no program can read it.
    mutating func abandon() {
        isAbandoned = true
        (queue, byteCount, partial) = ([], 0, nil)
    }

    // MARK: Senders

    /// The number of senders that wait for their turn.
    var waitingSenders: Int { senders.count }

    /// Whether a reader waits for a message.
    var isAwaited: Bool { reader != nil }

    /// Takes the turn to send, with the right to put a frame at once, and returns nil; or returns the wait for it.
    mutating func beginSend() throws(SternaError) -> Wait<Void>? {
        if let refusal { throw refusal }
        if !isTaken {
            (isTaken, isPutting) = (true, true)
            return nil
        }
        let wait = Wait<Void>()
        senders.append(wait)
        return wait
    }

    /// The error of a message that is not sent any more; nil while messages may be sent.
    var refusal: SternaError? {
        if let ending { return ending.closure.error(phase: .write, "Nothing was sent.") }
        return closing?.error(phase: .write, "Nothing was sent.")
    }

    /// Forgets a sender that was cancelled.
    mutating func leave(_ wait: Wait<Void>) {
        senders.removeAll { $0 === wait }
    }

    /// Permits the sender that has the turn to put a frame.
    mutating func beginPut() throws(SternaError) {
        if let ending { throw ending.closure.error(phase: .write, "Nothing was sent.") }
        if isCloseSent, let closing { throw closing.error(phase: .write, "Nothing was sent.") }
        isPutting = true
    }

    /// Ends the right to put frames, for a sender that keeps its turn.
    mutating func endPut() -> Release {
        isPutting = false
        return owedClose.take().map { .close($0) } ?? .none
    }

    /// Ends a sender's turn.
    mutating func endSend() -> Release {
        isPutting = false
        if let owed = owedClose.take() {
            isTaken = false
            return .close(owed)
        }
        if let next = senders.popFirst() { return .hand(next) }
        isTaken = false
        guard let closing, !isCloseSent else { return .none }
        isCloseSent = true
        return .close(CloseOrder(code: closing.code.rawValue, reason: closing.reason, finishes: false))
    }

    // MARK: The close

    /// Begins to close after the messages that wait for their turn. Returns nil if it has begun before.
    mutating func requestClose(_ closure: WebSocket.Closure) -> Release? {
        guard closing == nil, ending == nil else { return nil }
        closing = closure
        guard !isTaken else { return Release.none }
        isCloseSent = true
        return .close(CloseOrder(code: closure.code.rawValue, reason: closure.reason, finishes: false))
    }

    /// Sends a close frame before all messages that have not been sent; only the frame that is being put goes first.
    mutating func closeNow(_ closure: WebSocket.Closure, finishes: Bool = false) -> Release {
        guard !isCloseSent else { return .none }
        closing = closure
        isCloseSent = true
        let order = CloseOrder(code: closure.code.rawValue, reason: closure.reason, finishes: finishes)
        guard !isPutting else {
            owedClose = order
            return .none
        }
        return .close(order)
    }

    /// The tasks and timers that the end concerns.
    struct Wakes: Sendable {
        var reader: Wait<WebSocketPart?>?
        var senders: [Wait<Void>] = []
        var pings: [Wait<Duration>] = []
        var ends: [Wait<Void>] = []
        var keepAlive: (any DuplexTimer)?
    }

    /// Ends the WebSocket; messages that have arrived can still be read. Returns nil if it has ended before.
    mutating func end(_ closure: WebSocket.Closure, _ error: SternaError?) -> Wakes? {
        guard ending == nil else { return nil }
        ending = Ending(closure: closure, error: error)
        parsing = .over
        (backlog, partial, owedPong) = (nil, nil, nil)
        let wakes = Wakes(
            reader: reader.take(), senders: Array(senders), pings: pings.compactMap(\.wait),
            ends: Array(endWaits.values),
            keepAlive: keepAlive.take())
        (senders, pings, endWaits) = ([], [], [:])
        return wakes
    }

    // MARK: Pings

    /// Returns the number of a new ping.
    mutating func addPing(_ wait: Wait<Duration>?) -> UInt64 {
        pingNumber &+= 1
        pings.append(Ping(number: pingNumber, sent: .now, wait: wait))
        return pingNumber
    }

    /// Removes a ping that is not answered, and returns its caller's wait.
    mutating func removePing(_ number: UInt64) -> Wait<Duration>? {
        pings.firstIndex { $0.number == number }.flatMap { pings.remove(at: $0).wait }
    }

    /// Whether a ping that keeps the connection alive has not been answered.
    var awaitsKeepAlive: Bool { pings.contains { $0.wait == nil } }

    mutating func removeKeepAlive() { pings.removeAll { $0.wait == nil } }

    /// Returns the answered pings: the peer may answer the last of several alone (RFC 6455, 5.5.3).
    mutating func answered(_ number: UInt64) -> [Ping] {
        guard let index = pings.firstIndex(where: { $0.number == number }) else { return [] }
        let answered = Array(pings[...index])
        pings.removeFirst(index + 1)
        roundTrip = answered.last.map { $0.sent.duration(to: .now) }
        return answered
    }
}
