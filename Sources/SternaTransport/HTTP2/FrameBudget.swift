import NIOCore

/// Bounds the frames of a peer that carry no message (RFC 9113, 10.5); a value without I/O.
///
/// A frame of an open message is free, as is the empty DATA with END_STREAM that ends it. Any other frame costs credit: unknown
/// types, WINDOW_UPDATE, PING, SETTINGS, PRIORITY, empty DATA without END_STREAM, and all frames on streams that have ended, which
/// the library discards silently if this side has reset the stream. Credit begins with 2,000 small frames. Time adds 200 a second,
/// and traffic adds more: each request, the content of messages in both directions, and frames that may still be on their way on a
/// reset stream. A server that opens a window for each frame of a large upload stays within the credit that the upload adds.
struct FrameBudget {
    /// The cost of any frame, however small.
    static let frame = 256

    /// The credit of a new connection, and the most that time adds.
    static let initial = 2_000 * frame

    /// The credit that time adds in a second.
    static let perSecond = 200 * frame

    /// The most that traffic adds.
    static let most = 64 << 20

    /// The credit of a request: the frames that a server may send because of it.
    static let request = 16 * frame

    /// The credit of a frame of a request's content, apart from its bytes.
    static let sentFrame = 4 * frame

    /// The credit of each byte in a frame that fills a window, at most the credit of other frames. A server that opens both
    /// windows by 40 bytes at a time stays within it; one that opens them byte by byte does not.
    static let byteInFullWindow = 16

    private(set) var credit = Self.initial
    private var refilled: NIODeadline

    init(at now: NIODeadline) { refilled = now }

    /// Adds credit for traffic: not more than 2^31 at once.
    mutating func earn(_ amount: Int) { credit = max(credit, min(Self.most, credit + amount)) }

    /// Adds credit for a frame of a request's content.
    mutating func sent(_ count: Int, fillsWindow: Bool) {
        let most = count + Self.sentFrame
        earn(fillsWindow ? min(most, count * Self.byteInFullWindow) : most)
    }

    /// Charges the cost of a frame. Returns whether the connection may continue.
    ///
    /// - Parameters:
    ///   - isOpen: whether the frame's stream is open; evaluated only for frames of messages.
    ///   - now: evaluated only when the credit is used up.
    mutating func take(
        _ head: FrameHead, isOpen: @autoclosure () -> Bool, at now: @autoclosure () -> NIODeadline
    ) -> Bool {
        switch head.type {
        case FrameHead.Kind.data:
            if head.length > 0 || head.has(FrameHead.endStream), isOpen() {
                earn(head.length)
                return true
            }
        case FrameHead.Kind.headers, FrameHead.Kind.continuation:
            if isOpen() { return true }
        default: break
        }
        credit -= Self.frame + head.length / 4
        return credit >= 0 || refill(at: now())
    }

    private mutating func refill(at now: NIODeadline) -> Bool {
        let nanoseconds = min(max(0, (now - refilled).nanoseconds), 10_000_000_000)
        refilled = now
        credit = min(Self.initial, credit + Int(nanoseconds) * Self.perSecond / 1_000_000_000)
        return credit >= 0
    }
}
