import NIOCore
import Sterna
import SternaCore

/// A frame of a WebSocket (RFC 6455, 5.2), without mask as a server sends it.
struct Frame: Hashable {
    var opcode: UInt8
    var payload: [UInt8] = []
    var isFinal = true

    static func text(_ text: String, isFinal: Bool = true) -> Frame {
        Frame(opcode: 1, payload: Array(text.utf8), isFinal: isFinal)
    }

    static func binary(_ bytes: [UInt8], isFinal: Bool = true) -> Frame {
        Frame(opcode: 2, payload: bytes, isFinal: isFinal)
    }

    static func continuation(_ text: String, isFinal: Bool = true) -> Frame {
        Frame(opcode: 0, payload: Array(text.utf8), isFinal: isFinal)
    }

    static func ping(_ text: String) -> Frame { Frame(opcode: 9, payload: Array(text.utf8)) }
    static func pong(_ text: String) -> Frame { Frame(opcode: 10, payload: Array(text.utf8)) }

    static func close(_ code: UInt16?, _ reason: String = "") -> Frame {
        Frame(opcode: 8, payload: (code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } ?? []) + Array(reason.utf8))
    }

    var text: String { String(decoding: payload, as: UTF8.self) }

    /// The code of a close frame; nil for none, and for other frames.
    var code: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }

    var bytes: Bytes {
        var bytes = Bytes()
        bytes.writeInteger((isFinal ? 0x80 : 0) | opcode)
        switch payload.count {
        case ...125: bytes.writeInteger(UInt8(payload.count))
        case ...0xFFFF:
            bytes.writeInteger(UInt8(126))
            bytes.writeInteger(UInt16(payload.count))
        default:
            bytes.writeInteger(UInt8(127))
            bytes.writeInteger(UInt64(payload.count))
        }
        bytes.writeBytes(payload)
        return bytes
    }

    /// Takes all frames off bytes, and their masks off them. A frame without a mask has the opcode 255.
    static func parse(_ bytes: inout Bytes) -> [Frame] {
        var frames: [Frame] = []
        while let first: UInt8 = bytes.readInteger(), let second: UInt8 = bytes.readInteger() {
            var count = Int(second & 0x7F)
            if count == 126 { count = bytes.readInteger(as: UInt16.self).map(Int.init) ?? 0 }
            if count == 127 { count = bytes.readInteger(as: UInt64.self).map(Int.init) ?? 0 }
            let mask = second & 0x80 == 0 ? nil : bytes.readBytes(length: 4)
            var payload = bytes.readBytes(length: count) ?? []
            if let mask { for index in payload.indices { payload[index] ^= mask[index % 4] } }
            frames.append(
                Frame(opcode: mask == nil ? 255 : first & 0x7F, payload: payload, isFinal: first & 0x80 != 0))
        }
        return frames
    }
}
