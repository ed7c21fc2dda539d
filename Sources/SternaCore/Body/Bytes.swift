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

    /// Puts bytes behind those that are still to be read.
    ///
    /// What was read already is let go of: a buffer that is never quite empty would keep it, and copy it, for ever.
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

    /// These bytes, copied where they are few in much memory: a slice keeps the whole of what was read with it.
    ///
    /// A copy of so few costs less than memory that is still in use when it is wanted for the next read.
    package var withoutSurplus: Bytes {
        guard readableBytes <= 8 << 10, readableBytes <= storageCapacity / 2 else { return self }
        return Bytes(buffer: self)
    }

    /// How many bytes there are to read.
    public var count: Int { readableBytes }

    /// Whether there is nothing to read.
    public var isEmpty: Bool { readableBytes == 0 }
}
