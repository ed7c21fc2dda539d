import SternaTesting
import Testing

@testable import SternaTestSupport

@Suite("Scripted peer", .timeLimit(.minutes(5)))
struct ScriptedServerTests {
    @Test("plays heads, bodies and responses in turn")
    func conversation() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("first"), .receive(atLeast: 3), .sendBytes([0x32]), .receiveHead,
            .sendSplit(Array("abcdef".utf8), pieceSize: 4), .sendRepeating([0x7A], count: 0),
            .sendRepeating([0x7A], count: -1), .sendRepeating(Array("xy".utf8), count: 10_001), .close,
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send("A\r\n\r")
                try await client.send("\nbodB\r\n\r\n")
                let text = try await client.rest()
                expectEqual(text, "first2abcdef" + String(repeating: "xy", count: 10_001))
            }
            expectEqual(server.received(connection: 0), Array("A\r\n\r\nbodB\r\n\r\n".utf8))
            #expect(server.received(connection: 1).isEmpty)
            expectEqual(server.acceptedConnections, 1)
            #expect(try await server.waitForClose(connection: 0))
        }
    }

    @Test("each connection plays its script, later ones the last")
    func scripts() async throws {
        try await ScriptedServer.withServer(connections: [[.send("1"), .close], [.send("2"), .close]]) { server in
            for expected in ["1", "2", "2"] {
                let text = try await RawClient.with(port: server.port) { try await $0.rest() }
                expectEqual(text, expected)
            }
            expectEqual(server.acceptedConnections, 3)
        }
    }

    @Test("sends for ever until the peer closes")
    func endless() async throws {
        let script: [ScriptedServer.Step] = [.sendRepeating(Array("abc".utf8), count: nil)]
        try await ScriptedServer.withServer(connections: [script]) { server in
            try await RawClient.with(port: server.port) { client in
                let text = String(decoding: try await client.bytes(3 << 20), as: UTF8.self)
                #expect(text.hasPrefix("abcabc"))
                #expect(text.hasSuffix("abc"))
            }
            #expect(try await server.waitForClose(connection: 0))
        }
    }

    @Test("a reset is an error for the peer")
    func reset() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send("x"), .reset]]) { server async throws in
            await #expect(throws: (any Error).self) {
                try await RawClient.with(port: server.port) { client in
                    try await client.send("\r\n\r\n")
                    _ = try await client.rest()
                }
            }
        }
    }

    @Test(
        "closing of the output leaves the input",
        arguments: [
            [ScriptedServer.Step.send("a"), .closeOutput, .receive(atLeast: 2)], [.send("a"), .closeOutput],
        ])
    func halfClose(script: [ScriptedServer.Step]) async throws {
        try await ScriptedServer.withServer(connections: [script]) { server in
            try await RawClient.with(port: server.port) { client in
                try await client.send("hi")
                #expect(await server.waitForReceived(2, connection: 0))
                try await expectEqual(client.bytes(1), [0x61])
            }
            #expect(try await server.waitForClose(connection: 0))
            expectEqual(server.received(connection: 0), Array("hi".utf8))
        }
    }

    @Test("waits that time out report it")
    func timeouts() async throws {
        try await ScriptedServer.withServer(connections: [[.hang]]) { server in
            try await expectEqual(server.waitForClose(connection: 0, within: 0.02), false)
            try await RawClient.with(port: server.port) { _ async throws in
                #expect(await server.waitForConnections(1))
                try await expectEqual(server.waitForClose(connection: 0, within: 0.02), false)
                await expectEqual(server.waitForReceived(1, connection: 0, within: 0.02), false)
            }
            #expect(try await server.waitForClose(connection: 0))
        }
    }

    @Test("a peer's close is seen and a pause lasts")
    func pauseAndClose() async throws {
        let script: [ScriptedServer.Step] = [.pause(milliseconds: 60), .send("late"), .waitForClose, .close]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let start = ContinuousClock.now
            try await RawClient.with(port: server.port) { client async throws in
                try await expectEqual(client.bytes(4), Array("late".utf8))
            }
            #expect(ContinuousClock.now - start >= .milliseconds(50))
            #expect(try await server.waitForClose(connection: 0))
        }
    }

    @Test("with TLS, closes with and without close_notify", arguments: [true, false])
    func tls(orderly: Bool) async throws {
        let authority = try CertificateAuthority()
        let script: [ScriptedServer.Step] = [.receiveHead, .send("over TLS"), orderly ? .close : .closeAbruptly]
        try await ScriptedServer.withServer(tls: try authority.issue(), connections: [script]) { server in
            #expect(server.url == "https://localhost:\(server.port)")
            let ended = try await RawClient.with(port: server.port, tls: .init(roots: [authority.pem])) { client in
                try await client.send("\r\n\r\n")
                try await expectEqual(client.bytes(8), Array("over TLS".utf8))
                do { return try await client.rest().isEmpty } catch { return false }
            }
            expectEqual(ended, orderly)
            expectEqual(server.received(connection: 0), Array("\r\n\r\n".utf8))
        }
    }
}
