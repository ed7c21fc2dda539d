/// The bytes of a connection that has switched protocols (RFC 9110, 7.8), or of an extended CONNECT stream (RFC 8441), both ways.
///
/// Releasing it cancels it.
@usableFromInline
package protocol DuplexStream: AnyObject, Sendable {
    /// Returns the next bytes that the peer sent, or nil after its end. Throws the stream's error, `invalidRequest` if another task
    /// reads, and `cancelled` if the task is cancelled while it waits, which ends only this read.
    func next() async throws -> Bytes?

    /// Passes what arrives to a handler, in place of `next`, beginning with what has arrived already. Called once at most.
    func deliver(to handler: any DuplexHandler)

    /// Resumes reading after the handler asked for a pause; called from any thread.
    func resumeReading()

    /// Whether fewer bytes wait for the network than the stream holds at most.
    var hasRoom: Bool { get }

    /// Waits until `hasRoom` is true. Throws the stream's error, and `cancelled` if the task is cancelled while it waits.
    func room() async throws

    /// Sends bytes, in the order of the calls, whether there is room or not; called from any thread. Has no effect after the end.
    func put(_ bytes: Bytes)

    /// Ends this side's direction after the bytes so far; called from any thread.
    func finish()

    /// Ends both directions at once; called from any thread.
    func cancel()

    /// Runs a closure after a time, by the clock of the network; called from any thread. Returns what cancels it.
    func schedule(in time: Duration, _ action: @escaping @Sendable () -> Void) -> any DuplexTimer
}

/// A timer of a `DuplexStream`.
@usableFromInline
package protocol DuplexTimer: Sendable {
    func cancel()
}

/// Receives the bytes of a `DuplexStream`, call by call, in order, and never two calls at the same time. The calls come from an
/// event loop, so they must not block.
@usableFromInline
package protocol DuplexHandler: AnyObject, Sendable {
    /// Receives bytes. Returns whether to read on; after false, `resumeReading` does.
    func received(_ bytes: Bytes) -> Bool

    /// Receives the end of the peer's direction, orderly (nil), or the error that ended both. Nothing follows.
    func ended(_ error: SternaError?)
}
