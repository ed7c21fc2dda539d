/// Finds frames in received bytes and checks their order (RFC 6455, 5.2 to 5.5).
struct WebSocketFrameScanner: Sendable {
    /// What is at the front of the bytes.
    struct Part {
        /// The opcode of a control frame, which is complete; 0 for a part of a data frame.
        var control: UInt8 = 0
        /// Where the payload begins, and how many bytes of it have arrived.
        var start: Int
        var count: Int
        /// The mask of these bytes, if frames have one.
        var mask: WebSocketMask
        /// Whether the part ends its frame.
        var endsFrame = true
    }

    let limits: WebSocketLimits
    let isServer: Bool
    private let mayBeCompressed: Bool

    /// The kind of the message that is open.
    private(set) var kind: WebSocketKind?
    private(set) var isCompressed = false
    /// Whether the frame that was read last ends its message.
    private(set) var isFinal = true

    private var isInFrame = false
    private var remaining = 0
    private var mask = WebSocketMask(0)
    private var fragments = 0
    private var messageBytes = 0
    private var controls = 0
    /// When the first of these control frames came. It is a duration, since an instant of the clock has no layout that the compiler
    /// knows, which would make each use of this value slow.
    private var controlsSince = Duration.zero
    private static let origin = ContinuousClock.now

    init(_ side: WebSocketSide, _ limits: WebSocketLimits, mayBeCompressed: Bool) {
        (isServer, self.limits, self.mayBeCompressed) = (side == .server, limits, mayBeCompressed)
    }

    /// Returns what is at the front; nil if more bytes are needed. The caller skips what a part states, payload included.
    @inline(__always)
    mutating func next(_ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) -> Part? {
        var start = 0
        if !isInFrame {
            guard let part = try begin(bytes) else { return nil }
            if part.control != 0 { return part }
            start = part.start
        } else if bytes.isEmpty {
            return nil
        }
        let count = min(remaining, bytes.count &- start)
        let part = Part(start: start, count: count, mask: mask, endsFrame: count == remaining)
        remaining &-= count
        if isServer { mask.advance(by: count) }
        isInFrame = !part.endsFrame
        return part
    }

    /// Notes that the message's last part has been taken.
    mutating func endMessage() { kind = nil }

    /// Reads a frame's head. A control frame is returned when it has arrived whole, and changes nothing before.
    @inline(__always)
    private mutating func begin(_ bytes: UnsafeRawBufferPointer) throws(WebSocketViolation) -> Part? {
        guard bytes.count >= 2 else { return nil }
        let (first, second) = (bytes[0], bytes[1])
        guard first & 0x30 == 0 else { throw .reservedBits }
        let opcode = first & 0x0F
        let isControl = opcode & 0x8 != 0
        let hasCompressedBit = first & 0x40 != 0
        if hasCompressedBit, !mayBeCompressed || isControl || opcode == 0 { throw .compressedBit }
        if isControl {
            try checkControl(first, second)
        } else {
            guard opcode <= 2 else { throw .opcode(opcode) }
            guard (opcode == 0) == (kind != nil) else { throw opcode == 0 ? .noMessage : .openMessage }
        }
        guard (second & 0x80 != 0) == isServer else { throw isServer ? .unmasked : .masked }

        var start = 2
        var length = Int(second & 0x7F)
        if length == 126 {
            guard bytes.count >= 4 else { return nil }
            length = Int(UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            guard length > 125 else { throw .length }
            start = 4
        } else if length == 127 {
            guard bytes.count >= 10 else { return nil }
            let number = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
            guard number > 0xFFFF, number >> 63 == 0 else { throw .length }
            // A platform of 32 bits has no larger frames.
            length = Int(clamping: number)
            start = 10
        }
        if !isControl { try checkLimits(length, isFirst: opcode != 0, isCompressed: hasCompressedBit) }
        var mask = WebSocketMask(0)
        if isServer {
            guard bytes.count >= start + 4 else { return nil }
            mask = WebSocketMask(bytes, at: start)
            start += 4
        }
        if isControl {
            guard bytes.count >= start + length else { return nil }
            try countControl()
            return Part(control: opcode, start: start, count: length, mask: mask)
        }

        if let kind = WebSocketKind(rawValue: opcode) {
            (self.kind, isCompressed, fragments, messageBytes) = (kind, hasCompressedBit, 0, 0)
        }
        fragments &+= 1
        messageBytes = Self.sum(messageBytes, length)
        (isInFrame, isFinal, remaining, self.mask) = (true, first & 0x80 != 0, length, mask)
        controls = 0
        return Part(start: start, count: 0, mask: mask)
    }

    private func checkControl(_ first: UInt8, _ second: UInt8) throws(WebSocketViolation) {
        guard first & 0x0F <= 0xA else { throw .opcode(first & 0x0F) }
        guard first & 0x80 != 0 else { throw .fragmentedControl }
        guard second & 0x7F <= 125 else { throw .longControl }
    }

    /// Checks a frame that is not counted yet.
    @inline(__always)
    private func checkLimits(_ length: Int, isFirst: Bool, isCompressed: Bool) throws(WebSocketViolation) {
        guard length <= limits.frameBytes else { throw .frameLimit }
        guard (isFirst ? 0 : fragments) < limits.fragmentCount else { throw .fragmentLimit }
        guard let limit = limits.messageBytes else { return }
        let total = isFirst ? length : Self.sum(messageBytes, length)
        if isFirst ? isCompressed : self.isCompressed {
            // Blocks without content could follow one another for ever. Those of an honest compressor, which flushes now and then,
            // are seldom longer than the content.
            guard (total - (64 << 10)) / 2 <= limit else { throw .codedLimit }
        } else {
            guard total <= limit else { throw .messageLimit }
        }
    }

    @inline(__always)
    private static func sum(_ number: Int, _ other: Int) -> Int {
        let (sum, isTooLarge) = number.addingReportingOverflow(other)
        return isTooLarge ? .max : sum
    }

    private mutating func countControl() throws(WebSocketViolation) {
        if controls > 0, controls < limits.controlFrameCount {
            controls += 1
            return
        }
        let now = Self.origin.duration(to: .now)
        if controls >= limits.controlFrameCount, now - controlsSince < limits.controlFramePeriod || controls == 0 {
            throw .controlLimit
        }
        (controls, controlsSince) = (1, now)
    }
}
