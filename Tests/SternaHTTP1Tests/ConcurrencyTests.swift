import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaWireTestSupport

@Suite("Many requests at once", .timeLimit(.minutes(5)))
struct ConcurrencyTests {
    @Test(
        "200 at once of all sizes over 32 connections: each gets its own answer", arguments: [false, true],
        [false, true])
    func mixed(secure: Bool, onLoops: Bool) async throws {
        let authority = try CertificateAuthority()
        let options = TestServer.Options(tls: secure ? try authority.issue(hosts: ["localhost"]) : nil)
        try await TestServer.withServer(options) { server in
            // The answer is the body of the request, its number, and a filler that its number determines.
            server.route("POST", "/mixed/{n}/{size}") { request in
                let size = Int(request.parameters["size"] ?? "") ?? 0
                let seed = UInt8(truncatingIfNeeded: Int(request.parameters["n"] ?? "") ?? 0)
                let sent = try await request.body.collect()
                let answer = sent + Wire.pattern(size, seed: seed)
                guard size % 2 == 0 else { return .bytes(answer) }
                return ServerResponse(
                    body: .stream(length: nil) { writer in
                        for start in stride(from: 0, to: answer.count, by: 50_000) {
                            try await writer.write(Array(answer[start..<min(start + 50_000, answer.count)]))
                        }
                    })
            }
            var settings = Wire.options
            settings.maximumConnectionsPerOrigin = 32
            let api = try Wire.session(server.url, engine: Engine(options: settings), authority: authority)
            let sizes = [0, 1, 10, 999, 1_000, 16_384, 65_537, 262_143, 262_145, 600_000]
            let ask: @Sendable (Int) async throws -> Void = { number in
                let size = sizes[number % sizes.count]
                let sent = Array("number \(number);".utf8) + Wire.pattern(sizes[(number / 10) % 7], seed: 9)
                let reply = try await api.post("mixed/\(number)/\(size)", body: .bytes(sent))
                let expected = sent + Wire.pattern(size, seed: UInt8(truncatingIfNeeded: number))
                let isEqual = reply.body == Bytes(bytes: expected)
                #expect(isEqual, "number \(number)")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        if onLoops {
                            try await api.onEventLoop { try await ask(number) }
                        } else {
                            try await ask(number)
                        }
                    }
                }
                try await group.waitForAll()
            }
            expectEqual(server.requestCount, 200)
            #expect(server.totalConnections <= 64)
        }
    }
}
