import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP2
import SternaCore
import SternaSecurity
import Synchronization
import Testing

@testable import SternaTestSupport
@testable import SternaTransport

/// An HTTP/2 connection on an event loop whose time the test moves, and a model of a server, both driven at random.
///
/// All effects of a step are complete before the next one, so that a seed reproduces a run.
final class FrameWorld {
    /// A request and its outcome.
    final class Ask {
        let number: Int
        let exchange: Exchange
        let task: Task<Response, any Error>
        var response: Response?
        var iterator: ResponseBody.AsyncIterator?
        var read = 0
        var stream: UInt32?

        /// Whether it has ended, and how.
        var isDone = false
        var hasSucceeded = false

        init(number: Int, exchange: Exchange, task: Task<Response, any Error>) {
            self.number = number
            self.exchange = exchange
            self.task = task
        }
    }

    /// Fails all look-ups, so that no dial succeeds.
    private struct NoResolver: HostResolver {
        func resolve(_ host: String, _ families: AddressFamilies) async throws -> ResolvedHost {
            throw SternaError(.hostNotFound, phase: .resolve, "Nothing is looked up here.")
        }
    }

    /// The bytes of which all bodies are parts.
    static let source = Wire.pattern(1_000_000)

    var dice: SeededRandom
    var model = FrameModel(source: FrameWorld.source)
    let loop = NIOAsyncTestingEventLoop()
    let channel: NIOAsyncTestingChannel
    let shard: Shard
    let endpoint: Endpoint
    let connection: HTTP2Connection
    let url: HTTPURL

    /// Retained, since an engine closes its connections when it is released.
    private let engine: Engine
    private(set) var asks: [Ask] = []
    private(set) var problems: [String] = []

    init(seed: UInt64) async throws {
        dice = SeededRandom(seed: seed)
        let loop = loop
        url = try HTTPURL("http://example.test/")
        var options = EngineOptions()
        options.maximumConnectionsPerOrigin = 1
        options.clock = NetworkClock(source: LoopClock(loop))
        options.resolver = NoResolver()
        let engine = Engine(options: options, group: loop)
        self.engine = engine
        let shard = engine.shards[0]
        let endpoint = Endpoint(
            origin: url.origin, host: "example.test", hostIsAddress: false, route: .direct, policy: .system,
            proxyPolicy: .system, routing: RouteConfiguration(), engine: engine)
        (self.shard, self.endpoint) = (shard, endpoint)
        let channel = NIOAsyncTestingChannel(loop: loop)
        self.channel = channel
        let http1 = try await loop.executeInContext {
            HTTP1Connection(endpoint: endpoint, shard: shard, limits: Limits())
        }
        try await channel.pipeline.addHandler(http1).get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).get()
        connection = try await loop.executeInContext {
            let dial = Dial(to: endpoint, on: shard, timeouts: Timeouts())
            let opened = try engine.dialer.connection(
                on: channel, for: dial, speaking: Secured(version: nil, protocol: "h2", chain: []))
            guard case .http2(let connection) = opened else {
                throw SternaError(.connectionFailed, phase: .connect, "no HTTP/2")
            }
            // As where a dial has brought it, without one.
            _ = endpoint.permits.take(endpoint)
            endpoint.change { queue in
                queue.began(dial, on: 0, at: 0)
                queue.opened(dial)
            }
            _ = connection.establish()
            endpoint.speaksHTTP2(on: 0)
            endpoint.pools[0].streams.append(connection)
            shard.list(endpoint.pools[0])
            return connection
        }
        try await settle()
    }

    // MARK: Steps

    /// Begins a request; returns when it has a stream or waits for one.
    func ask(bodyLength: Int, delivery: Request.Delivery) async throws {
        let number = asks.count
        let method: HTTPRequest.Method = bodyLength > 0 ? [.put, .post].randomElement(using: &dice) ?? .put : .get
        var request = Request(method, try HTTPURL("http://example.test/\(number)/\(bodyLength)"))
        request.delivery = delivery
        if bodyLength > 0 {
            let start = FrameModel.place(number)
            request.body = .bytes(Array(Self.source[start..<start + bodyLength]))
        }
        let exchange = Exchange(
            request, endpoint: endpoint, shard: shard, hasReservation: false, deadline: .distantFuture)
        let (begun, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await withUnsafeThrowingContinuation {
                exchange.begin($0)
                signal.finish()
            }
        }
        asks.append(Ask(number: number, exchange: exchange, task: task))
        for await _ in begun {}
        try await settle()
    }

    func cancel(_ ask: Ask) async throws {
        if ask.response == nil {
            ask.exchange.cancel()
        } else if !ask.isDone {
            ask.response?.body.cancel()
            ask.iterator = nil
            ask.isDone = true
        }
        try await settle()
    }

    /// Reads a piece of a body if one is available.
    func read(_ ask: Ask) async throws {
        guard !ask.isDone, ask.iterator != nil, try await hasSomething(ask) else { return }
        do {
            if let piece = try await ask.iterator?.next() {
                check(ask, piece)
            } else {
                end(ask)
            }
        } catch {
            ask.isDone = true
        }
        try await settle()
    }

    private func hasSomething(_ ask: Ask) async throws -> Bool {
        let exchange = ask.exchange
        return try await loop.executeInContext {
            guard let pipe = exchange.codec?.pipe else { return true }
            return !pipe.isKeptUpWith
        }
    }

    private func check(_ ask: Ask, _ piece: Bytes) {
        guard let stream = ask.stream else { return problems.append("an answer without a stream") }
        let start = FrameModel.place(Int(stream)) + ask.read
        let end = min(start + piece.readableBytes, Self.source.count)
        if piece != ByteBuffer(bytes: Self.source[start..<end]) { problems.append("stream \(stream): wrong content") }
        ask.read += piece.readableBytes
    }

    private func end(_ ask: Ask) {
        ask.isDone = true
        ask.hasSucceeded = true
        guard let state = ask.stream.flatMap({ model.streams[$0] }) else {
            return problems.append("an answer from nowhere")
        }
        if !state.endIsKnown { problems.append("an answer ended before its end") }
        if ask.read != state.content { problems.append("an answer of \(ask.read) of \(state.content) bytes") }
    }

    /// Delivers bytes of the server, at most so many.
    func deliver(_ most: Int) async throws {
        let bytes = model.deliver(most)
        guard !bytes.isEmpty else { return }
        let (channel, buffer) = (channel, ByteBuffer(bytes: bytes))
        try await loop.executeInContext {
            guard channel.isActive else { return }
            channel.pipeline.fireChannelRead(buffer)
            channel.pipeline.fireChannelReadComplete()
        }
        try await settle()
        if model.goAwayIsKnown { model.note(try await describe()) }
    }

    func advance(_ time: TimeAmount) async throws {
        await loop.advanceTime(by: time)
        try await settle()
    }

    func setWritable(_ isWritable: Bool) async throws {
        let channel = channel
        model.note("writable: \(isWritable)")
        model.isHeld = !isWritable
        try await loop.executeInContext {
            guard channel.isWritable != isWritable else { return }
            channel.isWritable = isWritable
            channel.pipeline.fireChannelWritabilityChanged()
        }
        try await settle()
    }

    func close() async throws {
        let channel = channel
        try await loop.executeInContext { channel.close(promise: nil) }
        try await settle()
    }

    // MARK: Effects

    /// Completes all effects of a step, and passes the sent bytes to the model.
    func settle() async throws {
        await loop.run()
        while let bytes = try await channel.readOutbound(as: ByteBuffer.self) {
            model.take(Array(bytes.readableBytesView))
        }
        for ask in asks where ask.response == nil && !ask.isDone {
            let exchange = ask.exchange
            // The codec knows the stream's number only while the stream exists.
            let stream = try await loop.executeInContext {
                (exchange.codec as? HTTP2Stream).map { UInt32(Int($0.id)) }
            }
            if let stream { ask.stream = stream }
            guard !(try await loop.executeInContext { exchange.isPending }) else { continue }
            do {
                let response = try await ask.task.value
                ask.response = response
                answered(ask, response)
            } catch {
                ask.isDone = true
            }
        }
    }

    private func answered(_ ask: Ask, _ response: Response) {
        if response.version != .http2 { problems.append("an answer over \(response.version)") }
        if response.headers[.eTag] != ask.stream.map({ "\($0)" }) { problems.append("an answer to another request") }
        if let whole = response.body.whole {
            check(ask, whole)
            end(ask)
        } else {
            ask.iterator = response.body.makeAsyncIterator()
        }
    }

    /// The state of the connection, for failures.
    func describe() async throws -> String {
        let connection = connection
        return try await loop.executeInContext {
            let streams = connection.streams.values.sorted { $0.id < $1.id }
                .map {
                    "\(Int($0.id)): request \($0.requestHalf), response \($0.responseHalf), pending \($0.unwrittenBytes)"
                }
            return "closing \(connection.isClosing), retired \(connection.isRetired), \(streams)"
        }
    }

    var saysGoodbye: Bool { model.clientHasSaidGoodbye }

    /// Whether no request waits, or has waited, for another connection.
    func nobodyWaits() async throws -> Bool {
        let (shard, endpoint) = (shard, endpoint)
        return try await loop.executeInContext { shard.counts.dials == 0 && endpoint.change { $0.waiters.isEmpty } }
    }

    /// Whether no stream and no request is left.
    func isAtRest() async throws -> Bool {
        let (shard, connection, endpoint) = (shard, connection, endpoint)
        return try await loop.executeInContext {
            connection.streams.isEmpty && shard.active.isEmpty && endpoint.permits.open(of: endpoint) == 0
        }
    }
}
