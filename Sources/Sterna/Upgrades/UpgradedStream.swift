public import SternaCore

/// The bytes of a connection that has switched protocols, both ways; see ``Session/upgrade(_:to:headers:)``.
///
///     let stream = try await api.upgrade("containers/1/attach", to: "tcp")
///     try await stream.write(Bytes(text: "ls\n"))
///     for try await bytes in stream { print(bytes.text) }
///
/// The sequence ends when the server ends its direction. It slows the server down while the program does not read. One task reads
/// at a time: a second one throws `invalidRequest`. A task that is cancelled while it reads or writes throws `cancelled`; the stream
/// stays open. Releasing all copies and iterators cancels the stream.
public struct UpgradedStream: AsyncSequence, Sendable {
    public typealias Element = Bytes

    private let core: Core

    /// The response that switched protocols: 101, or over HTTP/2 a 2xx.
    public var response: Response { core.opened.response }

    init(_ opened: OpenedUpgrade, _ plan: SessionPlan) { core = Core(opened, plan) }

    /// Sends bytes. Waits first while the server does not take those before.
    ///
    /// The bytes of one call stay together. Throws `invalidRequest` after ``finish()``, and the stream's error after its end.
    nonisolated(nonsending) public func write(_ bytes: Bytes) async throws {
        let stream = core.opened.stream
        if Task.isCancelled { throw core.described(SternaError.cancelled(phase: .write)) }
        if !stream.hasRoom {
            do {
                try await stream.room()
            } catch {
                throw core.described(error)
            }
        }
        stream.put(bytes)
    }

    /// Ends this side's direction after the bytes so far; the server's direction stays open.
    public func finish() { core.opened.stream.finish() }

    /// Ends both directions at once.
    public func cancel() { core.opened.stream.cancel() }

    /// Returns a reader of the bytes in the order of their arrival.
    public func makeAsyncIterator() -> some AsyncIteratorProtocol<Bytes, any Error> { Iterator(core: core) }

    private struct Iterator: AsyncIteratorProtocol {
        let core: Core

        mutating func next() async throws -> Bytes? {
            do {
                return try await core.opened.stream.next()
            } catch {
                throw core.described(error)
            }
        }
    }

    private final class Core: Sendable {
        let opened: OpenedUpgrade
        private let plan: SessionPlan

        init(_ opened: OpenedUpgrade, _ plan: SessionPlan) { (self.opened, self.plan) = (opened, plan) }

        func described(_ error: any Error) -> SternaError {
            plan.describe(error, opened.request, answeredBy: opened.response)
        }

        deinit {
            opened.stream.cancel()
            opened.request.recorder?.requestEnded()
        }
    }
}
