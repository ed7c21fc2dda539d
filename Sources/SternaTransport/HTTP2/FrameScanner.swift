/// The first nine octets of a frame (RFC 9113, 4.1).
struct FrameHead: Equatable {
    enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let settings: UInt8 = 4
        static let pushPromise: UInt8 = 5
        static let ping: UInt8 = 6
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    static let endStream: UInt8 = 0x1
    static let acknowledgement: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4
    static let padded: UInt8 = 0x8

    var length: Int
    var type: UInt8
    var flags: UInt8
    var stream: Int

    /// The increment of a WINDOW_UPDATE; nil for other frames, and if the length is wrong.
    var increment: Int?

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

/// Finds the heads of frames in a connection's bytes, however the reads split them; a value without I/O.
///
/// The library's decoder discards frames of unknown types, and others that a peer could send without end.
struct FrameScanner {
    private static let headCount = HTTP2Connection.frameHeadBytes
    private static let updateCount = 4

    /// The number of octets of the present frame that are still to come.
    private(set) var remaining = 0

    /// The octets of a head that has not arrived in full.
    private(set) var partial: [UInt8] = []

    /// Returns the next complete head, and moves the position past it.
    ///
    /// - Parameters:
    ///   - bytes: one read. The caller scans each read until this returns nil.
    ///   - position: where the scan continues.
    mutating func next(in bytes: UnsafeRawBufferPointer, at position: inout Int) -> FrameHead? {
        let passed = min(remaining, bytes.count - position)
        remaining -= passed
        position += passed
        guard remaining == 0, position < bytes.count else { return nil }
        let most = Self.headCount + Self.updateCount
        guard partial.isEmpty, bytes.count - position >= most else { return collect(bytes, &position) }
        var head = Self.head(bytes, at: position)
        if Self.isUpdate(head) { head.increment = Self.increment(bytes, at: position + Self.headCount) }
        position += Self.headCount
        remaining = head.length
        return head
    }

    // Octet by octet: this happens once or twice in a read.
    private mutating func collect(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> FrameHead? {
        while position < bytes.count {
            partial.append(bytes[position])
            position += 1
            guard partial.count >= Self.headCount else { continue }
            let found = partial.withUnsafeBytes { partial -> FrameHead? in
                var head = Self.head(partial, at: 0)
                guard Self.isUpdate(head) else { return head }
                guard partial.count == Self.headCount + Self.updateCount else { return nil }
                head.increment = Self.increment(partial, at: Self.headCount)
                return head
            }
            guard let found else { continue }
            remaining = found.length - (partial.count - Self.headCount)
            partial.removeAll(keepingCapacity: true)
            return found
        }
        return nil
    }

    private static func isUpdate(_ head: FrameHead) -> Bool {
        head.type == FrameHead.Kind.windowUpdate && head.length == updateCount
    }

    // The caller guarantees nine octets.
    private static func head(_ bytes: UnsafeRawBufferPointer, at start: Int) -> FrameHead {
        FrameHead(
            length: Int(bytes[start]) << 16 | Int(bytes[start + 1]) << 8 | Int(bytes[start + 2]),
            type: bytes[start + 3], flags: bytes[start + 4], stream: number(bytes, at: start + 5))
    }

    private static func increment(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int { number(bytes, at: start) }

    // A number of 31 bits: the first bit is reserved.
    private static func number(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
        Int(bytes[start] & 0x7F) << 24 | Int(bytes[start + 1]) << 16 | Int(bytes[start + 2]) << 8
            | Int(bytes[start + 3])
    }
}
