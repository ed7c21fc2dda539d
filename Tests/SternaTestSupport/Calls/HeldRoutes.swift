import Sterna
import SternaTesting
import Synchronization

extension TestServer {
    /// The number of bytes that `/held` sends before it waits.
    static let heldBytes = 4 << 20

    /// Adds a route of the letters of `/range/N`, of which all but the first 4 MiB wait for a signal, and ranges of them, which do
    /// not wait by default. Returns the number of bytes that the server has written.
    ///
    /// - Parameters:
    ///   - path: the path of the route; `/held` by default.
    ///   - last: a second signal, for which the bytes after the first 8 MiB wait.
    ///   - holdsRanges: whether the bytes of ranges wait for the signal, too.
    @discardableResult
    func holdBody(
        at path: String = "/held", of count: Int, until release: Gate, andThen last: Gate? = nil,
        holdsRanges: Bool = false
    ) -> WrittenBytes {
        let written = WrittenBytes()
        let letters = Downloading.alphabet(65_536 + 26)
        route("GET", path) { request in
            let tag = "\"held\""
            var first = 0
            var headers: ServerHeaders = ["ETag": tag]
            if let range = request.headers["Range"], let start = Int(range.dropFirst(6).dropLast()),
                request.headers["If-Range"] == tag
            {
                first = start
                headers["Content-Range"] = "bytes \(start)-\(count - 1)/\(count)"
            }
            return ServerResponse(
                status: first > 0 ? 206 : 200, headers: headers,
                body: .stream(length: count - first) { [first] writer in
                    var position = first
                    while position < count {
                        if first == 0 || holdsRanges, position >= Self.heldBytes { await release.wait() }
                        if first == 0, position >= 2 * Self.heldBytes { await last?.wait() }
                        let size = min(65_536, count - position)
                        try await writer.write(Array(letters[position % 26..<position % 26 + size]))
                        position += size
                        written.add(size)
                    }
                })
        }
        return written
    }

    /// Adds `/wait`, which responds after a signal.
    func holdAnswer(until release: Gate) {
        route("GET", "/wait") { _ in
            await release.wait()
            return ServerResponse(body: .bytes([0x61]))
        }
    }
}

/// A count of bytes.
final class WrittenBytes: Sendable {
    private let count = Mutex<Int>(0)

    var value: Int { count.withLock { $0 } }

    func add(_ bytes: Int) { count.withLock { $0 += bytes } }
}
