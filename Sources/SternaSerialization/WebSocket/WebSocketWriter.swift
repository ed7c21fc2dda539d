import NIOCore
package import SternaCore

/// Writes frames (RFC 6455, 5; RFC 7692); a value without I/O.
package struct WebSocketWriter: Sendable {
    /// The size below which compression is not worth it.
    private static let smallestCompressed = 64

    private let isClient: Bool
    /// The window of this side's compressor; nil if nothing is compressed.
    private let windowBits: Int?
    private let forgets: Bool
    private var masks = WebSocketMaskSource()
    private var deflater: MessageDeflater?
    /// Whether the message is compressed whose first part was written last.
    private var isCompressed = false

    package init(_ side: WebSocketSide, deflate: WebSocketDeflate? = nil) {
        isClient = side == .client
        let bits = side == .client ? deflate?.clientWindowBits : deflate?.serverWindowBits
        // A window of 256 bytes, which zlib does not have, is kept by sending all messages as they are.
        windowBits = bits.flatMap { $0 >= 9 ? min($0, 15) : nil }
        forgets = (side == .client ? deflate?.clientForgets : deflate?.serverForgets) ?? true
    }

    /// Returns a frame with a part of a message; a whole message if it is the first and the last.
    ///
    /// A message is compressed if its first part is worth it; a whole message that would grow is sent as it is.
    package mutating func frame(_ kind: WebSocketKind, _ bytes: Bytes, isFirst: Bool = true, isLast: Bool = true)
        -> Bytes
    {
        var first: UInt8 = (isLast ? 0x80 : 0) | (isFirst ? kind.rawValue : 0)
        var payload = bytes
        if windowBits != nil {
            if isFirst { isCompressed = false }
            if isFirst ? bytes.readableBytes >= Self.smallestCompressed : isCompressed {
                if let compressed = compress(bytes, isFirst: isFirst, isLast: isLast) {
                    if isFirst { first |= 0x40 }
                    (payload, isCompressed) = (compressed, true)
                }
            }
        }
        return Self.frame(first, payload, isClient ? masks.next() : nil)
    }

    /// Returns a ping; of a payload longer than 125 bytes only the first 125 are sent.
    package func ping(_ payload: Bytes) -> Bytes { control(0x9, payload) }

    /// Returns a pong; of a payload longer than 125 bytes only the first 125 are sent.
    package func pong(_ payload: Bytes) -> Bytes { control(0xA, payload) }

    /// Returns a close frame; the reason is cut at the end of a character to fit into 123 bytes. A nil code sends none, and no
    /// reason, and so does a code that must not be sent.
    package func close(_ code: UInt16?, reason: String = "") -> Bytes {
        guard let code, WebSocketCloseCodes.isValid(code) else { return control(0x8, Bytes()) }
        var payload = Bytes(integer: code)
        var text = Array(reason.utf8.prefix(124))
        if text.count > 123 {
            text.removeLast()
            // Bytes of the form 10xxxxxx continue a character.
            let cut = reason.utf8.dropFirst(123).first ?? 0
            if cut & 0xC0 == 0x80 {
                while let last = text.popLast(), last & 0xC0 == 0x80 {}
            }
        }
        payload.writeBytes(text)
        return control(0x8, payload)
    }

    private func control(_ opcode: UInt8, _ payload: Bytes) -> Bytes {
        let payload = payload.getSlice(at: payload.readerIndex, length: min(125, payload.readableBytes)) ?? Bytes()
        return Self.frame(0x80 | opcode, payload, isClient ? .random() : nil)
    }

    // MARK: Frames

    @inline(__always)
    private static func frame(_ first: UInt8, _ payload: Bytes, _ mask: WebSocketMask?) -> Bytes {
        let count = payload.readableBytes
        return Bytes(room: count + 14) { target in
            payload.withUnsafeReadableBytes { source in
                // There is room for the longest head, 14 bytes, and the payload.
                guard let base = target.baseAddress, target.count >= source.count + 14 else { return 0 }
                var start = writeHead(first, source.count, isMasked: mask != nil, to: base)
                if let mask {
                    mask.write(to: base + start)
                    start += 4
                    mask.apply(source, to: base + start)
                } else if let source = source.baseAddress {
                    (base + start).copyMemory(from: source, byteCount: count)
                }
                return start + source.count
            }
        }
    }

    /// Writes the kind and the length in its shortest form; returns the number of bytes.
    @inline(__always)
    private static func writeHead(_ first: UInt8, _ count: Int, isMasked: Bool, to target: UnsafeMutableRawPointer)
        -> Int
    {
        let bit: UInt8 = isMasked ? 0x80 : 0
        target.storeBytes(of: first, as: UInt8.self)
        if count <= 125 {
            target.storeBytes(of: bit | UInt8(truncatingIfNeeded: count), toByteOffset: 1, as: UInt8.self)
            return 2
        }
        if count <= 0xFFFF {
            target.storeBytes(of: bit | 126, toByteOffset: 1, as: UInt8.self)
            target.storeBytes(of: UInt16(truncatingIfNeeded: count).bigEndian, toByteOffset: 2, as: UInt16.self)
            return 4
        }
        target.storeBytes(of: bit | 127, toByteOffset: 1, as: UInt8.self)
        target.storeBytes(of: UInt64(count).bigEndian, toByteOffset: 2, as: UInt64.self)
        return 10
    }

    // MARK: Compression

    /// Returns the compressed payload of a frame; nil for a first part that is sent as it is, with all of its message.
    private mutating func compress(_ bytes: Bytes, isFirst: Bool, isLast: Bool) -> Bytes? {
        defer { if forgets, isLast { forget() } }
        guard var output = compress(bytes) else {
            // Without a compressor it begins anew, and a message that is compressed is continued in blocks that are stored.
            deflater = nil
            return isFirst ? nil : Self.stored(bytes, isLast: isLast)
        }
        if isLast {
            if output.readableBytes >= 4 {
                // All output ends with the tail, which the peer adds.
                output.moveWriterIndex(to: output.writerIndex - 4)
            } else {
                // The last part brought nothing: an empty block, less the tail (RFC 7692, 7.2.3.6).
                output.writeInteger(UInt8(0))
            }
        }
        guard isFirst, output.readableBytes >= bytes.readableBytes else { return output }
        // The peer does not get what the compressor has seen, so later messages must not refer to it: they begin anew.
        if let used = deflater, !used.reset() { deflater = nil }
        return nil
    }

    private mutating func compress(_ bytes: Bytes) -> Bytes? {
        if deflater == nil || !isKnownUniquelyReferenced(&deflater) {
            deflater = deflater.map { $0.copy() } ?? windowBits.flatMap { IdleDeflaters.take(windowBits: $0) }
        }
        return deflater?.compress(bytes)
    }

    private mutating func forget() {
        let isUnique = isKnownUniquelyReferenced(&deflater)
        let used = deflater.take()
        if isUnique, let used { IdleDeflaters.keep(used) }
    }

    /// Returns bytes in blocks without compression (RFC 1951, 3.2.4), which follow a flush.
    private static func stored(_ bytes: Bytes, isLast: Bool) -> Bytes {
        var rest = bytes
        var output = Bytes()
        while let block = rest.readSlice(length: min(rest.readableBytes, 0xFFFF)), block.readableBytes > 0 {
            let count = UInt16(truncatingIfNeeded: block.readableBytes)
            output.writeInteger(UInt8(0))
            output.writeInteger(count, endianness: .little)
            output.writeInteger(~count, endianness: .little)
            output.writeImmutableBuffer(block)
        }
        if isLast { output.writeInteger(UInt8(0)) }
        return output
    }
}
