import NIOCore
import NIOPosix
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransport
@testable import SternaWireTestSupport

/// Servers that send the content of a GET behind their responses to HEAD, as Python's `http.server` lets programs do.
@Suite("Content after responses to HEAD", .timeLimit(.minutes(5)))
struct HeadContentTests {
    static let head = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
    static let whole = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

    @Test("Content that looks like a response is never delivered, at once or later", arguments: [nil, 20])
    func whole(pause: Int?) async throws {
        let first: [ScriptedServer.Step] =
            if let pause {
                [.receiveHead, .send(Self.head), .pause(milliseconds: pause), .send(Self.whole)]
            } else {
                [.receiveHead, .send(Self.head + Self.whole)]
            }
        let second: [ScriptedServer.Step] = [.receiveHead, .answer("second"), .receiveHead, .send(Self.head)]
        let third: [ScriptedServer.Step] = [.receiveHead, .answer("third")]
        try await ScriptedServer.withServer(connections: [first, second, third]) { server in
            let engine = Wire.engine()
            let api = try Wire.session(server.url, engine: engine)
            try await api.warmUp()
            try await engine.setRestTime(.hours(1))
            try await api.head("a")
            try await expectEqual(api.get("b").text(), "second")
            expectEqual(server.acceptedConnections, 2)
            // From now on the origin loses its connection after each HEAD.
            try await api.head("c")
            try await expectEqual(api.get("d").text(), "third")
            expectEqual(server.acceptedConnections, 3)
        }
    }

    @Test("Content that comes after the next request's head makes the connection stale", arguments: [false, true])
    func late(isPost: Bool) async throws {
        let silent = (0..<4).flatMap { _ in [ScriptedServer.Step.receiveHead, .send(Self.head)] }
        let first: [ScriptedServer.Step] = silent + [.receiveHead, .send("<html></html>")]
        try await ScriptedServer.withServer(connections: [first, [.receiveHead, .answer("fresh")]]) { server in
            let api = try Wire.session(server.url)
            for _ in 0..<4 { try await api.head("a") }
            if isPost {
                let error = await Wire.failure(.malformedResponse, .read) { try await api.post("b", body: .text("x")) }
                #expect(error?.message.contains("HEAD") == true)
                expectEqual(server.acceptedConnections, 1)
            } else {
                try await expectEqual(api.get("b").text(), "fresh")
                expectEqual(server.acceptedConnections, 2)
            }
        }
    }

    @Test("A correct server keeps its connections", arguments: [false, true])
    func correct(secure: Bool) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            let api = try Wire.session(server.url, authority: authority)
            for _ in 0..<10 {
                try await expectEqual(api.head("1k").headers[.contentLength], "1024")
                try await expectEqual(api.get("1k").body.readableBytes, 1_024)
            }
            expectEqual(server.totalConnections, 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<16 { group.addTask { for _ in 0..<25 { try await api.head("1k") } } }
                try await group.waitForAll()
            }
            #expect(server.totalConnections <= 16)
            expectEqual(server.requestCount, 420)
        }
    }

    @Test("Unread input of a socket is detected before it is read")
    func unread() async throws {
        try await ScriptedServer.withServer(connections: [[.receive(atLeast: 1), .send("x")]]) { server in
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelOption(.autoRead, value: false).connect(host: "127.0.0.1", port: server.port).get()
            let socket = try await channel.eventLoop.submit { ChannelSocket(of: channel) }.get()
            let input: @Sendable () async throws -> UnreadInput = {
                try await channel.eventLoop.submit { socket.unreadInput }.get()
            }
            try await expectEqual(input(), .nothing)
            try await channel.writeAndFlush(Bytes(string: "x"))
            #expect(try await eventually { try await input() == .bytes })
            try await expectEqual(input(), .bytes)
            try await channel.close()
        }
    }
}
