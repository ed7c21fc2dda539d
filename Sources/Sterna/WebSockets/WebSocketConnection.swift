import NIOCore
import SternaCore
import SternaSerialization
import Synchronization

/// Runs a WebSocket over a duplex stream.
///
/// What arrives is parsed on the stream's event loop, which answers pings and the peer's close, and hands messages to the waiting
/// reader or to a bounded queue. When the queue is full, the stream pauses; the task that has read half of it parses what is left,
/// and resumes the stream. Senders have turns in the order of their calls.
///
/// The stream and this object refer to each other until the stream ends. The public ``WebSocket`` refers to this object alone, so
/// that its release can end both.
final class WebSocketConnection: DuplexHandler {
    let stream: any DuplexStream
    private let settings: WebSocketSettings
    private let request: Request?

    /// Receives the messages; nil unless the call is observed.
    private let context: (any EventContext)?
    private let state: Mutex<WebSocketState>

    // Invariant: touched only by the thread that parses, see `WebSocketState.Parsing`, which changes under the lock, or from `loop`
    // to `paused` before `holdsBytes` is set, on the event loop itself.
    @exclusivity(unchecked)
    nonisolated(unsafe) private var reader: WebSocketReader

    // Invariant: touched only by the sender that has the turn, which passes on under the lock.
    @exclusivity(unchecked)
    nonisolated(unsafe) private var writer: WebSocketWriter
    private let controls = WebSocketWriter(.client)

    /// Whether bytes that arrive are not parsed at once.
    private let holdsBytes = Atomic(false)

    /// Whether bytes have arrived since the last ping.
    private let hasHeard = Atomic(false)

    /// How long the connection waits for the server to end it after the closing handshake (RFC 6455, 7.1.1).
    private static let lingering = Duration.seconds(1)

    /// - Parameters:
    ///   - request: the handshake's request, for errors and metrics.
    init(
        _ stream: any DuplexStream, _ settings: WebSocketSettings, deflate: WebSocketDeflate? = nil,
        request: Request? = nil
    ) {
        self.stream = stream
        self.settings = settings
        self.request = request
        context = request?.recorder?.context
        state = Mutex(WebSocketState(messageBytes: settings.messageBytes))
        var limits = WebSocketLimits()
        limits.frameBytes = settings.frameBytes
        limits.fragmentCount = settings.fragmentCount
        // Messages are limited where they are collected, since those that are read in pieces may have any size.
        limits.messageBytes = nil
        reader = WebSocketReader(.client, limits: limits, deflate: deflate)
        writer = WebSocketWriter(.client, deflate: deflate)
    }

    /// Begins to read, and to send pings.
    func start() {
        stream.deliver(to: self)
        scheduleKeepAlive()
    }

    // MARK: In

    func received(_ bytes: Bytes) -> Bool {
        hasHeard.store(true, ordering: .relaxed)
        if holdsBytes.load(ordering: .acquiring), let readsOn = hold(bytes) { return readsOn }
        reader.append(bytes)
        return parse() != .paused
    }

    /// Stores or drops bytes; returns whether to read on, or nil if the event loop parses them after all.
    @inline(never)
    private func hold(_ bytes: Bytes) -> Bool? {
        state.withLock { state in
            switch state.parsing {
            case .loop: return nil
            case .over: return true
            case .paused, .elsewhere:
                if state.backlog == nil { state.backlog = bytes.withoutSurplus } else { state.backlog?.join(bytes) }
                return false
            }
        }
    }

    private enum Parsed {
        case exhausted, paused, over
    }

    /// Parses the bytes that the reader has.
    private func parse() -> Parsed {
        do throws(WebSocketFault) {
            while let event = try reader.next() {
                switch event {
                case .content(let kind, let bytes, let isFirst, let isLast):
                    note(kind, bytes, isFirst: isFirst, isLast: isLast, isSent: false)
                    let part = WebSocketPart(kind: kind, bytes: bytes, isFirst: isFirst, isLast: isLast)
                    let parsed = deliver(part)
                    if parsed != .exhausted { return parsed }
                case .ping(let payload): answer(payload)
                case .pong(let payload): pong(payload)
                case .close(let code, let reason):
                    peerClosed(code, reason)
                    return .over
                }
            }
            return .exhausted
        } catch {
            fail(error)
            return .over
        }
    }

    /// Gives a part to the reader or to the queue; `exhausted` means that parsing goes on.
    private func deliver(_ part: WebSocketPart) -> Parsed {
        var acceptance = state.withLock { state in
            let acceptance = state.accept(part)
            if case .paused = acceptance { holdsBytes.store(true, ordering: .releasing) }
            return acceptance
        }
        while true {
            switch acceptance {
            case .goOn: return .exhausted
            case .paused: return .paused
            case .over: return .over
            case .tooBig:
                fail(tooBig)
                return .over
            case .hand(let wait, let part):
                if wait.end(.success(part)) { return .exhausted }
                // The reader was cancelled meanwhile.
                acceptance = state.withLock { state in
                    let acceptance = state.offer(part)
                    if case .paused = acceptance { holdsBytes.store(true, ordering: .releasing) }
                    return acceptance
                }
            }
        }
    }

    /// Passes a message or fragment to the call's observer, if there is one.
    private func note(
        _ kind: WebSocketKind, _ bytes: Bytes, isFirst: Bool = true, isLast: Bool = true, isSent: Bool
    ) {
        context?.passed(
            .webSocket(isSent: isSent, isText: kind == .text, bytes: bytes, isFirst: isFirst, isLast: isLast))
    }

    private var tooBig: WebSocketFault {
        WebSocketFault(
            code: WebSocket.CloseCode.messageTooBig.rawValue,
            detail: "A message is longer than \(settings.messageBytes) bytes.")
    }

    /// Parses what is left after a pause, and resumes the stream.
    private func parseOn() {
        while true {
            switch parse() {
            case .paused: return
            case .over:
                if let end = state.withLock({ $0.inputEnd }) { return inputEnded(end) }
                return stream.resumeReading()
            case .exhausted: break
            }
            let (backlog, end) = state.withLock { state -> (Bytes?, WebSocketState.InputEnd?) in
                guard state.parsing == .elsewhere else { return (nil, nil) }
                if let backlog = state.backlog.take() { return (backlog, nil) }
                state.parsing = .loop
                holdsBytes.store(false, ordering: .releasing)
                return (nil, state.inputEnd)
            }
            if let end { return inputEnded(end) }
            guard let backlog else { return stream.resumeReading() }
            reader.append(backlog)
        }
    }

    func ended(_ error: SternaError?) {
        let end = error.map { WebSocketState.InputEnd.failed($0) } ?? .orderly
        let isLater = state.withLock { state in
            state.inputEnd = end
            // What was not parsed yet goes first.
            return state.isBehind
        }
        if !isLater { inputEnded(end) }
    }

    private func inputEnded(_ end: WebSocketState.InputEnd) {
        let (isClosed, closing) = state.withLock { state in
            (state.ending != nil, state.isCloseSent ? state.closing : nil)
        }
        switch end {
        case .orderly where isClosed: return stream.finish()
        case .failed where isClosed: break
        case .orderly where closing != nil, .failed where closing != nil:
            // Servers often end the connection in place of an answer.
            if let closing { settle(closing, nil) }
        case .orderly:
            let closure = WebSocket.Closure(.lost, isByPeer: true)
            settle(
                closure, closure.error(phase: .read, "The server ended the connection without closing the WebSocket."))
        case .failed(let error):
            let closure = WebSocket.Closure(.lost, isByPeer: error.kind != .cancelled)
            let isStop = error.kind == .cancelled || error.kind == .shutDown
            let detail =
                error.kind == .truncated ? "The connection was lost without a close frame." : error.detail
            settle(closure, isStop ? error : closure.error(phase: .read, detail))
        }
        endStream()
    }

    /// Ends both directions of the stream at once.
    private func endStream() {
        state.withLock { $0.closeTimer.take() }?.cancel()
        stream.cancel()
    }

    // MARK: Pings

    private func answer(_ payload: Bytes) {
        if stream.hasRoom { return stream.put(controls.pong(payload)) }
        let begins = state.withLock { state in
            guard state.ending == nil else { return false }
            state.owedPong = payload
            defer { state.sendsPongLater = true }
            return !state.sendsPongLater
        }
        guard begins else { return }
        // The peer does not read, so only its latest ping is answered, when it does (RFC 6455, 5.5.3).
        Task {
            try? await self.stream.room()
            let payload = self.state.withLock { state in
                state.sendsPongLater = false
                return state.owedPong.take()
            }
            if let payload { self.stream.put(self.controls.pong(payload)) }
        }
    }

    private func pong(_ payload: Bytes) {
        guard payload.count == 8, let number = payload.getInteger(at: payload.readerIndex, as: UInt64.self) else {
            return
        }
        let answered = state.withLock { $0.answered(number) }
        for ping in answered { ping.wait?.end(.success(ping.sent.duration(to: .now))) }
    }

    private func pingFrame(_ number: UInt64) -> Bytes {
        var payload = Bytes()
        payload.writeInteger(number)
        return controls.ping(payload)
    }

    nonisolated(nonsending) func ping() async throws -> Duration {
        let wait = Wait<Duration>()
        let (number, resumes) = try state.withLock { state throws(SternaError) in
            if let refusal = state.refusal { throw refusal }
            let number = state.addPing(wait)
            // The answer is behind what waits for room in the queue, which has more of it now.
            return (number, state.beginsParsing())
        }
        let timer = stream.schedule(in: max(settings.pingTimeout, .zero)) { self.pingTimedOut(number) }
        defer { timer.cancel() }
        // Without waiting for room: a peer that does not read makes none, and only the time-out says so.
        stream.put(pingFrame(number))
        if resumes { parseOn() }
        do {
            return try await wait.value(cancelled: SternaError.cancelled(phase: .wait))
        } catch {
            state.withLock { _ = $0.removePing(number) }
            throw error
        }
    }

    private func pingTimedOut(_ number: UInt64) {
        let (wait, isBehind) = state.withLock { state in (state.removePing(number), state.isBehind) }
        let reason =
            isBehind
            ? "its answer is behind messages that the program has not read. Read them in another task."
            : "the server did not answer."
        let error = SternaError(
            .timedOut, phase: .wait, "The ping had no result within \(settings.pingTimeout): \(reason)"
        ).advised(.inDetail)
        wait?.end(.failure(request.map { error.at($0) } ?? error))
    }

    var roundTrip: Duration? { state.withLock { $0.roundTrip } }

    private func scheduleKeepAlive() {
        guard let interval = settings.pingInterval else { return }
        let timer = stream.schedule(in: max(interval, .milliseconds(1))) { self.keepAlive() }
        let isOver = state.withLock { state in
            guard state.ending == nil, state.closing == nil else { return true }
            state.keepAlive = timer
            return false
        }
        if isOver { timer.cancel() }
    }

    /// Sends the next ping, unless the peer is lost.
    private func keepAlive() {
        let hasHeard = hasHeard.exchange(false, ordering: .relaxed)
        let hasRoom = stream.hasRoom
        enum Step {
            case none, wait, lost
            case send(UInt64)
        }
        let step: Step = state.withLock { state in
            guard state.ending == nil, state.closing == nil else { return .none }
            // The answer cannot be seen while the program does not read, and the ping does not arrive while the peer does not.
            guard state.parsing == .loop, hasRoom else {
                state.removeKeepAlive()
                return .wait
            }
            if state.awaitsKeepAlive, !hasHeard { return .lost }
            state.removeKeepAlive()
            return .send(state.addPing(nil))
        }
        switch step {
        case .none: return
        case .lost:
            let closure = WebSocket.Closure(.lost, isByPeer: true)
            settle(closure, closure.error(phase: .read, "The server did not answer a ping."))
            return endStream()
        case .wait: break
        case .send(let number): stream.put(pingFrame(number))
        }
        scheduleKeepAlive()
    }

    // MARK: The reader

    /// Returns the next part; nil at the end.
    nonisolated(nonsending) func next(_ id: ObjectIdentifier) async throws -> WebSocketPart? {
        switch state.withLock({ $0.take(id) }) {
        case .part(let part, let resumes):
            if resumes { parseOn() }
            return part
        case .end(let ending):
            if let error = ending.error { throw error }
            return nil
        case .busy: throw Self.secondReader
        case .wait(let wait, let resumes):
            if resumes { parseOn() }
            return try await part(wait)
        }
    }

    // A function of its own, since its locals would otherwise be allocated for messages that have arrived.
    @inline(never)
    nonisolated(nonsending) private func part(_ wait: Wait<WebSocketPart?>) async throws -> WebSocketPart? {
        do {
            return try await wait.value(cancelled: SternaError.cancelled(phase: .read))
        } catch {
            state.withLock { $0.leave(wait) }
            throw error
        }
    }

    /// Gives the messages to a reader until it releases them.
    func claim(_ id: ObjectIdentifier, pieces: Bool) throws {
        let (claim, resumes) = state.withLock { state in (state.claim(id, pieces: pieces), state.beginsParsing()) }
        if claim == .tooBig { fail(tooBig) }
        if resumes { parseOn() }
        if claim == .refused { throw Self.secondReader }
    }

    func release(_ id: ObjectIdentifier) {
        let resumes = state.withLock { state in
            state.release(id)
            return state.closing != nil && state.beginsParsing()
        }
        if resumes { parseOn() }
    }

    private static let secondReader = SternaError(
        .invalidRequest, phase: .read,
        "Another task reads the WebSocket's messages, and they go to one reader. End the other loop first.")

    /// Whether a reader waits for a message.
    var isAwaited: Bool { state.withLock { $0.isAwaited } }

    // MARK: Senders

    /// The number of senders that wait for their turn.
    var waitingSenders: Int { state.withLock { $0.waitingSenders } }

    /// Sends a message in one frame.
    nonisolated(nonsending) func send(_ kind: WebSocketKind, _ bytes: Bytes) async throws {
        if Task.isCancelled { throw SternaError.cancelled(phase: .write) }
        let wait = try state.withLock { state throws(SternaError) in try state.beginSend() }
        if wait != nil || !stream.hasRoom { try await roomInTurn(wait) }
        // First, so that the observer does not receive the server's answer before.
        note(kind, bytes, isSent: true)
        stream.put(writer.frame(kind, bytes))
        endSend()
    }

    /// Waits for the turn, if there is a wait, and for room; the caller may then put a frame. Ends the turn if it throws.
    @inline(never)
    nonisolated(nonsending) private func roomInTurn(_ wait: Wait<Void>?) async throws {
        try await turn(wait)
        do {
            if !stream.hasRoom { try await room() }
            if Task.isCancelled { throw SternaError.cancelled(phase: .write) }
            try state.withLock { state throws(SternaError) in try state.beginPut() }
        } catch {
            endSend()
            throw error
        }
    }

    /// Waits for the turn, without the right to put a frame.
    private nonisolated(nonsending) func turn(_ wait: Wait<Void>?) async throws {
        guard let wait else { return carryOut(state.withLock { $0.endPut() }) }
        do {
            try await wait.value(cancelled: SternaError.cancelled(phase: .write))
        } catch {
            state.withLock { $0.leave(wait) }
            throw error
        }
    }

    /// Waits until the peer takes more. Throws the WebSocket's end in place of the stream's.
    nonisolated(nonsending) private func room() async throws {
        guard !stream.hasRoom else { return }
        do {
            try await stream.room()
        } catch {
            if let error = error as? SternaError, error.kind == .cancelled, Task.isCancelled { throw error }
            if let refusal = state.withLock({ $0.refusal }) { throw refusal }
            throw WebSocket.Closure(.lost, isByPeer: true).error(phase: .write, "Nothing was sent.")
        }
    }

    private func endSend() {
        carryOut(state.withLock { $0.endSend() })
    }

    private func carryOut(_ release: WebSocketState.Release) {
        var release = release
        while true {
            switch release {
            case .none: return
            case .close(let order):
                stream.put(controls.close(order.code, reason: order.reason))
                if order.finishes { stream.finish() }
                return
            case .hand(let wait):
                if wait.end() { return }
                // That sender was cancelled.
                release = state.withLock { $0.endSend() }
            }
        }
    }

    /// Sends a message in fragments.
    func send<S: AsyncSequence>(
        _ kind: WebSocketKind, pieces: S, isolation: isolated (any Actor)? = #isolation, _ bytes: (S.Element) -> Bytes
    ) async throws {
        if Task.isCancelled { throw SternaError.cancelled(phase: .write) }
        let wait = try state.withLock { state throws(SternaError) in try state.beginSend() }
        try await turn(wait)
        var isFirst = true
        // Whether the WebSocket has ended, rather than the sequence or the task.
        var hasEnded = false
        do throws(any Error) {
            for try await piece in pieces {
                let bytes = bytes(piece)
                if bytes.isEmpty { continue }
                hasEnded = true
                try await fragment(kind, bytes, isFirst: isFirst, isLast: false)
                (isFirst, hasEnded) = (false, false)
            }
            // Sequences that are cancelled may just end.
            if Task.isCancelled { throw SternaError.cancelled(phase: .write) }
            hasEnded = true
            try await fragment(kind, Bytes(), isFirst: isFirst, isLast: true)
        } catch {
            if !isFirst, !hasEnded || (error as? SternaError)?.kind == .cancelled { abort() }
            endSend()
            throw error is CancellationError ? SternaError.cancelled(phase: .write) : error
        }
        endSend()
    }

    private nonisolated(nonsending) func fragment(
        _ kind: WebSocketKind, _ bytes: Bytes, isFirst: Bool, isLast: Bool
    ) async throws {
        try await room()
        if Task.isCancelled { throw SternaError.cancelled(phase: .write) }
        try state.withLock { state throws(SternaError) in try state.beginPut() }
        note(kind, bytes, isFirst: isFirst, isLast: isLast, isSent: true)
        stream.put(writer.frame(kind, bytes, isFirst: isFirst, isLast: isLast))
        carryOut(state.withLock { $0.endPut() })
    }

    /// Ends the WebSocket because a message could not be completed.
    private func abort() {
        let closure = WebSocket.Closure(.internalError, reason: "A message was not completed.", isByPeer: false)
        let release = state.withLock { $0.closeNow(closure, finishes: true) }
        settle(closure, nil)
        carryOut(release)
        linger()
    }

    // MARK: The close

    var closure: WebSocket.Closure? { state.withLock { $0.ending?.closure } }

    /// Begins to close; what is sent already goes first.
    func beginClose(_ closure: WebSocket.Closure) {
        let (release, resumes) = state.withLock { state in (state.requestClose(closure), state.beginsParsing()) }
        guard let release else { return }
        expectEnd(within: settings.closeTimeout)
        carryOut(release)
        if resumes { parseOn() }
    }

    /// Waits for the end.
    nonisolated(nonsending) func end() async throws {
        let wait = Wait<Void>()
        let isOver = state.withLock { state in
            if state.ending != nil { return true }
            state.endWaits[wait.id] = wait
            return false
        }
        if isOver { return }
        defer { state.withLock { $0.endWaits[wait.id] = nil } }
        try await wait.value(cancelled: SternaError.cancelled(phase: .wait))
    }

    /// Closes because the program has released the WebSocket.
    func abandon() {
        let closure = WebSocket.Closure(.goingAway, isByPeer: false)
        let (release, resumes) = state.withLock { state in
            state.abandon()
            return (state.requestClose(closure), state.beginsParsing())
        }
        if let release {
            expectEnd(within: settings.closeTimeout)
            carryOut(release)
        }
        if resumes { parseOn() }
    }

    /// Ends the connection at once.
    func cancel() {
        settle(WebSocket.Closure(.lost, isByPeer: false), nil)
        endStream()
    }

    /// Answers the peer's close.
    private func peerClosed(_ code: UInt16?, _ reason: String) {
        let received = code.map(WebSocket.CloseCode.init(rawValue:))
        let answer = WebSocket.Closure(received ?? .normal, isByPeer: false)
        let (closure, release) = state.withLock { state -> (WebSocket.Closure, WebSocketState.Release) in
            // Some servers answer any close with 1000, so this side's code counts.
            if state.isCloseSent, let own = state.closing { return (own, .none) }
            return (
                WebSocket.Closure(received ?? .noCode, reason: reason, isByPeer: true), state.closeNow(answer)
            )
        }
        settle(closure, closure.isOrderly ? nil : closure.error(phase: .read))
        carryOut(release)
        linger()
    }

    /// Ends the WebSocket because the peer has violated the protocol.
    private func fail(_ fault: WebSocketFault) {
        let closure = WebSocket.Closure(.init(rawValue: fault.code), reason: fault.detail, isByPeer: false)
        let isLimit = closure.code == .messageTooBig || closure.code == .policyViolation
        let error = SternaError(
            isLimit ? .limitExceeded : .malformedResponse, phase: .read,
            isLimit
                ? "The server exceeds a limit of the WebSocket: \(fault.detail)"
                : "The server violates the WebSocket protocol: \(fault.detail)", underlying: closure)
        let release = state.withLock { $0.closeNow(closure, finishes: true) }
        settle(closure, error)
        carryOut(release)
        linger()
    }

    /// Ends the WebSocket for the program.
    private func settle(_ closure: WebSocket.Closure, _ error: SternaError?) {
        var error = error
        if let request {
            error = error?.at(request)
            error?.requestSent = true
            error?.metrics = request.recorder?.snapshot
        }
        let wakes = state.withLock { state in
            holdsBytes.store(true, ordering: .releasing)
            return state.end(closure, error)
        }
        guard let wakes else { return }
        request?.recorder?.requestEnded(error)
        wakes.keepAlive?.cancel()
        wakes.reader?.end(error.map { .failure($0) } ?? .success(nil))
        let refusal = closure.error(phase: .write, "Nothing was sent.")
        for wait in wakes.senders { wait.end(.failure(refusal)) }
        for wait in wakes.pings { wait.end(.failure(closure.error(phase: .wait, "The ping was not answered."))) }
        for wait in wakes.ends { wait.end() }
    }

    /// Gives the server a short time to end the connection.
    private func linger() { expectEnd(within: Self.lingering) }

    /// Ends the connection after a time.
    private func expectEnd(within time: Duration) {
        let timer = stream.schedule(in: max(time, .zero)) { self.timedOut() }
        let former = state.withLock { state in
            defer { state.closeTimer = timer }
            return state.closeTimer
        }
        former?.cancel()
    }

    private func timedOut() {
        let (closing, isBehind) = state.withLock { state in
            state.closeTimer = nil
            return (state.isCloseSent ? state.closing : nil, state.isBehind)
        }
        let closure = closing ?? WebSocket.Closure(.lost, isByPeer: false)
        // A reader that lags behind must not take the end of what has arrived for the end of what was sent.
        let error =
            isBehind
            ? closure.error(
                phase: .read, "Messages were not read within the time-out of the close, so some are missing.") : nil
        settle(closure, error)
        stream.cancel()
    }
}
