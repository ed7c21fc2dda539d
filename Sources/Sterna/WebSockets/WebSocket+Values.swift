public import SternaCore
import SternaSerialization

extension WebSocket {
    /// A message.
    public enum Message: Sendable, Hashable {
        case text(String)
        case binary(Bytes)
    }

    /// A part of a message, as it arrived; see ``WebSocket/pieces``.
    public struct Piece: Sendable, Hashable {
        /// The bytes; a character of a text may be split between two pieces.
        public var bytes: Bytes

        /// Whether the message is text, in UTF-8.
        public var isText: Bool

        /// Whether a message begins with this piece.
        public var isFirst: Bool

        /// Whether the message ends with this piece, which may be empty.
        public var isLast: Bool
    }

    /// Why a WebSocket ended (RFC 6455, 7.4).
    public struct CloseCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public var rawValue: UInt16

        /// Makes a code; programs define those from 4000 to 4999.
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The purpose was fulfilled.
        public static let normal = CloseCode(rawValue: 1000)
        /// The server shuts down, or the program leaves.
        public static let goingAway = CloseCode(rawValue: 1001)
        public static let protocolError = CloseCode(rawValue: 1002)
        /// A kind of message that the receiver does not take.
        public static let unsupportedData = CloseCode(rawValue: 1003)
        /// The peer closed without a code. Never sent.
        public static let noCode = CloseCode(rawValue: 1005)
        /// The connection ended without a closing handshake. Never sent.
        public static let lost = CloseCode(rawValue: 1006)
        /// A message with invalid data, such as text that is not UTF-8.
        public static let invalidText = CloseCode(rawValue: 1007)
        public static let policyViolation = CloseCode(rawValue: 1008)
        public static let messageTooBig = CloseCode(rawValue: 1009)
        /// The server did not agree to an extension that the client needs.
        public static let missingExtension = CloseCode(rawValue: 1010)
        /// The sender met an unexpected condition.
        public static let internalError = CloseCode(rawValue: 1011)
        public static let serviceRestart = CloseCode(rawValue: 1012)
        public static let tryAgainLater = CloseCode(rawValue: 1013)
        public static let badGateway = CloseCode(rawValue: 1014)

        public var description: String { "\(rawValue)" }

        /// Whether a close frame may have the code (RFC 6455, 7.4.2, and IANA's registry).
        var isSendable: Bool {
            switch rawValue {
            case 1000...1003, 1007...1014, 3000...4999: true
            default: false
            }
        }
    }

    /// How a WebSocket ended.
    public struct Closure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The peer's code; this side's if it closed first.
        public var code: CloseCode

        /// The reason that came with the code; often empty.
        public var reason: String

        /// Whether the peer ended the WebSocket; true for a lost connection, too.
        public var isByPeer: Bool

        public init(_ code: CloseCode, reason: String = "", isByPeer: Bool) {
            (self.code, self.reason, self.isByPeer) = (code, reason, isByPeer)
        }

        public var description: String {
            let name =
                switch code {
                case .lost: isByPeer ? "the connection was lost (1006)" : "this side ended the connection (1006)"
                case .noCode: "the server closed it without a code (1005)"
                default: "\(isByPeer ? "the server" : "this side") closed it with \(code)"
                }
            return reason.isEmpty ? name : "\(name), “\(FieldSyntax.printable(reason, limit: 200))”"
        }
    }
}

extension WebSocket.Closure {
    /// Whether a reader's sequence ends without an error.
    ///
    /// A close without a code is how many libraries close normally.
    var isOrderly: Bool {
        guard isByPeer else { return true }
        switch code {
        case .normal, .goingAway, .noCode: return true
        default: return false
        }
    }

    /// The error of this end.
    ///
    /// - Parameter addition: what follows the description.
    func error(phase: SternaError.Phase, _ addition: String = "") -> SternaError {
        SternaError(
            .webSocketClosed, phase: phase,
            "The WebSocket has ended: \(self).\(addition.isEmpty ? "" : " \(addition)")",
            underlying: self)
    }
}

/// A part of a message on its way to the reader.
struct WebSocketPart: Sendable {
    var kind: WebSocketKind
    var bytes: Bytes
    var isFirst: Bool
    var isLast: Bool

    var isWhole: Bool { isFirst && isLast }

    /// The message of a whole part. Its memory is no larger than necessary.
    var message: WebSocket.Message {
        kind == .text ? .text(bytes.text) : .binary(bytes.withoutSurplus)
    }

    var piece: WebSocket.Piece {
        WebSocket.Piece(bytes: bytes, isText: kind == .text, isFirst: isFirst, isLast: isLast)
    }
}
