import NIOCore
import NIOHTTP2
import SternaCore

/// Announces the limit of a field section to the peer, while the library's decoder has no such limit.
///
/// Past its limit the decoder reports a section that it cannot decode, which blames the peer, and gives up the connection. Without
/// a limit, `HTTP2ResponseFields` refuses the section and says why, and the other streams continue.
///
/// The library applies a setting when it is acknowledged, and a limit of its own until then. So it writes two SETTINGS: first only
/// the limit, which `FrameMeter` acknowledges as soon as the peer has sent its SETTINGS, then the settings that the peer
/// acknowledges. The peer gets one SETTINGS, in the place of the first: all settings, with the limit that holds.
// Invariant: touched on the channel's event loop only.
final class HeaderListAnnouncement: ChannelOutboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias OutboundIn = Bytes
    typealias OutboundOut = Bytes

    /// The limit that the library believes to have announced.
    static let unlimited = 0x7FFF_FFFF

    /// An acknowledgement of SETTINGS (RFC 9113, 6.5).
    static let acknowledgement = Bytes(bytes: [0, 0, 0, FrameHead.Kind.settings, FrameHead.acknowledgement, 0, 0, 0, 0])

    private static let settingBytes = 6

    /// The identifiers and values that are sent to the peer (RFC 9113, 6.5.2).
    private let settings: [(UInt16, UInt32)]

    /// The settings that the library writes second: all but the limit.
    let later: [HTTP2Setting]
    private var hasSent = false

    /// - Parameters:
    ///   - limits: contains the limit of a field section.
    ///   - window: the bytes that the peer may send on a stream before it is allowed more.
    init(_ limits: Limits, window: Int) {
        later = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .initialWindowSize, value: window),
        ]
        settings = [(2, 0), (4, UInt32(clamping: window)), (6, UInt32(clamping: limits.listBytes))]
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        // The preface comes first, in a write of its own.
        guard bytes.getInteger(at: bytes.readerIndex + 3, as: UInt8.self) == FrameHead.Kind.settings,
            bytes.getInteger(at: bytes.readerIndex + 4, as: UInt8.self) == 0,
            bytes.getInteger(at: bytes.readerIndex + 5, as: UInt32.self) == 0
        else { return context.write(data, promise: promise) }
        guard !hasSent else {
            promise?.succeed()
            return context.pipeline.syncOperations.removeHandler(self, promise: nil)
        }
        hasSent = true
        context.write(wrapOutboundOut(frame(context.channel.allocator)), promise: promise)
    }

    private func frame(_ allocator: ByteBufferAllocator) -> Bytes {
        let count = settings.count * Self.settingBytes
        var frame = allocator.buffer(capacity: HTTP2Connection.frameHeadBytes + count)
        frame.writeBytes([0, 0, UInt8(clamping: count), FrameHead.Kind.settings, 0, 0, 0, 0, 0])
        for (identifier, value) in settings {
            frame.writeInteger(identifier)
            frame.writeInteger(value)
        }
        return frame
    }
}
