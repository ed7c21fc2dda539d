import NIOCore
package import SternaCore

/// Reads the frames that a peer sends (RFC 6455, 5; RFC 7692); a value without I/O.
///
/// Call `append` with received bytes, then `next` until it returns nil.
package struct WebSocketReader: Sendable {
    /// What the peer sent.
    package enum Event: Sendable, Hashable {
        /// A part of a message, unmasked and decompressed; a whole message if a small one has arrived in one piece. A text's parts
        /// are checked as UTF-8 as they arrive, and may end within a character. The parts of a message are not interleaved with
        /// those of another. The bytes of a text may be a slice of a larger read, since their user makes a `String` of them at
        /// once; those of data are copied if a small slice would retain a large read.
        case content(WebSocketKind, Bytes, isFirst: Bool, isLast: Bool)
        case ping(Bytes)
        case pong(Bytes)
        /// The peer closes; nil for no code (1005). Nothing follows.
        case close(code: UInt16?, reason: String)
    }

    private enum State: Sendable {
        case reading, closed
        case failed(WebSocketFault)
    }

    /// The most bytes that one event decompresses to.
    private static let pieceSize = 64 << 10

    private let isServer: Bool
    private let peerForgets: Bool
    private var state = State.reading
    private var scanner: WebSocketFrameScanner
    private var text = UTF8Check()
    private var received = Bytes()
    /// Whether no part of the open message has been returned.
    private var isFirst = true

    // What is left of a compressed message.
    private var inflater: MessageInflater?
    private var coded = Bytes()
    private var isInflating = false
    private var isAtEnd = false
    private var hasTail = false
    private var mayHaveOutput = false
    private var decodedBytes = 0

    /// - Parameters:
    ///   - side: this side; its peer's frames must be masked if it is the server.
    ///   - deflate: the agreed compression.
    package init(_ side: WebSocketSide, limits: WebSocketLimits = WebSocketLimits(), deflate: WebSocketDeflate? = nil) {
        isServer = side == .server
        peerForgets = (side == .server ? deflate?.clientForgets : deflate?.serverForgets) ?? true
        scanner = WebSocketFrameScanner(side, limits, mayBeCompressed: deflate != nil)
    }

    /// Appends received bytes; after a close frame or a fault they are dropped.
    package mutating func append(_ bytes: Bytes) {
        guard case .reading = state else { return }
        if received.readableBytes == 0 { received = bytes } else { received.join(bytes) }
    }

    /// Returns the next event, or nil if more bytes are needed, and after a close frame. After a fault each call throws it again.
    package mutating func next() throws(WebSocketFault) -> Event? {
        switch state {
        case .reading: break
        case .closed: return nil
        case .failed(let fault): throw fault
        }
        do throws(WebSocketViolation) {
            return try read()
        } catch {
            let fault = error.fault(scanner.limits)
            end(.failed(fault))
            throw fault
        }
    }

    private mutating func end(_ state: State) {
        self.state = state
        (received, coded, inflater) = (Bytes(), Bytes(), nil)
    }

    private mutating func read() throws(WebSocketViolation) -> Event? {
        while true {
            if isInflating, let event = try inflate() { return event }
            guard received.readableBytes > 0, let part = try Self.scan(received, &scanner, &text) else {
                // An idle connection retains no read.
                received = received.readableBytes == 0 ? Bytes() : received.withoutSurplus
                return nil
            }
            received.moveReaderIndex(forwardBy: part.start)
            guard part.control == 0 else { return try control(part) }
            guard let kind = scanner.kind else { return nil }
            let isLast = part.endsFrame && scanner.isFinal
            if scanner.isCompressed {
                coded = take(part)
                (isInflating, isAtEnd) = (true, isLast)
                continue
            }
            guard part.count > 0 || isLast else { continue }
            let bytes = kind == .text ? take(part) : takeCompactly(part)
            if kind == .text {
                if isServer { try check(bytes) }
                guard !isLast || text.isComplete else { throw .text }
            }
            return content(kind, bytes, isLast: isLast)
        }
    }

    /// Finds the next part, and checks a text's bytes unless they are masked, in one access to the buffer.
    @inline(__always)
    private static func scan(
        _ bytes: Bytes, _ scanner: inout WebSocketFrameScanner, _ text: inout UTF8Check
    ) throws(WebSocketViolation) -> WebSocketFrameScanner.Part? {
        try bytes.withUnsafeReadableBytes { (bytes) throws(WebSocketViolation) in
            guard let part = try scanner.next(bytes) else { return nil }
            if part.control == 0, scanner.isUnmaskedText {
                let payload = UnsafeRawBufferPointer(rebasing: bytes[part.start..<part.start + part.count])
                guard text.accepts(payload) else { throw .text }
            }
            return part
        }
    }

    /// Takes the bytes of a part, of which the head has been skipped.
    @inline(__always)
    private mutating func take(_ part: WebSocketFrameScanner.Part) -> Bytes {
        if isServer { return takeCopy(part) }
        // The part has arrived, so there is a slice.
        return received.readSlice(length: part.count) ?? Bytes()
    }

    /// Takes the bytes of a part, which may be kept: a few bytes do not retain a large read.
    @inline(__always)
    private mutating func takeCompactly(_ part: WebSocketFrameScanner.Part) -> Bytes {
        part.count <= 8 << 10 && part.count <= received.storageCapacity / 2 ? takeCopy(part) : take(part)
    }

    /// Takes a copy of a part, unmasked. In place it would copy the whole read where slices of it are still in use.
    @inline(__always)
    private mutating func takeCopy(_ part: WebSocketFrameScanner.Part) -> Bytes {
        let isServer = isServer
        let bytes = Bytes(room: part.count) { [received] target in
            received.withUnsafeReadableBytes { source in
                guard let target = target.baseAddress, let start = source.baseAddress, part.count <= source.count else {
                    return 0
                }
                if isServer {
                    part.mask.apply(UnsafeRawBufferPointer(start: start, count: part.count), to: target)
                } else {
                    target.copyMemory(from: start, byteCount: part.count)
                }
                return part.count
            }
        }
        received.moveReaderIndex(forwardBy: part.count)
        return bytes
    }

    @inline(__always)
    private mutating func check(_ bytes: Bytes) throws(WebSocketViolation) {
        let (isAccepted, text) = bytes.withUnsafeReadableBytes { [text] bytes in
            var text = text
            return (text.accepts(bytes), text)
        }
        self.text = text
        guard isAccepted else { throw .text }
    }

    @inline(__always)
    private mutating func content(_ kind: WebSocketKind, _ bytes: Bytes, isLast: Bool) -> Event {
        let event = Event.content(kind, bytes, isFirst: isFirst, isLast: isLast)
        isFirst = isLast
        if isLast { scanner.endMessage() }
        return event
    }

    // MARK: Control frames

    private mutating func control(_ part: WebSocketFrameScanner.Part) throws(WebSocketViolation) -> Event {
        let bytes = takeCompactly(part)
        switch part.control {
        case 0x9: return .ping(bytes)
        case 0xA: return .pong(bytes)
        default: return try close(bytes)
        }
    }

    private mutating func close(_ bytes: Bytes) throws(WebSocketViolation) -> Event {
        var bytes = bytes
        guard bytes.readableBytes > 0 else {
            end(.closed)
            return .close(code: nil, reason: "")
        }
        guard let code: UInt16 = bytes.readInteger() else { throw .closeOfOneByte }
        guard WebSocketCloseCodes.isValid(code) else { throw .closeCode(code) }
        let isText = bytes.withUnsafeReadableBytes { bytes in
            var text = UTF8Check()
            return text.accepts(bytes) && text.isComplete
        }
        guard isText else { throw .closeReason }
        end(.closed)
        return .close(code: code, reason: String(buffer: bytes))
    }

    // MARK: Compressed messages

    /// Decompresses what has arrived; returns at most a piece. Nil if the message continues with the next frame.
    private mutating func inflate() throws(WebSocketViolation) -> Event? {
        guard let kind = scanner.kind else { return nil }
        var output = Bytes()
        var isLast = false
        var violation: WebSocketViolation?
        do throws(WebSocketViolation) { isLast = try inflate(into: &output) } catch { violation = error }
        // What precedes damaged bytes is checked first, so that the fault does not depend on the pieces.
        try checkDecoded(kind, output)
        if let violation { throw violation }
        if isLast {
            guard kind == .binary || text.isComplete else { throw .text }
            (coded, isInflating, isAtEnd, hasTail, decodedBytes) = (Bytes(), false, false, false, 0)
            if peerForgets { inflater = nil }
        }
        return isLast || output.readableBytes > 0 ? content(kind, output, isLast: isLast) : nil
    }

    /// Decompresses until a piece is full or the input used up; returns whether the message is complete.
    private mutating func inflate(into output: inout Bytes) throws(WebSocketViolation) -> Bool {
        while output.readableBytes < Self.pieceSize {
            if coded.readableBytes == 0, !mayHaveOutput {
                guard isAtEnd else {
                    isInflating = false
                    return false
                }
                if try isComplete() { return true }
                // The end that senders leave out (RFC 7692, 7.2.2).
                coded.writeBytes(MessageDeflater.tail)
                hasTail = true
            }
            let room = Self.pieceSize - output.readableBytes
            switch try uniqueInflater().decode(&coded, into: &output, limit: room, isTail: hasTail) {
            case .done(let isFull): mayHaveOutput = isFull
            case .damaged: throw .compression
            }
        }
        return false
    }

    /// Whether all of the message has been decompressed. A message without any bytes, or whose last block is marked as final,
    /// needs no tail, although RFC 7692 does not allow either.
    private func isComplete() throws(WebSocketViolation) -> Bool {
        let isAtBoundary = inflater?.isAtBoundary ?? true
        if hasTail, !isAtBoundary { throw .compression }
        return isAtBoundary
    }

    private mutating func checkDecoded(_ kind: WebSocketKind, _ output: Bytes) throws(WebSocketViolation) {
        var within = output
        // Without a limit the sum is not kept, as it has no end.
        if let limit = scanner.limits.messageBytes {
            let room = max(0, limit - decodedBytes)
            if output.readableBytes > room { within = output.getSlice(at: output.readerIndex, length: room) ?? Bytes() }
            decodedBytes += within.readableBytes
        }
        if kind == .text { try check(within) }
        if within.readableBytes < output.readableBytes { throw .messageLimit }
    }

    /// Returns the decompressor, made at the first compressed message; a copy, if another value has the same.
    private mutating func uniqueInflater() throws(WebSocketViolation) -> MessageInflater {
        if isKnownUniquelyReferenced(&inflater), let inflater { return inflater }
        guard let unique = inflater.map({ $0.copy() }) ?? MessageInflater() else { throw .noMemory }
        inflater = unique
        return unique
    }
}

extension WebSocketFrameScanner {
    /// Whether the bytes of the open message are text as they are.
    @inline(__always)
    fileprivate var isUnmaskedText: Bool { kind == .text && !isCompressed && !isServer }
}
