import NIOCore
import SternaCore

extension ResponseBody {
    /// The most bytes that ``collected()`` reads.
    static let mostCollectedBytes = 1 << 20

    /// Returns the same body with its bytes in memory if there are few, so that it occupies no connection while its response waits.
    ///
    /// A longer body keeps its connection, with its first bytes in memory: the code that is asked meanwhile may leave the response to the
    /// caller, who then reads all of it. In memory or in a file it would take as much as the server likes to send; on its connection it
    /// takes one of those to the server until the answer is there. A caller that will not deliver the response cancels it.
    ///
    /// A read that fails is left to the body's reader.
    nonisolated(nonsending) func collected() async -> ResponseBody {
        guard let stream else { return self }
        var all = Bytes()
        do {
            while var piece = try await stream.next() {
                if all.readableBytes == 0 { all = piece } else { all.writeBuffer(&piece) }
                if all.readableBytes > Self.mostCollectedBytes { return ResponseBody(PrefixedBody(all, then: stream)) }
            }
        } catch {
            return all.readableBytes == 0 ? self : ResponseBody(PrefixedBody(all, then: stream))
        }
        return ResponseBody(all, trailers: stream.trailers)
    }
}
