import NIOCore
import SternaCore

/// Splits the bytes of a UTF-8 text into pieces that end with a whole character's encoding.
///
/// Only the end of a piece is held back: at most three bytes, the beginning of a sequence that the next bytes may complete.
struct TextSplitter: Sendable {
    private var rest = Bytes()

    /// Adds bytes, and returns the text that is complete by now; nil if there is none. Invalid bytes are replaced.
    mutating func add(_ bytes: Bytes) -> String? {
        var bytes = bytes
        rest.writeBuffer(&bytes)
        let kept = Self.incompleteEnd(of: rest.readableBytesView)
        guard let whole = rest.readSlice(length: rest.readableBytes - kept), whole.readableBytes > 0 else { return nil }
        rest.discardReadBytes()
        return String(decoding: whole.readableBytesView, as: UTF8.self)
    }

    /// Returns the remaining text, whose last character is incomplete; nil if nothing remains.
    mutating func last() -> String? {
        defer { rest = Bytes() }
        return rest.readableBytes > 0 ? String(decoding: rest.readableBytesView, as: UTF8.self) : nil
    }

    /// The number of bytes at the end that begin a sequence and do not complete it.
    static func incompleteEnd(of bytes: some BidirectionalCollection<UInt8>) -> Int {
        var count = 0
        for byte in bytes.reversed() {
            count += 1
            if byte & 0b1100_0000 == 0b1000_0000 {
                // Four continuation bytes in a row belong to no sequence.
                if count == 4 { return 0 }
                continue
            }
            let length =
                switch byte {
                case 0xC2...0xDF: 2
                case 0xE0...0xEF: 3
                case 0xF0...0xF4: 4
                default: 1
                }
            return count < length ? count : 0
        }
        return 0
    }
}
