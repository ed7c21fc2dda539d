public import NIOCore

/// A run of bytes with copy-on-write slices: SwiftNIO's `ByteBuffer`.
public typealias Bytes = ByteBuffer

extension Bytes {
    /// The readable bytes decoded as UTF-8; ill-formed sequences become U+FFFD.
    public var text: String { String(buffer: self) }

    /// A copy of the readable bytes.
    public var array: [UInt8] { Array(readableBytesView) }

    /// How many bytes there are to read.
    public var count: Int { readableBytes }

    /// Whether there is nothing to read.
    public var isEmpty: Bool { readableBytes == 0 }
}
