import HTTPTypes
import NIOCore
import NIOEmbedded
import SternaCore
import SternaSecurity
import Testing

@testable import SternaTransport

/// One connection on an event loop whose time the test moves.
struct FakeConnection {
    let loop = NIOAsyncTestingEventLoop()
    let channel: NIOAsyncTestingChannel
    let shard: Shard
    let endpoint: Endpoint
    let url: HTTPURL

    /// Retained, since an engine closes its connections when it is released.
    private let engine: Engine

    init(
        _ address: String = "http://example.test/", options: EngineOptions = EngineOptions(),
        beneath: (any ChannelHandler & Sendable)? = nil
    ) async throws {
        let loop = loop
        url = try HTTPURL(address)
        var options = options
        options.maximumConnectionsPerOrigin = 1
        options.clock = NetworkClock(source: LoopClock(loop))
        let engine = Engine(options: options, group: loop)
        self.engine = engine
        let shard = engine.shards[0]
        let endpoint = Endpoint(
            origin: url.origin, host: "example.test", hostIsAddress: false, route: .direct, policy: .system,
            proxyPolicy: .system, routing: RouteConfiguration(), engine: engine)
        channel = NIOAsyncTestingChannel(loop: loop)
        self.shard = shard
        self.endpoint = endpoint
        let connection = try await loop.executeInContext {
            HTTP1Connection(endpoint: endpoint, shard: shard, limits: Limits())
        }
        if let beneath { try await channel.pipeline.addHandler(beneath).get() }
        try await channel.pipeline.addHandler(connection).get()
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).get()
        // The permit is taken, so that nothing is dialled.
        try await loop.executeInContext {
            _ = endpoint.permits.take(endpoint)
            let dial = Dial(to: endpoint, on: shard, timeouts: Timeouts())
            endpoint.change { queue in
                queue.began(dial, on: 0, at: 0)
                queue.opened(dial)
            }
            _ = connection.establish()
            shard.release(connection)
        }
    }

    /// Starts a request and returns when its head has been written.
    func start(
        total: TimeAmount = .hours(200), delivery: Request.Delivery = .whole,
        _ change: (inout Request) -> Void = { _ in }
    ) async throws -> Task<Response, any Error> {
        let task = begin(total: total, delivery: delivery, change)
        _ = try await channel.waitForOutboundWrite(as: ByteBuffer.self)
        return task
    }

    /// Starts a request, which may have to wait.
    ///
    /// - Parameter isFurtherAttempt: whether its call has made an earlier attempt.
    func begin(
        total: TimeAmount = .hours(200), delivery: Request.Delivery = .whole, isFurtherAttempt: Bool = false,
        _ change: (inout Request) -> Void = { _ in }
    ) -> Task<Response, any Error> {
        var request = Request(.get, url)
        request.delivery = delivery
        change(&request)
        let deadline = loop.now + total
        let exchange = Exchange(request, endpoint: endpoint, shard: shard, hasReservation: false, deadline: deadline)
        exchange.isFurtherAttempt = isFurtherAttempt
        return Task { try await withUnsafeThrowingContinuation { exchange.begin($0) } }
    }

    func receive(_ text: String) async throws {
        try await channel.writeInbound(ByteBuffer(string: text))
        try await loop.executeInContext { channel.pipeline.fireChannelReadComplete() }
        // The program's code runs in later turns of the event loop.
        await loop.run()
    }

    func advance(_ seconds: Int64) async { await loop.advanceTime(by: .seconds(seconds)) }

    var isOpen: Bool { channel.isActive }

    static func error(_ task: Task<Response, any Error>) async -> SternaError? {
        await #expect(throws: SternaError.self) { _ = try await task.value }
    }
}
