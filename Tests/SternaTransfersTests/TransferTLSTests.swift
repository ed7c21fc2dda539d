import Sterna
import SternaCore
import SternaPlatform
import SternaTesting
import Testing

@testable import SternaTestSupport
@testable import SternaTransfers

@Suite("Transfers: over TLS", .timeLimit(.minutes(5)))
struct TransferTLSTests {
    private static let content = noise(900_000)

    /// What replaces the server for a while.
    enum Obstacle: CaseIterable {
        /// A server that does not speak TLS, or a connection that is cut within the handshake.
        case plain
        /// A portal with a certificate of its own, which is refused as any certificate is by a wrong clock.
        case portal
    }

    /// Serves the file on a port; the first response ends after a third.
    private static func serve(
        _ options: TestServer.Options, isCut: Bool, _ work: (TestServer) async throws -> Void
    ) async throws {
        try await TestServer.withServer(options) { server async throws in
            server.route("GET", "/file") { request in
                var (start, headers) = (0, ServerHeaders([.init(name: "ETag", value: "\"v\"")]))
                if let range = request.headers["Range"], let first = range.dropFirst(6).split(separator: "-").first {
                    start = Int(first) ?? 0
                    headers["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)"
                }
                let end = isCut ? 300_000 : content.count
                return ServerResponse(
                    status: start > 0 ? 206 : 200, headers: headers,
                    body: .stream(length: content.count - start) { [start] writer in
                        try await writer.write(Array(content[start..<end]))
                        if isCut { throw CancellationError() }
                    })
            }
            try await work(server)
        }
    }

    @Test(
        "After a failed handshake or a temporarily refused certificate the received bytes are kept",
        arguments: Obstacle.allCases)
    func handshakes(obstacle: Obstacle) async throws {
        let folder = TransferTestFolder()
        let authority = try CertificateAuthority()
        let bundle = try authority.issue()
        // Its clock stands still: no attempt begins before the test asks for it.
        var engineOptions = EngineOptions()
        engineOptions.clock = TestClock().clock
        let engine = Engine(options: engineOptions)
        let session = try Session { settings in
            settings.network.engine = engine
            settings.retry = .none
            settings.trust.policy = .authority(pem: authority.pem)
        }
        let store = try TransferStore(folder: folder.path + "/store")
        var options = TestServer.Options(tls: bundle)
        var transfer: Transfer?
        try await Self.serve(options, isCut: true) { server in
            options.port = server.port
            let begun = try await store.download(server.url("/file"), to: folder.path + "/file", with: session)
            transfer = begun
            for await state in begun.stateUpdates where state == .waiting && begun.attempts.last?.failure != nil {
                break
            }
        }
        let known = try #require(transfer)
        var other = options
        other.tls = obstacle == .portal ? try CertificateAuthority().issue() : nil
        try await TestServer.withServer(other) { _ async throws in
            try await known.resume()
            for await _ in known.stateUpdates
            where known.attempts.last.map({ $0.number > 1 && $0.failure != nil }) == true {
                break
            }
        }
        let failure = known.attempts.last?.failure
        expectEqual(failure?.kind, (obstacle == .portal ? "certificateRejected" : "tlsFailed"), "\(known.attempts)")
        expectEqual(known.status.state, .waiting)
        try await Self.serve(options, isCut: false) { server in
            try await known.resume()
            try await expectEqual(known.end(), .finished(path: folder.path + "/file", length: 900_000))
            expectEqual(server.requests().compactMap { $0.headers["Range"] }, ["bytes=300000-"])
        }
        expectEqual(FileManager.default.contents(atPath: folder.path + "/file"), Data(Self.content))
    }
}
