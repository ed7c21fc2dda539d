import NIOCore
import Sterna
import SternaTesting
import Testing

@testable import SternaTestSupport

/// Helpers for the tests of HTTP/2 with a scripted peer.
enum HTTP2Scene {
    /// The kinds of a request's body.
    enum Upload: CaseIterable {
        case bytes, file, sized, open
    }

    /// The largest payload of a frame by default, in octets.
    static let frame = 16_384

    /// An engine that takes no connection for dead: on a busy machine a peer may wait for a thread longer than a PING for its answer.
    static func engine() -> Engine {
        PoolSupport.engine { $0.http2.pingInterval = .seconds(3_600) }
    }

    /// A session that speaks HTTP/2 to a peer: without TLS by prior knowledge, with TLS by ALPN.
    static func session(
        _ peer: FramePeer, _ engine: Engine = engine(), authority: CertificateAuthority? = nil,
        _ configure: (inout SessionSettings) -> Void = { _ in }
    ) throws -> Session {
        try DialScene.session(peer.url, engine, authority: authority) {
            if authority == nil { $0.network.http2 = .priorKnowledge }
            configure(&$0)
        }
    }

    /// A body of these bytes; the file has to hold the same.
    static func body(_ kind: Upload, _ content: [UInt8], _ file: TestFile, piece: Int = 30_011) throws -> Body {
        switch kind {
        case .bytes: .bytes(content)
        case .file: try .file(file.path)
        case .sized: .stream(pieces(content, piece), length: Int64(content.count))
        case .open: .stream(pieces(content, piece))
        }
    }

    static func pieces(_ content: [UInt8], _ piece: Int = 30_011) -> AsyncStream<Bytes> {
        AsyncStream { continuation in
            for start in stride(from: 0, to: content.count, by: piece) {
                continuation.yield(Bytes(bytes: content[start..<min(start + piece, content.count)]))
            }
            continuation.finish()
        }
    }

    /// A body of unknown length: one piece, and the end when a gate is opened.
    ///
    /// - Parameter asked: counts the calls for the end.
    static func body(_ content: [UInt8], endsAt gate: Gate, asked: Counter = Counter()) -> Body {
        let calls = Counter()
        let producer = BodyProducer(length: nil, isReplayable: false) {
            {
                if calls.add() == 1 { return Bytes(bytes: content) }
                asked.add()
                await gate.pass()
                return nil
            }
        }
        return Body(segments: [.producer(producer)])
    }

    /// Whether bytes are the same; a difference is not shown, since it may be long.
    static func same(_ bytes: [UInt8], _ expected: [UInt8]) -> Bool { Wire.same(Bytes(bytes: bytes), expected) }

    /// Runs requests at once; returns the texts of their responses in the order of the numbers.
    static func texts(_ count: Int, _ ask: @escaping @Sendable (Int) async throws -> String) async throws -> [String] {
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for number in 0..<count { group.addTask { (number, try await ask(number)) } }
            var texts = [String](repeating: "", count: count)
            for try await (number, text) in group { texts[number] = text }
            return texts
        }
    }
}

extension PeerConnection {
    /// Performs the handshake and responds to the first request, after which the client has acknowledged SETTINGS.
    func greet(settings: [(UInt16, UInt32)] = []) async throws {
        try await handshake(settings: settings)
        let request = try await request()
        // The acknowledgement is in the log before the client can ask for more.
        try await roundTrip()
        try await respond(request.stream, text: "first")
    }

    /// Changes one of SETTINGS, and waits until the client has applied it.
    func set(_ identifier: UInt16, _ value: UInt32) async throws {
        try await send([WireFrame.settings([(identifier, value)])])
        try await roundTrip()
    }

    /// The next requests.
    func requests(_ count: Int) async throws -> [PeerRequest] {
        var requests: [PeerRequest] = []
        while requests.count < count { requests.append(try await request()) }
        return requests
    }

    /// Responds to every request with its path until the client closes.
    func servePaths() async throws {
        try await serve { try await respond($0.stream, text: $0.path ?? "") }
    }

    /// Waits until a number of requests have begun, taken or not.
    func waitForRequests(_ count: Int) async throws {
        try await wait("request \(count)") { $0.requestCount >= count ? () : nil }
    }

    /// Waits until the client has reset a stream; returns its code.
    func resetCode(of stream: UInt32) async throws -> WireFrame.Code {
        try await wait("RST_STREAM of stream \(stream)") { $0.resets[stream] }
    }

    /// The head of a response whose content follows.
    func respondHead(_ stream: UInt32, status: Int = 200, headers: [(String, String)] = []) async throws {
        try await respond(stream, status: status, headers: headers, end: false)
    }

    /// The frames of a stream received so far.
    func frames(of stream: UInt32) -> [WireFrame] {
        look { $0.log.filter { $0.stream == stream } }
    }

    /// The number of bytes of DATA received so far, on one stream or on all.
    func dataCount(_ stream: UInt32? = nil) -> Int { look { Self.dataCount($0, stream) } }

    /// Waits for a number of bytes of DATA, on one stream or on all, and for those that follow at once.
    ///
    /// - Returns: The number of bytes received then.
    func settledData(_ stream: UInt32? = nil, atLeast count: Int) async throws -> Int {
        try await wait("\(count) bytes of DATA") { Self.dataCount($0, stream) >= count ? () : nil }
        try await roundTrip()
        try await roundTrip()
        return dataCount(stream)
    }

    /// The content of a stream received so far, without padding; the frames can still be taken.
    func content(of stream: UInt32) -> [UInt8] {
        frames(of: stream).filter { $0.kind == .data }.flatMap(\.content)
    }

    /// Sends DATA until the client's windows are full and stay so, though the client has read all of it.
    ///
    /// - Returns: The place in the content after the sent bytes.
    func fill(_ stream: UInt32, _ content: [UInt8], from start: Int = 0) async throws -> Int {
        var next = start
        var isFull = false
        while next < content.count, !isFull {
            let count = look { min($0.room(stream), $0.maximumFrame, content.count - next) }
            if count > 0 {
                try await send(.data(stream, Array(content[next..<next + count])))
                next += count
            } else {
                try await roundTrip()
                try await roundTrip()
                isFull = room(stream) <= 0
            }
        }
        return next
    }

    private static func dataCount(_ state: PeerState, _ stream: UInt32?) -> Int {
        state.log.reduce(0) { sum, frame in
            frame.kind == .data && (stream ?? frame.stream) == frame.stream ? sum + frame.payload.count : sum
        }
    }
}
