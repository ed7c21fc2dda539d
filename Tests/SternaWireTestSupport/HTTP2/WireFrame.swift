/// A frame of HTTP/2 as it is on the wire (RFC 9113 §4.1), valid or not: nothing here is checked.
struct WireFrame: Sendable, Hashable, CustomStringConvertible {
    /// The types of RFC 9113 §6.
    enum Kind: UInt8, Sendable, CaseIterable {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    /// Bits of the flags; their meaning depends on the type.
    enum Flag {
        static let endStream: UInt8 = 0x1
        static let ack: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }

    /// The settings of RFC 9113 §6.5.2 and RFC 8441 §3.
    enum Setting {
        static let headerTableSize: UInt16 = 1
        static let enablePush: UInt16 = 2
        static let maxConcurrentStreams: UInt16 = 3
        static let initialWindowSize: UInt16 = 4
        static let maxFrameSize: UInt16 = 5
        static let maxHeaderListSize: UInt16 = 6
        static let enableConnectProtocol: UInt16 = 8
    }

    /// An error code (RFC 9113 §7).
    struct Code: RawRepresentable, Sendable, Hashable, ExpressibleByIntegerLiteral, CustomStringConvertible {
        var rawValue: UInt32

        init(rawValue: UInt32) { self.rawValue = rawValue }
        init(integerLiteral value: UInt32) { rawValue = value }

        static let noError: Code = 0x0
        static let protocolError: Code = 0x1
        static let internalError: Code = 0x2
        static let flowControlError: Code = 0x3
        static let settingsTimeout: Code = 0x4
        static let streamClosed: Code = 0x5
        static let frameSizeError: Code = 0x6
        static let refusedStream: Code = 0x7
        static let cancel: Code = 0x8
        static let compressionError: Code = 0x9
        static let connectError: Code = 0xA
        static let enhanceYourCalm: Code = 0xB
        static let inadequateSecurity: Code = 0xC
        static let http11Required: Code = 0xD

        var description: String { "0x" + String(rawValue, radix: 16) }
    }

    /// The priority of a stream in PRIORITY and HEADERS (RFC 9113 §6.3).
    struct Priority: Sendable, Hashable {
        var dependency: UInt32 = 0
        var exclusive = false
        /// One less than the weight, as it is sent.
        var weight: UInt8 = 15

        var bytes: [UInt8] { WireFrame.bigEndian(dependency & 0x7FFF_FFFF | (exclusive ? 1 << 31 : 0)) + [weight] }
    }

    var type: UInt8
    var flags: UInt8 = 0
    /// The stream's identifier, of which the lower 31 bits are sent.
    var stream: UInt32 = 0
    /// The bit before the stream's identifier.
    var reserved = false
    var payload: [UInt8] = []
    /// The value of the length field in place of the payload's length, of which the lower 24 bits are sent.
    var rawLength: Int?

    static let headLength = 9

    var bytes: [UInt8] {
        let length = UInt32(truncatingIfNeeded: rawLength ?? payload.count)
        return Self.bigEndian(length).dropFirst() + [type, flags]
            + Self.bigEndian(stream & 0x7FFF_FFFF | (reserved ? 1 << 31 : 0)) + payload
    }

    var kind: Kind? { Kind(rawValue: type) }

    /// Whether the frame is the last of its sender's half of the stream.
    var endsStream: Bool { (kind == .data || kind == .headers) && flags & Flag.endStream != 0 }

    var endsHeaders: Bool {
        (kind == .headers || kind == .continuation || kind == .pushPromise) && flags & Flag.endHeaders != 0
    }

    var isAck: Bool { (kind == .settings || kind == .ping) && flags & Flag.ack != 0 }

    /// The payload without padding, and in HEADERS without the priority; empty where these reach past the payload.
    var content: [UInt8] {
        var start = 0
        var end = payload.count
        if [.data, .headers, .pushPromise].contains(kind), flags & Flag.padded != 0 {
            start = 1
            end -= Int(payload.first ?? 0)
        }
        if kind == .headers, flags & Flag.priority != 0 { start += 5 }
        return start <= end ? Array(payload[start..<end]) : []
    }

    /// The error code of RST_STREAM and GOAWAY.
    var code: Code? {
        switch kind {
        case .reset: number(at: 0).map(Code.init(rawValue:))
        case .goAway: number(at: 4).map(Code.init(rawValue:))
        default: nil
        }
    }

    /// The last stream that GOAWAY names.
    var lastStream: UInt32? { kind == .goAway ? number(at: 0).map { $0 & 0x7FFF_FFFF } : nil }

    /// The increment of WINDOW_UPDATE.
    var increment: UInt32? { kind == .windowUpdate ? number(at: 0).map { $0 & 0x7FFF_FFFF } : nil }

    /// The settings that SETTINGS carries, in their order.
    var settings: [(UInt16, UInt32)] {
        guard kind == .settings else { return [] }
        return stride(from: 0, to: payload.count - payload.count % 6, by: 6).compactMap { start in
            number(at: start + 2).map { (UInt16(payload[start]) << 8 | UInt16(payload[start + 1]), $0) }
        }
    }

    var description: String {
        let name = kind.map { "\($0)" } ?? "type 0x" + String(type, radix: 16)
        let note = code.map { ", code \($0)" } ?? ""
        return "\(name)(stream \(stream), flags 0x\(String(flags, radix: 16)), \(payload.count) bytes\(note))"
    }

    private func number(at start: Int) -> UInt32? {
        guard payload.count >= start + 4 else { return nil }
        return payload[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    static func bigEndian(_ number: UInt16) -> [UInt8] {
        [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}

/// Reads frames from bytes that arrive in any pieces.
struct WireFrameParser: Sendable {
    private var bytes: [UInt8] = []
    private var start = 0

    /// The number of bytes that are not yet a whole frame.
    var remainder: Int { bytes.count - start }

    mutating func append(_ more: some Collection<UInt8>) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes += more
    }

    /// The next whole frame.
    mutating func next() -> WireFrame? {
        guard remainder >= WireFrame.headLength else { return nil }
        let head = bytes[start..<start + WireFrame.headLength].map { UInt32($0) }
        let end = start + WireFrame.headLength + Int(head[0] << 16 | head[1] << 8 | head[2])
        guard bytes.count >= end else { return nil }
        let stream = head[5] << 24 | head[6] << 16 | head[7] << 8 | head[8]
        let frame = WireFrame(
            type: bytes[start + 3], flags: bytes[start + 4], stream: stream & 0x7FFF_FFFF, reserved: stream >> 31 == 1,
            payload: Array(bytes[start + WireFrame.headLength..<end]))
        start = end
        return frame
    }

    /// All frames of the bytes; an incomplete one at the end is left out.
    static func frames(in bytes: some Collection<UInt8>) -> [WireFrame] {
        var parser = WireFrameParser()
        parser.append(bytes)
        var frames: [WireFrame] = []
        while let frame = parser.next() { frames.append(frame) }
        return frames
    }
}
