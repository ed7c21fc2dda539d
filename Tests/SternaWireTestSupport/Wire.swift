import HTTPTypes
import NIOCore
import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Helpers for the tests over real sockets.
enum Wire {
    /// The time-out of requests that must fail long before it.
    static let patience: Duration = .seconds(100)

    /// A time-out that must expire.
    static let short: Duration = .milliseconds(150)

    /// The time within which a failure counts as long before the time-out, also on a busy machine.
    static let soon: Duration = .seconds(120)

    /// Options for a busy machine: a slow first handshake does not open a second connection for its waiter; equally slow may be
    /// a server's 100, and the caller's next request, for which the connection stays open.
    static var options: EngineOptions {
        var options = EngineOptions()
        options.firstDialPatience = .seconds(3_600)
        options.continueWait = .seconds(3_600)
        options.idleTimeout = .seconds(3_600)
        return options
    }

    static func engine() -> Engine { Engine(options: options) }

    /// A session with connections of its own.
    static func session(
        _ base: String, engine: Engine = engine(), authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Session(baseURL: base) {
            $0.network.engine = engine
            $0.retry = .none
            $0.timeout = patience
            $0.network.allowsOtherOrigins = true
            // Scripted servers do not ask for bodies.
            $0.limits.continueThreshold = nil
            if let authority { $0.trust.policy = .authority(pem: authority.pem) }
            configure(&$0)
        }
    }

    /// Runs work that must fail with the library's error soon.
    @discardableResult
    static func failure(
        _ kind: SternaError.Kind, _ phase: SternaError.Phase, within limit: Duration = soon,
        location: SourceLocation = #_sourceLocation, _ work: () async throws -> Void
    ) async -> SternaError? {
        let start = ContinuousClock.now
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await work() }
        #expect(ContinuousClock.now - start < limit, sourceLocation: location)
        #expect(error?.kind == kind, "\(error.map { "\($0)" } ?? "none")", sourceLocation: location)
        #expect(error?.phase == phase, "\(error.map { "\($0)" } ?? "none")", sourceLocation: location)
        return error
    }

    /// Runs work while a limit passes on its engine's clock. The work must not end before, and should fail soon after.
    static func pass(
        _ limit: Duration, on time: TestClock, location: SourceLocation = #_sourceLocation,
        _ work: @escaping @Sendable () async throws -> Void
    ) async throws {
        let isOver = Counter()
        let task = Task {
            defer { isOver.add() }
            try await work()
        }
        await time.waitForTimer(within: limit)
        await time.advance(by: limit - .milliseconds(1))
        // If the work ends too early, that takes a moment to be seen.
        try await Task.sleep(for: .milliseconds(5))
        expectEqual(isOver.value, 0, sourceLocation: location)
        // Late bytes restart some limits.
        while isOver.value == 0 {
            await time.advance(by: limit / 8)
            try await Task.sleep(for: .milliseconds(2))
        }
        try await task.value
    }

    /// Plays a script to one request that must fail, and checks that the connection is closed and no attempt repeated.
    ///
    /// - Parameter mayKeep: whether the connection is still good, so that it is closed only with the idle ones.
    @discardableResult
    static func refusal(
        _ kind: SternaError.Kind, _ phase: SternaError.Phase, secure: Bool = false, mayKeep: Bool = false,
        script: [ScriptedServer.Step], location: SourceLocation = #_sourceLocation,
        settings: (inout SessionSettings) -> Void = { _ in },
        _ ask: (Session) async throws -> Void = { _ = try await $0.get("row") }
    ) async throws -> SternaError? {
        let authority = secure ? try CertificateAuthority() : nil
        return try await ScriptedServer.withServer(
            tls: try authority?.issue(hosts: ["localhost"]), connections: [[.receiveHead] + script]
        ) { server in
            let engine = Wire.engine()
            let api = try session(server.url, engine: engine, authority: authority, settings)
            let error = await failure(kind, phase, location: location) { try await ask(api) }
            if mayKeep {
                let isClosed = try await eventually {
                    engine.closeIdleConnections()
                    return try await server.waitForClose(connection: 0, within: 0.05)
                }
                #expect(isClosed, sourceLocation: location)
            } else {
                #expect(try await server.waitForClose(connection: 0, within: 60), sourceLocation: location)
            }
            #expect(server.acceptedConnections == 1, sourceLocation: location)
            return error
        }
    }

    /// Plays a script to one request that must succeed; returns its response.
    static func answer(
        secure: Bool = false, script: [ScriptedServer.Step], settings: (inout SessionSettings) -> Void = { _ in }
    ) async throws -> Reply {
        let authority = secure ? try CertificateAuthority() : nil
        return try await ScriptedServer.withServer(
            tls: try authority?.issue(hosts: ["localhost"]), connections: [[.receiveHead] + script]
        ) { server in
            try await session(server.url, authority: authority, settings).get("row")
        }
    }

    /// Bytes that differ from place to place, so that a lost, repeated or moved piece is detected.
    static func pattern(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
        let offset = Int(seed) * 251
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        // The block's length is prime, so that no round number of bytes is a period.
        var start = offset % block.count
        while bytes.count < count {
            let end = min(block.count, start + count - bytes.count)
            bytes += block[start..<end]
            start = 0
        }
        return bytes
    }

    private static let block: [UInt8] = {
        var state: UInt32 = 1
        return (0..<65_521).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }()

    /// Whether a body is these bytes.
    static func same(_ body: Bytes, _ bytes: [UInt8]) -> Bool { body == Bytes(bytes: bytes) }

}

extension ScriptedServer.Step {
    /// A response with a status and a body of known length, after which the connection may be kept.
    static func answer(_ body: String, status: Int = 200) -> ScriptedServer.Step {
        .send("HTTP/1.1 \(status) Text\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    /// Responds to one request, and ends the connection when the second has arrived.
    static func stale(_ end: ScriptedServer.Step) -> [ScriptedServer.Step] {
        [.receiveHead, .answer("first"), .receiveHead, end]
    }

    /// A connection that serves two requests.
    static let fresh: [ScriptedServer.Step] = [.receiveHead, .answer("fresh"), .receiveHead, .answer("next")]
}
