import SternaPlatform

/// A frame's mask (RFC 6455, 5.3): four bytes, of which the lowest is for the next byte of the payload.
struct WebSocketMask: Sendable, Hashable {
    private(set) var key: UInt32

    init(_ key: UInt32) { self.key = key }

    /// Reads a mask as it is in a frame.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        key = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// Writes the mask into a frame.
    @inline(__always)
    func write(to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: key.littleEndian, as: UInt32.self)
    }

    /// Masks or unmasks bytes to a target of the same size, which may be the source itself.
    @inline(__always)
    func apply(_ source: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer) {
        let word = (UInt64(key) &<< 32 | UInt64(key)).littleEndian
        let words = SIMD4<UInt64>(repeating: word)
        var index = 0
        while index &+ 32 <= source.count {
            let masked = source.loadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self) ^ words
            target.storeBytes(of: masked, toByteOffset: index, as: SIMD4<UInt64>.self)
            index &+= 32
        }
        while index &+ 8 <= source.count {
            let masked = source.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ word
            target.storeBytes(of: masked, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        var rest = key
        while index < source.count {
            let masked = source[index] ^ UInt8(truncatingIfNeeded: rest)
            target.storeBytes(of: masked, toByteOffset: index, as: UInt8.self)
            rest = rest &>> 8 | rest &<< 24
            index &+= 1
        }
    }

    /// Moves on by a number of bytes of the payload.
    mutating func advance(by count: Int) {
        let bits = UInt32(truncatingIfNeeded: count & 3) &* 8
        if bits > 0 { key = key &>> bits | key &<< (32 &- bits) }
    }

    /// Returns a mask of the system's random numbers, for single frames.
    static func random() -> WebSocketMask { WebSocketMask(UInt32.random(in: 0...UInt32.max)) }
}

/// Supplies unpredictable masks, drawn from the system in batches, since each draw is a system call.
struct WebSocketMaskSource: Sendable {
    private static let batch = 64
    private var keys: [UInt32] = []

    /// Returns a mask that was not used before.
    @inline(__always)
    mutating func next() -> WebSocketMask {
        if let key = keys.popLast() { return WebSocketMask(key) }
        return refill()
    }

    @inline(never)
    private mutating func refill() -> WebSocketMask {
        keys = Self.randomKeys()
        return WebSocketMask(keys.popLast() ?? UInt32.random(in: 0...UInt32.max))
    }

    private static func randomKeys() -> [UInt32] {
        var keys = [UInt32](repeating: 0, count: batch)
        let isFilled = keys.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            // The system fills exactly these bytes: 256, the most that getentropy takes.
            #if canImport(Darwin)
            arc4random_buf(base, bytes.count)
            return true
            #else
            return getentropy(base, bytes.count) == 0
            #endif
        }
        if isFilled { return keys }
        var generator = SystemRandomNumberGenerator()
        return (0..<batch).map { _ in UInt32.random(in: 0...UInt32.max, using: &generator) }
    }
}
