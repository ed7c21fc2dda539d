import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// One connection for several origins (RFC 9113, 9.1.1), and what forbids it.
@Suite("HTTP/2: connections that serve several origins", .timeLimit(.minutes(5)))
struct CoalescingTests {
    /// A server under several names, and a session that finds all of them at its address.
    private func withNames(
        _ names: [String], options: (inout EngineOptions) -> Void = { _ in },
        _ change: (inout SessionSettings) -> Void = { _ in },
        _ body: (TestServer, Session) async throws -> Void
    ) async throws {
        let authority = try CertificateAuthority()
        try await TestServer.withServer(.init(tls: try authority.issue(hosts: names), http2: .byALPN)) { server in
            var engine = Wire.options
            for name in ["one.test", "two.test", "three.test"] {
                engine.hostOverrides["\(name):\(server.port)"] = ["127.0.0.1"]
            }
            options(&engine)
            let session = try Wire.session(
                "https://one.test:\(server.port)", engine: Engine(options: engine), authority: authority, change)
            try await body(server, session)
        }
    }

    private func succeed(_ session: Session, _ name: String, _ server: TestServer) async throws {
        let status = try await ask(session, name, server)
        expectEqual(status, 200)
    }

    private func ask(_ session: Session, _ name: String, _ server: TestServer) async throws -> Int {
        let reply = try await session.get("https://\(name):\(server.port)/get")
        expectEqual(reply.response.version, .http2)
        return reply.status
    }

    @Test("Origins with one certificate and address share a connection")
    func shared() async throws {
        try await withNames(["one.test", "two.test"]) { server, session in
            for name in ["one.test", "two.test", "one.test", "two.test"] {
                try await succeed(session, name, server)
            }
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("Many concurrent requests of all origins share it after the first")
    func concurrent() async throws {
        try await withNames(["one.test", "two.test", "three.test"]) { server, session in
            try await succeed(session, "one.test", server)
            try await withThrowingTaskGroup { group in
                for number in 0..<60 {
                    group.addTask {
                        try await ask(session, ["one.test", "two.test", "three.test"][number % 3], server)
                    }
                }
                for try await status in group { expectEqual(status, 200) }
            }
            expectEqual(server.totalConnections, 1)
        }
    }

    @Test("Without its name in the certificate an origin gets its own connection, and is not trusted")
    func otherName() async throws {
        try await withNames(["one.test"]) { server, session in
            try await succeed(session, "one.test", server)
            let error = await #expect(throws: SternaError.self) { _ = try await ask(session, "two.test", server) }
            expectEqual(error?.kind, .certificateRejected)
            expectEqual(server.totalConnections, 2)
        }
    }

    @Test("An origin at another address gets its own connection")
    func otherAddress() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["one.test", "two.test"])
        try await TestServer.withServer(.init(tls: bundle, http2: .byALPN)) { server in
            let neighbour = TestServer.Options(host: "127.0.0.2", port: server.port, tls: bundle, http2: .byALPN)
            try await TestServer.withServer(neighbour) { other in
                var options = Wire.options
                options.hostOverrides["one.test:\(server.port)"] = ["127.0.0.1"]
                options.hostOverrides["two.test:\(server.port)"] = ["127.0.0.2"]
                let session = try Wire.session(
                    "https://one.test:\(server.port)", engine: Engine(options: options), authority: authority)
                try await succeed(session, "one.test", server)
                try await succeed(session, "two.test", server)
                expectEqual(server.totalConnections, 1)
                expectEqual(other.totalConnections, 1)
            }
        }
    }

    @Test(
        "An origin at another port, or at the same one under another number, is told by the port that is connected to")
    func otherPort() async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["one.test", "two.test", "three.test"])
        try await TestServer.withServer(.init(tls: bundle, http2: .byALPN)) { server in
            try await TestServer.withServer(.init(tls: bundle, http2: .byALPN)) { other in
                var options = Wire.options
                for (name, port) in [("one", server.port), ("two", other.port), ("three", server.port)] {
                    options.hostOverrides["\(name).test:443"] = ["127.0.0.1"]
                    options.portOverrides["\(name).test:443"] = UInt16(port)
                }
                let session = try Wire.session(
                    "https://one.test", engine: Engine(options: options), authority: authority)
                for name in ["one", "two", "three"] {
                    try await expectEqual(session.get("https://\(name).test/get").status, 200)
                }
                expectEqual(server.totalConnections, 1)
                expectEqual(other.totalConnections, 1)
            }
        }
    }

    @Test("An origin with another policy gets its own connection")
    func otherPolicy() async throws {
        let authority = try CertificateAuthority()
        try await TestServer.withServer(
            .init(tls: try authority.issue(hosts: ["one.test", "two.test"]), http2: .byALPN)
        ) { server in
            var options = Wire.options
            for name in ["one.test", "two.test"] { options.hostOverrides["\(name):\(server.port)"] = ["127.0.0.1"] }
            let session = try Wire.session(
                "https://one.test:\(server.port)", engine: Engine(options: options), authority: authority
            ) { settings in
                var pinned = SecurityPolicy.authority(pem: authority.pem)
                pinned.pins = ["sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
                settings.trust.hosts = ["two.test": pinned]
            }
            try await succeed(session, "one.test", server)
            let error = await #expect(throws: SternaError.self) { _ = try await ask(session, "two.test", server) }
            expectEqual(error?.kind, .certificateRejected)
            expectEqual(server.totalConnections, 2)
        }
    }

    @Test("A policy that accepts any certificate shares no connection")
    func overlooked() async throws {
        let authority = try CertificateAuthority()
        try await TestServer.withServer(.init(tls: try authority.issue(hosts: ["other.test"]), http2: .byALPN)) {
            server in
            var options = Wire.options
            for name in ["one.test", "two.test"] { options.hostOverrides["\(name):\(server.port)"] = ["127.0.0.1"] }
            let session = try Wire.session("https://one.test:\(server.port)", engine: Engine(options: options)) {
                $0.trust.policy.allowsInvalidCertificates = true
                $0.trust.policy.validatesDomainName = false
            }
            try await succeed(session, "one.test", server)
            try await succeed(session, "two.test", server)
            expectEqual(server.totalConnections, 2)
        }
    }

    @Test("Without coalescing each origin gets its own connection")
    func switchedOff() async throws {
        try await withNames(["one.test", "two.test"], options: { $0.http2.coalescesOrigins = false }) {
            server, session in
            try await succeed(session, "one.test", server)
            try await succeed(session, "two.test", server)
            expectEqual(server.totalConnections, 2)
        }
    }

    @Test("After 421 a request is resent on an own connection, even if it is not idempotent", arguments: [true, false])
    func misdirected(isPost: Bool) async throws {
        let authority = try CertificateAuthority()
        let bundle = try authority.issue(hosts: ["one.test", "two.test"])
        try await FramePeer.withPeer(tls: bundle) { connection in
            try await connection.handshake()
            try await connection.serve { request in
                if !request.endStream { _ = try await connection.body(of: request.stream) }
                let isWrong = connection.number == 0 && request.authority?.hasPrefix("two.test") == true
                try await connection.respond(request.stream, status: isWrong ? 421 : 200, text: "\(connection.number)")
            }
        } body: { peer in
            var options = Wire.options
            for name in ["one.test", "two.test"] { options.hostOverrides["\(name):\(peer.port)"] = ["127.0.0.1"] }
            let session = try Wire.session(
                "https://one.test:\(peer.port)", engine: Engine(options: options), authority: authority
            ) { $0.responseSerializer = .data }
            let first = try await session.get("a")
            expectEqual(first.body.text, "0")
            let url = "https://two.test:\(peer.port)/b"
            for _ in 0..<2 {
                let reply = isPost ? try await session.post(url, body: .text("x")) : try await session.get(url)
                expectEqual(reply.status, 200)
                expectEqual(reply.body.text, "1")
            }
            expectEqual(peer.connectionCount, 2)
        }
    }
}
