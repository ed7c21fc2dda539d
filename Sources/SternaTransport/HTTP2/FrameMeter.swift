import NIOCore
import NIOHTTP2
import SternaCore

/// Reads the heads of a peer's frames before the library decodes them: the library discards some of them silently, and does
/// not limit others.
// Invariant: touched on the channel's event loop only.
final class FrameMeter: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = Bytes
    typealias InboundOut = Bytes

    /// The largest frame that is announced (RFC 9113, 6.5.2).
    private static let longestFrame = 16_384

    /// What the peer did that ends the connection.
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

    /// The bytes of the present field section so far, which may span several frames.
    private var blockCount = 0
    private var hasSeenFrame = false
    private var isOver = false

    /// Streams outside the table that the peer sent a WINDOW_UPDATE of 0 for.
    private var unopened: [Int] = []

    /// - Parameter limits: gives the limit of a compressed field section.
    init(_ limits: Limits, at now: NIODeadline) {
        blockLimit = limits.listBytes
        budget = FrameBudget(at: now)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let bytes = unwrapInboundIn(data)
        guard let (end, violation) = bytes.withUnsafeReadableBytes({ scan($0) }) else {
            context.fireChannelRead(data)
            if !unopened.isEmpty { tellUnopened() }
            return
        }
        isOver = true
        // What came before is good.
        if let good = bytes.getSlice(at: bytes.readerIndex, length: end), end > 0 {
            context.fireChannelRead(wrapInboundOut(good))
        }
        context.fireErrorCaught(violation)
    }

    // Returns the start of the first frame that is not accepted, and why.
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
        }
        // The library refuses a frame of this length.
        guard head.length <= Self.longestFrame else { return nil }
        guard budget.take(head, isOpen: isOpen(head.stream), at: .now()) else { return Self.flood }
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
            "The server sent more frames without a message than are taken, and the connection was given up."),
        code: .enhanceYourCalm)

    private var tooLong: Violation {
        Violation(
            error: SternaError(
                .limitExceeded, phase: .read,
                "The answer's header fields take more than \(blockLimit) bytes in compressed form, and the connection was given up."
            ), code: .enhanceYourCalm)
    }
}

extension Limits {
    /// The size of a field section as HTTP/2 counts it: 32 bytes more for each field (RFC 9113, 6.5.2).
    var listBytes: Int { headBytes + 32 * fieldCount }
}

/// Tells the peer how long a field section may be, while the library's decoder is given no such limit.
///
/// Past its limit the decoder reports a section that it cannot decode, which says that the peer is broken, and gives up the
/// connection. Without one, `HTTP2ResponseFields` refuses the section, says why, and the other streams go on.
// Invariant: touched on the channel's event loop only.
final class HeaderListAnnouncement: ChannelOutboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias OutboundIn = Bytes
    typealias OutboundOut = Bytes

    /// What the library believes to have announced.
    static let unlimited = 0x7FFF_FFFF
    private static let settingCount = 6
    private static let maximumHeaderListSize: UInt16 = 6
    private let value: UInt32

    init(_ limits: Limits) { value = UInt32(clamping: limits.listBytes) }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        var bytes = unwrapOutboundIn(data)
        // The preface comes first, in a write of its own.
        guard bytes.getInteger(at: bytes.readerIndex + 3, as: UInt8.self) == FrameHead.Kind.settings,
            bytes.getInteger(at: bytes.readerIndex + 5, as: UInt32.self) == 0
        else { return context.write(data, promise: promise) }
        var place = bytes.readerIndex + HTTP2Connection.frameHeadBytes
        while place + Self.settingCount <= bytes.writerIndex {
            if bytes.getInteger(at: place, as: UInt16.self) == Self.maximumHeaderListSize {
                bytes.setInteger(value, at: place + 2)
            }
            place += Self.settingCount
        }
        context.write(wrapOutboundOut(bytes), promise: promise)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}
