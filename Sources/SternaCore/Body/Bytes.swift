public import NIOCore

/// A run of bytes with copy-on-write slices: SwiftNIO's `ByteBuffer`.
public typealias Bytes = ByteBuffer

extension Bytes {
    /// The bytes of a text in UTF-8.
    public init(text: String) { self.init(string: text) }

    /// A copy of bytes.
    public init(copying bytes: some Sequence<UInt8>) { self.init(bytes: bytes) }

    /// The readable bytes decoded as UTF-8; ill-formed sequences become U+FFFD.
    public var text: String { String(buffer: self) }

    /// A copy of the readable bytes.
    public var array: [UInt8] { Array(readableBytesView) }

    /// Appends bytes after the unread ones.
    ///
    /// It releases the bytes that were already read, which a buffer that never runs empty would otherwise keep and copy.
    package mutating func join(_ more: Bytes) {
        if readableBytes == 0 {
            self = more
        } else if readerIndex == 0 {
            writeImmutableBuffer(more)
        } else {
            var joined = Bytes()
            joined.reserveCapacity(readableBytes + more.readableBytes)
            joined.writeImmutableBuffer(self)
            joined.writeImmutableBuffer(more)
            self = joined
        }
    }

    /// Returns these bytes, copied if they are a small part of a large buffer, since a slice retains the whole buffer.
    ///
    /// A copy of so few bytes costs less than a buffer that is still in use at the next read.
    package var withoutSurplus: Bytes {
        guard readableBytes <= 8 << 10, readableBytes <= storageCapacity / 2 else { return self }
        return Bytes(buffer: self)
    }

    /// The number of readable bytes.
    public var count: Int { readableBytes }

    /// Whether there are no readable bytes.
    public var isEmpty: Bool { readableBytes == 0 }
}
