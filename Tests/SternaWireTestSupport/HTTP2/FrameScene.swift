import Sterna
import SternaTesting
import Synchronization
import Testing

@testable import SternaTestSupport

/// Helpers for the tests of HTTP/2 with a peer that sends frames.
enum FrameScene {
    /// How a client reports a stream error to the server (RFC 9113 §5.4.2).
    enum Reset {
        /// The stream is still open in one direction: exactly one RST_STREAM, of one of these codes.
        case required(Set<WireFrame.Code>)
        /// Both sides have ended the stream: a reset is not needed.
        case optional
    }

    static func session(
        _ peer: FramePeer, engine: Engine = Wire.engine(), authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try Wire.session(peer.url, engine: engine, authority: authority) {
            $0.network.http2 = .priorKnowledge
            $0.network.proxies = .none
            configure(&$0)
        }
    }

    /// An engine with other limits.
    static func engine(_ change: (inout EngineOptions) -> Void) -> Engine {
        var options = Wire.options
        change(&options)
        return Engine(options: options)
    }

    /// Starts a peer, with TLS and ALPN or without either, and a session for it; waits for the scripts' ends.
    static func withSession<R>(
        secure: Bool = false, engine: Engine = Wire.engine(), location: SourceLocation = #_sourceLocation,
        settings: (inout SessionSettings) -> Void = { _ in },
        script: @escaping @Sendable (PeerConnection) async throws -> Void,
        body: (Session, FramePeer) async throws -> R
    ) async throws -> R {
        let authority = secure ? try CertificateAuthority() : nil
        let bundle = try authority?.issue(hosts: ["localhost"])
        return try await FramePeer.withPeer(tls: bundle, location: location, script) { peer in
            let api = try session(peer, engine: engine, authority: authority, settings)
            let result = try await body(api, peer)
            try await peer.waitForScripts()
            return withExtendedLifetime(api) { result }
        }
    }

    /// Runs work that must fail soon, with one of several kinds of error.
    @discardableResult
    static func failure(
        _ kinds: Set<SternaError.Kind>, _ phases: Set<SternaError.Phase> = [.wait, .read],
        within limit: Duration = Wire.soon, location: SourceLocation = #_sourceLocation,
        _ work: () async throws -> Void
    ) async -> SternaError? {
        let start = ContinuousClock.now
        let error = await #expect(throws: SternaError.self, sourceLocation: location) { try await work() }
        #expect(ContinuousClock.now - start < limit, sourceLocation: location)
        guard let error else { return nil }
        #expect(kinds.contains(error.kind), "\(error.kind): \(error)", sourceLocation: location)
        #expect(phases.contains(error.phase), "\(error.phase): \(error)", sourceLocation: location)
        return error
    }

    /// Sends one request, responds to it, and returns it as the peer received it.
    static func sent(
        secure: Bool = false, location: SourceLocation = #_sourceLocation,
        settings: (inout SessionSettings) -> Void = { _ in }, _ ask: (Session, FramePeer) async throws -> Void
    ) async throws -> PeerRequest {
        let taken = Mutex<PeerRequest?>(nil)
        try await withSession(secure: secure, location: location, settings: settings) { connection in
            try await connection.handshake()
            let request = try await connection.request()
            taken.withLock { $0 = request }
            if !request.endStream { _ = try await connection.body(of: request.stream) }
            try await connection.respond(request.stream)
        } body: { api, peer in
            try await ask(api, peer)
            #expect(peer.totalRequests == 1, sourceLocation: location)
        }
        return try #require(taken.withLock { $0 }, sourceLocation: location)
    }

    /// Waits until the client has read all that was sent to it, or has closed.
    static func settle(_ connection: PeerConnection) async throws {
        do {
            try await connection.roundTrip()
        } catch let error as PeerError where error.kind == .closed {
            // A closed client reads no more.
        }
    }

    // MARK: Errors

    /// Plays a response that must fail only its request: the next one is served by the same connection.
    static func streamError(
        _ kind: SternaError.Kind = .malformedResponse, reset: Reset = .required([.protocolError]),
        secure: Bool = false, engine: Engine = Wire.engine(), location: SourceLocation = #_sourceLocation,
        answer: @escaping @Sendable (PeerConnection, UInt32) async throws -> Void,
        ask: (Session) async throws -> Void = { _ = try await $0.get("row") }
    ) async throws {
        try await withSession(secure: secure, engine: engine, location: location) { connection in
            try await connection.handshake()
            let first = try await connection.request()
            try await answer(connection, first.stream)
            if case .required = reset { _ = try await connection.receive(.reset, stream: first.stream) }
            let second = try await connection.request()
            #expect(second.stream > first.stream, sourceLocation: location)
            try await connection.respond(second.stream, text: "second")
            try await connection.roundTrip()
            let resets = connection.log.filter { $0.kind == .reset }
            #expect(resets.count <= 1, "\(resets)", sourceLocation: location)
            #expect(resets.allSatisfy { $0.stream == first.stream }, "\(resets)", sourceLocation: location)
            if case .required(let codes) = reset {
                #expect(resets.allSatisfy { codes.contains($0.code ?? 0) }, "\(resets)", sourceLocation: location)
            }
            #expect(!connection.log.contains { $0.kind == .goAway }, sourceLocation: location)
        } body: { api, peer in
            await Wire.failure(kind, .read, location: location) { try await ask(api) }
            try await api.expect("second", at: "second", location: location)
            #expect(peer.connectionCount == 1, sourceLocation: location)
        }
    }

    /// Plays frames that must end the connection: its requests fail soon, the client sends GOAWAY and closes, and the next request
    /// has a connection of its own.
    ///
    /// - Parameters:
    ///   - codes: The codes that GOAWAY may have; empty if it need not be sent.
    ///   - requests: The number of requests under way.
    static func connectionError(
        _ kinds: Set<SternaError.Kind> = [.malformedResponse], codes: Set<WireFrame.Code>, requests: Int = 1,
        method: Request.Method = .get, secure: Bool = false, location: SourceLocation = #_sourceLocation,
        answer: @escaping @Sendable (PeerConnection, UInt32) async throws -> Void
    ) async throws {
        try await withSession(secure: secure, location: location) { connection in
            try await connection.handshake()
            let first = try await connection.request()
            guard connection.number == 0 else { return try await connection.respond(first.stream, text: "again") }
            for _ in 1..<requests { _ = try await connection.request() }
            try await answer(connection, first.stream)
            try await connection.waitForClose()
            let goAways = connection.log.filter { $0.kind == .goAway }
            if !codes.isEmpty { #expect(!goAways.isEmpty, "\(connection.log)", sourceLocation: location) }
            if let last = goAways.last, !codes.isEmpty {
                #expect(codes.contains(last.code ?? 0), "\(last)", sourceLocation: location)
            }
        } body: { api, peer in
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<requests {
                    group.addTask {
                        await failure(kinds, location: location) { _ = try await api.request(method, "row/\(number)") }
                    }
                }
            }
            #expect(peer.connectionCount == 1, sourceLocation: location)
            try await api.expect("again", at: "again", location: location)
            #expect(peer.connectionCount == 2, sourceLocation: location)
        }
    }
}

/// A row of a table: the frames of the peer on a stream.
struct FrameRow: Sendable, CustomTestStringConvertible {
    let name: String
    /// The client's reaction.
    let codes: Set<WireFrame.Code>
    let frames: @Sendable (_ stream: UInt32) -> [WireFrame]

    init(
        _ name: String, _ codes: WireFrame.Code..., frames: @escaping @Sendable (_ stream: UInt32) -> [WireFrame]
    ) {
        self.name = name
        self.codes = Set(codes)
        self.frames = frames
    }

    var testDescription: String { name }
}

/// A row of a table: the fields of a message.
struct FieldsRow: Sendable, CustomTestStringConvertible {
    let name: String
    let fields: [(String, String)]

    init(_ name: String, _ fields: [(String, String)]) {
        self.name = name
        self.fields = fields
    }

    /// A head with a valid status and one field.
    init(_ name: String, field: String, _ value: String) {
        self.init(name, [(":status", "200"), (field, value)])
    }

    var testDescription: String { name }
}

extension Session {
    /// Requests a path and expects a text.
    func expect(_ text: String, at path: String, location: SourceLocation = #_sourceLocation) async throws {
        let reply = try await get(path)
        let body = try await reply.text()
        #expect(body == text, sourceLocation: location)
    }
}
