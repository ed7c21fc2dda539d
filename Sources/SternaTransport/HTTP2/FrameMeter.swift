import NIOCore
import NIOHTTP2
import SternaCore

/// Reads the heads of a peer's frames before the library decodes them: the library discards some of them silently, and does not
/// limit others.
///
/// Passes on whole frames, and pieces of a body's content. The library's decoder appends each read to its buffer, which it empties
/// only when a read ends after a frame or a piece of content. As long as reads end within a frame, or between its head and its
/// content, it would keep and copy everything received since.
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

    /// The beginning of a frame that has not been passed to the library yet: at most one frame.
    private var held = Bytes()

    /// Whether the library may get the present frame in pieces.
    private var passesPieces = false
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
        let found = bytes.withUnsafeReadableBytes { scan($0) }
        if held.readableBytes > 0 {
            var first = Bytes()
            first.reserveCapacity(held.readableBytes + found.heldEnd)
            first.writeImmutableBuffer(held)
            if let rest = bytes.readSlice(length: found.heldEnd) { first.writeImmutableBuffer(rest) }
            if found.end < 0 {
                held = first
            } else {
                held = Bytes()
                pass(first, context)
            }
        }
        let count = found.end - found.heldEnd
        if count > 0, let good = bytes.readSlice(length: count) { pass(good, context) }
        if let violation = found.violation {
            isOver = true
            held = Bytes()
            return context.fireErrorCaught(violation)
        }
        if bytes.readableBytes > 0 { held = bytes }
        if !unopened.isEmpty { tellUnopened() }
    }

    /// Passes bytes to the library. After the peer's first SETTINGS it inserts the acknowledgement of the SETTINGS that the library
    /// believes to have sent first (``HeaderListAnnouncement``).
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

    /// What a read contains. Offsets count from its beginning, and are negative for frames that began in an earlier read.
    private struct Found {
        /// The end of the frame whose beginning is held, or the end of the read if that is earlier.
        var heldEnd: Int
        /// The end of the bytes that may be passed to the library now.
        var end: Int
        var violation: Violation?
    }

    private func scan(_ bytes: UnsafeRawBufferPointer) -> Found {
        var position = 0
        var start = -held.readableBytes
        var content = 0
        var heldEnd = start < 0 ? scanner.remaining : 0
        while let head = scanner.next(in: bytes, at: &position) {
            content = position + scanner.remaining - head.length
            start = content - HTTP2Connection.frameHeadBytes
            if start < 0 { heldEnd = content + head.length }
            if let violation = inspect(head) {
                return Found(heldEnd: min(heldEnd, max(0, start)), end: start, violation: violation)
            }
            // The library refuses longer frames by their heads.
            let isTooLong = head.length > Self.longestFrame
            passesPieces = isTooLong || head.type == FrameHead.Kind.data && !head.has(FrameHead.padded)
            if isTooLong { content -= 1 }
        }
        let end: Int
        if !scanner.partial.isEmpty {
            end = bytes.count - scanner.partial.count
        } else if scanner.remaining == 0 || passesPieces && content < bytes.count {
            end = bytes.count
        } else {
            end = start
        }
        return Found(heldEnd: end < 0 ? bytes.count : min(heldEnd, bytes.count), end: end)
    }

    private func inspect(_ head: FrameHead) -> Violation? {
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
