import NIOCore

/// Sends interim responses of one request on its event loop.
struct ServerInterim: Sendable {
    private let loop: any EventLoop
    private let write: @Sendable (Int, ServerHeaders, EventLoopPromise<Void>) -> Void

    /// - Parameter write: writes a response; called on the loop.
    init(_ loop: any EventLoop, _ write: @escaping @Sendable (Int, ServerHeaders, EventLoopPromise<Void>) -> Void) {
        (self.loop, self.write) = (loop, write)
    }

    func send(_ status: Int, _ headers: ServerHeaders) async throws {
        let promise = loop.makePromise(of: Void.self)
        loop.execute { [write] in write(status, headers, promise) }
        try await promise.futureResult.get()
    }
}
