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

    /// How many bytes there are to read.
    public var count: Int { readableBytes }

    /// Whether there is nothing to read.
    public var isEmpty: Bool { readableBytes == 0 }
}
