/// A WebSocket frame as tests write it, valid or not.
struct WebSocketFrame {
    var first: UInt8
    var payload: [UInt8]
    var mask: [UInt8]?

    /// - Parameters:
    ///   - opcode: 0 continues a message, 1 is a text, 2 data, 8 a close, 9 a ping, 10 a pong.
    ///   - reserved: the reserved bits, 4 for RSV1.
    init(
        _ opcode: UInt8, _ payload: [UInt8] = [], isFinal: Bool = true, reserved: UInt8 = 0, mask: [UInt8]? = nil
    ) {
        first = (isFinal ? 0x80 : 0) | reserved << 4 | opcode
        (self.payload, self.mask) = (payload, mask)
    }

    init(
        _ opcode: UInt8, _ text: String, isFinal: Bool = true, reserved: UInt8 = 0, mask: [UInt8]? = nil
    ) {
        self.init(opcode, Array(text.utf8), isFinal: isFinal, reserved: reserved, mask: mask)
    }

    /// A close frame.
    init(closing code: UInt16, _ reason: [UInt8] = []) {
        self.init(8, [UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
    }

    /// The frame's bytes, its length in the shortest form.
    var bytes: [UInt8] {
        let count = payload.count
        return switch count {
        case ...125: bytes(length: [UInt8(count)])
        case ...0xFFFF: bytes(length: [126, UInt8(count >> 8), UInt8(count & 0xFF)])
        default: bytes(length: [127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) })
        }
    }

    /// The frame's bytes with the given bytes for the length, of which the first is without the mask's bit.
    func bytes(length: [UInt8]) -> [UInt8] {
        var bytes = [first] + length
        guard let mask else { return bytes + payload }
        bytes[1] |= 0x80
        return bytes + mask + payload.enumerated().map { $0.element ^ mask[$0.offset % 4] }
    }
}
