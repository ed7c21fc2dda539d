public import NIOCore
public import SternaCore

extension ServerWebSocket {
    /// A frame of any form, valid or not (RFC 6455, 5.2).
    ///
    ///     try await socket.write(ServerWebSocket.Frame(opcode: 0x1, payload: Bytes(text: "part"), isFinal: false))
    public struct Frame: Sendable, Hashable {
        /// The opcode, 0 to 15: 0 continues a message, 1 is text, 2 binary, 8 close, 9 ping, 10 pong.
        public var opcode: UInt8
        /// The content, before masking.
        public var payload: Bytes
        /// Whether the frame ends its message: the bit FIN.
        public var isFinal: Bool
        /// The reserved bits: 4 for RSV1, 2 for RSV2, 1 for RSV3.
        public var reservedBits: UInt8 = 0
        /// The key that masks the payload, four bytes; nil for none. Missing bytes are 0.
        public var mask: [UInt8]?
        /// The length in the frame's head; nil for that of the payload.
        public var declaredLength: UInt64?
        /// The number of bytes for the length, in addition to the second byte of the head: 0, 2 or 8. Nil for as few as possible.
        public var lengthBytes: Int?

        /// Makes an unmasked frame without reserved bits, and with its true length.
        public init(opcode: UInt8, payload: Bytes = Bytes(), isFinal: Bool = true) {
            self.opcode = opcode
            self.payload = payload
            self.isFinal = isFinal
        }

        /// The frame's bytes.
        public var bytes: Bytes {
            let length = declaredLength ?? UInt64(payload.count)
            let masked: UInt8 = mask == nil ? 0 : 0x80
            var bytes = Bytes()
            bytes.writeInteger((isFinal ? 0x80 : 0) | (reservedBits & 0x7) << 4 | opcode & 0xF)
            switch lengthBytes ?? (length < 126 ? 0 : length <= 0xFFFF ? 2 : 8) {
            case 0: bytes.writeInteger(masked | UInt8(length & 0x7F))
            case 2:
                bytes.writeInteger(masked | 126)
                bytes.writeInteger(UInt16(truncatingIfNeeded: length))
            default:
                bytes.writeInteger(masked | 127)
                bytes.writeInteger(length)
            }
            guard let mask else {
                bytes.writeImmutableBuffer(payload)
                return bytes
            }
            let key = Array((mask + [0, 0, 0, 0]).prefix(4))
            bytes.writeBytes(key)
            bytes.writeBytes(payload.readableBytesView.enumerated().map { $1 ^ key[$0 % 4] })
            return bytes
        }
    }

    /// Writes a frame as it is, also after ``close(_:reason:)``.
    ///
    /// - Parameters:
    ///   - frame: the frame.
    ///   - size: the number of bytes that are written at once; nil for all.
    ///   - pause: the wait before each piece but the first.
    public func write(_ frame: Frame, pieces size: Int? = nil, pause: Duration = .zero) async throws {
        var rest = frame.bytes
        var isFirst = true
        while let piece = rest.readSlice(length: Swift.min(rest.readableBytes, Swift.max(1, size ?? .max))),
            !piece.isEmpty
        {
            if !isFirst, pause > .zero { try await Task.sleep(for: pause) }
            isFirst = false
            try await duplex.write(piece)
        }
    }
}
