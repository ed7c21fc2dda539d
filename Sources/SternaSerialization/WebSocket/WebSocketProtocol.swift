/// The side of a WebSocket that a reader or writer works for.
package enum WebSocketSide: Sendable {
    case client, server
}

/// The kind of a message (RFC 6455, 5.6).
package enum WebSocketKind: UInt8, Sendable {
    case text = 1
    case binary = 2
}

/// A violation of the protocol or of a limit, with the code that closes the connection (RFC 6455, 7.4.1).
package struct WebSocketFault: Error, Hashable {
    package var code: UInt16
    /// What happened, in one sentence.
    package var detail: String

    package init(code: UInt16, detail: String) {
        self.code = code
        self.detail = detail
    }
}

/// Limits on what a peer may send.
package struct WebSocketLimits: Sendable, Hashable {
    /// The payload of a frame as sent, in bytes.
    package var frameBytes = 16 << 20
    /// A message after decompression, in bytes; nil for none, where messages are read piece by piece.
    package var messageBytes: Int? = 16 << 20
    /// The number of frames of a message.
    package var fragmentCount = 65_536
    /// The number of control frames between two frames of messages, within `controlFramePeriod`: an idle connection may have pings
    /// for years.
    package var controlFrameCount = 10_000
    package var controlFramePeriod = Duration.seconds(10)

    package init() {}
}

/// The codes of close frames (RFC 6455, 7.4).
package enum WebSocketCloseCodes {
    /// Returns whether a close frame may have a code: those that RFC 6455 and IANA's registry define for it, those of libraries
    /// (3000 to 3999), and those of programs (4000 to 4999).
    package static func isValid(_ code: UInt16) -> Bool {
        switch code {
        // 1004 is reserved; 1005, 1006 and 1015 stand for ends without such a frame.
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
