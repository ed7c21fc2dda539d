import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

/// Interim responses on their way to the caller (RFC 9110, 15.2; RFC 8297).
@Suite("Interim responses through a session", .timeLimit(.minutes(5)))
struct InterimSessionTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
    private static let hints =
        "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\nLink: </b.js>; rel=preload\r\n\r\n"

    private static let link = HTTPField.Name("Link") ?? .eTag

    /// What a request was told.
    private final class Told: Sendable {
        private let responses = Mutex<[InformationalResponse]>([])

        func add(_ response: InformationalResponse) { responses.withLock { $0.append(response) } }

        var all: [InformationalResponse] { responses.withLock { $0 } }
        var statuses: [Int] { all.map(\.status) }
    }

    @Test("103 is reported with its Link fields, before the response", arguments: [false, true])
    func earlyHints(secure: Bool) async throws {
        let authority = secure ? try CertificateAuthority() : nil
        // The answer is sent only when the test has seen the hints.
        let script: [ScriptedServer.Step] = [.receiveHead, .send(Self.hints), .receive(atLeast: 1), .send(Self.ok)]
        try await ScriptedServer.withServer(
            tls: try authority?.issue(hosts: ["localhost"]), connections: [script]
        ) { server in
            let told = Told()
            let gate = AsyncStream<Bytes>.makeStream()
            let body = Body.stream(gate.stream, length: 1)
            let reply = try await DialScene.session(server.url, authority: authority).post("a", body: body) {
                $0.onInformational = { response in
                    told.add(response)
                    gate.continuation.yield(Bytes(string: "x"))
                    gate.continuation.finish()
                }
            }
            try await expectEqual(reply.text(), "ok")
            expectEqual(told.statuses, [103])
            let links = told.all.first?.headers[values: Self.link]
            expectEqual(links, ["</a.css>; rel=preload", "</b.js>; rel=preload"])
            expectNil(reply.headers[Self.link])
        }
    }

    @Test("Several are reported in order, in one piece and byte by byte", arguments: [1, 7, 10_000])
    func several(size: Int) async throws {
        let interim = "HTTP/1.1 100 Continue\r\n\r\n" + Self.hints + "HTTP/1.1 102 Processing\r\n\r\n" + Self.hints
        let script: [ScriptedServer.Step] = [
            .receiveHead, .sendSplit(Array((interim + Self.ok).utf8), pieceSize: size),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let told = Told()
            let reply = try await DialScene.session(server.url).get("a") {
                $0.onInformational = { told.add($0) }
            }
            try await expectEqual(reply.text(), "ok")
            expectEqual(told.statuses, [100, 103, 102, 103])
        }
    }

    @Test("No more are reported than are allowed", arguments: [0, 1, 16])
    func limit(count: Int) async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(String(repeating: Self.hints, count: count + 1) + Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let told = Told()
            let engine = DialScene.engine { $0.limits.informationalCount = count }
            let api = try DialScene.session(server.url, engine)
            await Wire.failure(.limitExceeded, .read) {
                try await api.get("a") { $0.onInformational = { told.add($0) } }
            }
            expectEqual(told.statuses.count, count)
            #expect(try await server.waitForClose(connection: 0, within: 60))
        }
    }

    @Test("101 is neither reported nor delivered as a response")
    func switching() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let told = Told()
            await Wire.failure(.malformedResponse, .read) {
                try await DialScene.session(server.url).get("a") { $0.onInformational = { told.add($0) } }
            }
            #expect(told.statuses.isEmpty)
        }
    }

    @Test("Each redirect's are reported, but not to the next request on a kept connection")
    func redirect() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.hints + "HTTP/1.1 302 Away\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n"),
            .receiveHead, .send("HTTP/1.1 102 Processing\r\n\r\n" + Self.ok), .receiveHead, .send(Self.hints + Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let (told, other) = (Told(), Told())
            let api = try DialScene.session(server.url)
            try await api.get("a") { $0.onInformational = { told.add($0) } }
            expectEqual(told.statuses, [103, 102])
            try await api.get("c") { $0.onInformational = { other.add($0) } }
            expectEqual(told.statuses, [103, 102])
            expectEqual(other.statuses, [103])
            expectEqual(server.acceptedConnections, 1)
        }
    }

    @Test("100 releases the body, and is reported")
    func asked() async throws {
        let script: [ScriptedServer.Step] = [
            .receiveHead, .send(Self.hints + "HTTP/1.1 100 Continue\r\n\r\n"), .receive(atLeast: 5_000), .send(Self.ok),
        ]
        try await ScriptedServer.withServer(connections: [script]) { server in
            let told = Told()
            let api = try DialScene.session(server.url) { $0.limits.continueThreshold = 0 }
            try await api.post("a", body: .bytes(Bytes(repeating: 1, count: 5_000))) {
                $0.onInformational = { told.add($0) }
            }
            expectEqual(told.statuses, [103, 100])
        }
    }

    @Test("Interim responses are reported before the head of a streamed response")
    func streamed() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(Self.hints + Self.ok)]]) { server in
            let told = Told()
            var draft = RequestDraft.get("a")
            draft.settings.onInformational = { told.add($0) }
            try await DialScene.session(server.url).withResponse(to: draft) { response in
                expectEqual(told.statuses, [103])
                let body = try await response.body.collect(upTo: 10)
                expectEqual(body.text, "ok")
            }
        }
    }

    @Test("Silence after interim responses is a time-out")
    func silence() async throws {
        try await ScriptedServer.withServer(connections: [[.receiveHead, .send(Self.hints)]]) { server in
            let told = Told()
            let time = TestClock()
            let api = try DialScene.session(server.url, PoolSupport.engine { $0.clock = time.clock }) {
                $0.timeouts.firstByte = .seconds(1)
            }
            let request = Task { try await api.get("a") { $0.onInformational = { told.add($0) } } }
            #expect(await eventually { told.statuses == [103] })
            await time.advance(by: .seconds(1))
            let error = await #expect(throws: SternaError.self) { try await request.value }
            expectEqual(error?.kind, .timedOut)
            expectEqual(told.statuses, [103])
        }
    }
}
