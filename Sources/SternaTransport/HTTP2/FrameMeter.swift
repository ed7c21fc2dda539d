import NIOCore
import NIOHTTP2
import SternaCore

/// Reads the heads of a peer's frames before the library decodes them: the library discards some of them silently, and does not
/// limit others.
///
/// Passes no part of a head on. The library's decoder appends each read to what is left of the one before, and begins its buffer
/// anew only where nothing is left: where reads end within heads, it would keep and copy everything since the last one that did not.
// Invariant: touched on the channel's event loop only.
final class FrameMeter: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias InboundOut = Bytes

    /// The largest frame that is announced (RFC 9113, 6.5.2).
    private static let longestFrame = 16_384

    /// A fault of the peer that ends the connection.
    struct Violation: Error {
        let error: SternaError
        let code: HTTP2Code
    }

    /// Knows which streams are open; set while it is in the pipeline. Without it, all streams count as open.
    var connection: HTTP2Connection?
    var budget: FrameBudget

    /// Whether the peer began with SETTINGS, as HTTP/2 does (RFC 9113, 3.4).
    private(set) var hasSeenSettings = false
    private var scanner = FrameScanner()
    private let blockLimit: Int
    private let clock: NetworkClock

    /// The length of the present field section so far, which may span several frames.
    private var blockCount = 0
    private var hasSeenFrame = false
    private var isOver = false

    /// The offset at which the peer's first SETTINGS end; nil before they have begun.
    private var settingsEnd: Int?
    private var passedCount = 0
    private var hasAcknowledged = false

    /// Streams outside the table for which the peer sent a WINDOW_UPDATE of 0.
    private var unopened: [Int] = []

    /// - Parameter limits: contains the limit of a compressed field section.
    init(_ limits: Limits, by clock: NetworkClock) {
        self.clock = clock
        blockLimit = limits.listBytes
        budget = FrameBudget(at: clock.now)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        var bytes = unwrapInboundIn(data)
        let held = scanner.partial.isEmpty ? nil : Bytes(bytes: scanner.partial)
        let violation = bytes.withUnsafeReadableBytes { scan($0) }
        // The frames before a violation are valid. Its own head may have begun with an earlier read.
        let end = violation?.0 ?? bytes.readableBytes - scanner.partial.count
        if end > 0, let good = bytes.readSlice(length: end) {
            if let held { pass(held, context) }
            pass(good, context)
        }
        if let violation {
            isOver = true
            context.fireErrorCaught(violation.1)
        } else if !unopened.isEmpty {
            tellUnopened()
        }
    }

    /// Passes bytes to the library. Behind the peer's first SETTINGS it inserts the acknowledgement of the SETTINGS that the
    /// library believes to have sent first (``HeaderListAnnouncement``).
    private func pass(_ bytes: Bytes, _ context: ChannelHandlerContext) {
        guard !hasAcknowledged else { return context.fireChannelRead(wrapInboundOut(bytes)) }
        var rest = bytes
        let before = passedCount
        passedCount += bytes.readableBytes
        if hasSeenSettings, let settingsEnd, settingsEnd <= passedCount,
            let first = rest.readSlice(length: settingsEnd - before)
        {
            hasAcknowledged = true
            context.fireChannelRead(wrapInboundOut(first))
            context.fireChannelRead(wrapInboundOut(HeaderListAnnouncement.acknowledgement))
        }
        if rest.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(rest)) }
    }

    // Returns the start of the first rejected frame, and the reason.
    private func scan(_ bytes: UnsafeRawBufferPointer) -> (Int, Violation)? {
        var position = 0
        while true {
            let before = position
            guard let head = scanner.next(in: bytes, at: &position) else { return nil }
            if let violation = look(at: head) {
                // The position is behind the head, a part of which may have come with an earlier read.
                return (max(before, position - 9), violation)
            }
        }
    }

    private func look(at head: FrameHead) -> Violation? {
        if !hasSeenFrame {
            hasSeenFrame = true
            hasSeenSettings =
                head.type == FrameHead.Kind.settings && head.stream == 0 && !head.has(FrameHead.acknowledgement)
            settingsEnd = HTTP2Connection.frameHeadBytes + head.length
        }
        // The library refuses a frame of this length.
        guard head.length <= Self.longestFrame else { return nil }
        guard budget.take(head, isOpen: isOpen(head.stream), at: clock.now) else { return Self.flood }
        switch head.type {
        case FrameHead.Kind.headers, FrameHead.Kind.pushPromise:
            blockCount = head.length
            if blockCount > blockLimit { return tooLong }
        case FrameHead.Kind.continuation:
            blockCount += head.length
            if blockCount > blockLimit { return tooLong }
        case FrameHead.Kind.windowUpdate where head.increment == 0 && head.stream != 0:
            if !isOpen(head.stream) { unopened.append(head.stream) }
        default: break
        }
        return nil
    }

    private func isOpen(_ stream: Int) -> Bool {
        connection?.isOpen(HTTP2StreamID(stream)) ?? true
    }

    // Called when the library has checked that these streams existed.
    private func tellUnopened() {
        let streams = unopened
        unopened = []
        for stream in streams { connection?.resetEnded(HTTP2StreamID(stream), .protocolError) }
    }

    private static let flood = Violation(
        error: SternaError(
            .limitExceeded, phase: .read,
            "The server sent too many frames that carry no message; the connection was closed."),
        code: .enhanceYourCalm)

    private var tooLong: Violation {
        Violation(
            error: SternaError(
                .limitExceeded, phase: .read,
                "The response's header fields take more than \(blockLimit) bytes in compressed form; the connection was closed."
            ), code: .enhanceYourCalm)
    }
}

extension Limits {
    /// The size of a field section as HTTP/2 counts it: 32 bytes more for each field (RFC 9113, 6.5.2).
    var listBytes: Int { headBytes + 32 * fieldCount }
}
