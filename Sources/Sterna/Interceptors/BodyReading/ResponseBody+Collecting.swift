import NIOCore
import SternaCore

extension ResponseBody {
    /// The number of bytes after which ``collected()`` stops reading.
    static let mostCollectedBytes = 1 << 20

    /// Returns the same body, in memory if it has at most 1 MiB, so that it occupies no connection while the program's code decides
    /// about its response.
    ///
    /// A longer body keeps its connection, with its first bytes in memory, since the response may still be delivered to the caller.
    /// Its size is unlimited in memory or in a file; unread, it only occupies its connection until the decision. Code that does not
    /// deliver the response cancels the body.
    ///
    /// A read error is thrown later, to the reader of the body.
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
