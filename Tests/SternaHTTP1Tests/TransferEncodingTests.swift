import SternaCore
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// RFC 9112, 6.1 and 6.3: this client asks for no other transfer coding than chunked, so none may come. Old servers name none by
/// `identity` (RFC 2616, 3.6).
@Suite("Transfer-Encoding")
struct TransferEncodingTests {
    static let body = "5\r\nhello\r\n0\r\n\r\n"

    @Test(
        "chunked is read in any case, and with empty list elements (RFC 9110, 5.6.1)",
        arguments: [
            "chunked", "Chunked", "CHUNKED", " \tchunked\t ", "chunked,", ",chunked", " , chunked", ", ,chunked\t, ,",
        ])
    func accepted(value: String) {
        let transcript = ParserTranscript.of("HTTP/1.1 200 OK\r\nTransfer-Encoding:\(value)\r\n\r\n\(Self.body)")
        expectNil(transcript.failure)
        expectEqual(transcript.text, "hello")
        #expect(transcript.hasEnded)
        #expect(transcript.isPersistent)
        #expect(!transcript.hasLeftover)
    }

    @Test(
        "Other codings are refused",
        arguments: [
            "Transfer-Encoding: xchunked", "Transfer-Encoding: chunkedx", "Transfer-Encoding: gzip, chunked",
            "Transfer-Encoding: gzip", "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked;q=1",
            "Transfer-Encoding: \"chunked\"", "Transfer-Encoding:", "Transfer-Encoding: ,",
            "Transfer-Encoding: ,chunked,chunked",
            "Transfer-Encoding:\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nTransfer-Encoding: ,",
            "Transfer-Encoding: identity, chunked", "Transfer-Encoding: identity, identity",
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "Transfer-Encoding: identity;q=1",
            "Transfer-Encoding: xidentity", "Transfer-Encoding: identity\r\nContent-Length: 5",
            "Content-Length: 0\r\nTransfer-Encoding: identity", "Transfer-Encoding: chun\u{B}ked",
            "Transfer-Encoding: chunked\u{A0}",
            "Transfer-Encoding: c hunked",
            "Content-Length: 5\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 5",
            "Transfer-Encoding: chunked\r\nContent-Length: 0",
        ])
    func refused(fields: String) {
        let transcript = ParserTranscript.of("HTTP/1.1 200 OK\r\n\(fields)\r\n\r\n\(Self.body)")
        expectEqual(transcript.failure, .malformedResponse)
        expectNil(transcript.status)
        #expect(transcript.body.isEmpty)
    }

    @Test("Transfer-Encoding in HTTP/1.0 is refused", arguments: ["chunked", "identity"])
    func old(value: String) {
        let transcript = ParserTranscript.of("HTTP/1.0 200 OK\r\nTransfer-Encoding: \(value)\r\n\r\n\(Self.body)")
        expectEqual(transcript.failure, .malformedResponse)
    }

    @Test(
        "With identity the body lasts until the connection ends",
        arguments: ["identity", "Identity", " identity\t", ", identity,"])
    func identity(value: String) {
        for isHeadRequest in [false, true] {
            let text = "HTTP/1.1 200 OK\r\nTransfer-Encoding:\(value)\r\n\r\n" + (isHeadRequest ? "" : Self.body)
            let transcript = ParserTranscript.of(text, isHeadRequest: isHeadRequest, closes: true)
            expectNil(transcript.failure)
            expectEqual(transcript.text, isHeadRequest ? "" : Self.body)
            #expect(transcript.hasEnded)
            #expect(!transcript.isPersistent)
        }
        #expect(!ParserTranscript.of("HTTP/1.1 200 OK\r\nTransfer-Encoding:\(value)\r\n\r\n\(Self.body)").hasEnded)
    }

    @Test("The same is refused in a response without a body", arguments: [200, 204, 304])
    func withoutBody(status: Int) {
        let transcript = ParserTranscript.of(
            "HTTP/1.1 \(status) X\r\nTransfer-Encoding: gzip, chunked\r\nContent-Length: 4\r\n\r\n", isHeadRequest: true
        )
        expectEqual(transcript.failure, .malformedResponse)
    }
}
