public import NIOCore
public import SternaPlatform

/// A piece of a body that an asynchronous sequence delivers: bytes, or text in UTF-8.
public protocol BodyPiece: Sendable {
    var bodyBytes: Bytes { get }
}

extension Bytes: BodyPiece {
    public var bodyBytes: Bytes { self }
}

extension [UInt8]: BodyPiece {
    public var bodyBytes: Bytes { Bytes(bytes: self) }
}

extension Data: BodyPiece {
    public var bodyBytes: Bytes { Bytes(copying: self) }
}

extension String: BodyPiece {
    public var bodyBytes: Bytes { Bytes(string: self) }
}

extension Substring: BodyPiece {
    public var bodyBytes: Bytes { Bytes(substring: self) }
}
