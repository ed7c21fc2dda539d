import NIOCore
import NIOSSL
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Ends of TLS connections without close_notify (RFC 8446, 6.1).
@Suite("TLS connections that end without close_notify", .timeLimit(.minutes(5)))
struct CloseNotifyTests {
    private static let untilClose = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhello"

    private func lenient(_ settings: inout SessionSettings) { settings.trust.policy.tls.requiresCloseNotify = false }

    @Test("A body that lasts until the connection ends is refused by default")
    func refused() async throws {
        try await Wire.refusal(.truncated, .read, secure: true, script: [.send(Self.untilClose), .closeAbruptly])
    }

    @Test("If the policy does not require it, such a body is complete")
    func accepted() async throws {
        let reply = try await Wire.answer(
            secure: true, script: [.send(Self.untilClose), .closeAbruptly], settings: lenient)
        try await expectEqual(reply.text(), "hello")
    }

    @Test("With close_notify such a body is complete under either policy", arguments: [false, true])
    func orderly(isLenient: Bool) async throws {
        let reply = try await Wire.answer(
            secure: true, script: [.send(Self.untilClose), .close], settings: { if isLenient { lenient(&$0) } })
        try await expectEqual(reply.text(), "hello")
    }

    @Test(
        "A body with its own end must be complete under every policy",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", "HTTP/1.1 200 OK\r\nX-Half",
        ])
    func framed(text: String) async throws {
        try await Wire.refusal(
            .truncated, .read, secure: true, script: [.send(text), .closeAbruptly], settings: lenient)
    }

    @Test("No other fault of a connection counts as such an end")
    func faults() {
        #expect(TLSFault.isUncleanEnd(NIOSSLError.uncleanShutdown))
        #expect(!TLSFault.isUncleanEnd(NIOSSLError.noSuchFilesystemObject))
        #expect(!TLSFault.isUncleanEnd(IOError(errnoCode: 104, reason: "reset")))
        #expect(!TLSFault.isUncleanEnd(ChannelError.eof))
    }

    @Test("An idle connection that ends without it is not reused")
    func idle() async throws {
        let authority = try CertificateAuthority()
        let first: [ScriptedServer.Step] = [.receiveHead, .answer("one"), .closeAbruptly]
        try await ScriptedServer.withServer(
            tls: try authority.issue(hosts: ["localhost"]), connections: [first, [.receiveHead, .answer("two")]]
        ) { server in
            let api = try Wire.session(server.url, authority: authority, lenient)
            try await expectEqual(api.get("a").text(), "one")
            #expect(try await server.waitForClose(connection: 0, within: 60))
            try await expectEqual(api.get("a").text(), "two")
        }
    }
}
