import NIOCore
import NIOEmbedded
import NIOHPACK
import NIOHTTP2
import Testing

@testable import SternaTransport
@testable import SternaWireTestSupport

/// What is kept from streams' channels, which would store it.
@Suite("Proxies: frames that are ignored")
struct TunnelFrameFilterTests {
    private func passes(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID = 1) throws -> Bool {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(TunnelFrameFilter())
        try channel.writeInbound(HTTP2Frame(streamID: id, payload: payload))
        let frame = try channel.readInbound(as: HTTP2Frame.self)
        _ = try channel.finish(acceptAlreadyClosed: true)
        return frame != nil
    }

    private func data(_ text: String, end: Bool = false) -> HTTP2Frame.FramePayload {
        .data(.init(data: .byteBuffer(ByteBuffer(string: text)), endStream: end))
    }

    @Test("A stream's content, fields and end are passed on")
    func kept() throws {
        #expect(try passes(data("a")))
        #expect(try passes(data("", end: true)))
        #expect(try passes(.headers(.init(headers: HPACKHeaders([(":status", "200")])))))
        #expect(try passes(.rstStream(.cancel)))
    }

    @Test("Frames without a meaning for the stream are dropped")
    func dropped() throws {
        #expect(try !passes(data("")))
        #expect(try !passes(.windowUpdate(windowSizeIncrement: 1)))
        #expect(try !passes(.priority(.init(exclusive: false, dependency: 0, weight: 1))))
        #expect(try !passes(.pushPromise(.init(pushedStreamID: 2, headers: HPACKHeaders()))))
    }

    @Test("The connection's own frames are passed on")
    func connection() throws {
        #expect(try passes(.windowUpdate(windowSizeIncrement: 1), on: .rootStream))
        #expect(try passes(.ping(HTTP2PingData(withInteger: 1), ack: false), on: .rootStream))
    }
}
