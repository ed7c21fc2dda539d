import MutationKit
import SternaTesting
import Synchronization

/// A file on a test server that answers ranges, and counts what it sends.
struct RangedFile: Sendable {
    let content: [UInt8]
    let tag: String
    let sent = WrittenBytes()

    /// Bytes of a seed, in which no two positions look the same.
    static func content(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = MutationGenerator(seed: seed)
        var block: [UInt8] = []
        while block.count < min(count, 1 << 16) {
            withUnsafeBytes(of: random.next()) { block.append(contentsOf: $0) }
        }
        var all: [UInt8] = []
        all.reserveCapacity(count + block.count)
        while all.count < count {
            // The number of the block tells it from the others.
            withUnsafeBytes(of: random.next()) { all.append(contentsOf: $0) }
            all.append(contentsOf: block)
        }
        all.removeSubrange(count...)
        return all
    }

    init(_ content: [UInt8], tag: String = "\"1\"") {
        self.content = content
        self.tag = tag
    }

    /// The end of a response that is cut off.
    struct Cut: Error {}

    /// Responds to a request by the rules: with a part only if If-Range names the file.
    ///
    /// - Parameters:
    ///   - piece: the bytes of one write.
    ///   - pause: the time between two writes.
    ///   - end: returns the position at which a response that begins at a position is cut off; nil for none.
    func answer(
        _ request: ServerRequest, piece: Int = 1 << 16, pause: Duration? = nil, cutAt end: (Int) -> Int? = { _ in nil }
    ) -> ServerResponse {
        var first = 0
        var headers: ServerHeaders = ["ETag": tag, "Accept-Ranges": "bytes"]
        if let start = request.firstOfRange, request.headers["If-Range"] == tag {
            guard start < content.count else {
                headers["Content-Range"] = "bytes */\(content.count)"
                return ServerResponse(status: 416, headers: headers)
            }
            first = start
            headers["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)"
        }
        let isPart = headers.contains("Content-Range")
        let (start, stop) = (first, min(end(first) ?? content.count, content.count))
        return ServerResponse(
            status: isPart ? 206 : 200, headers: headers,
            body: .stream(length: content.count - first) { [content, sent] writer in
                var position = start
                while position < stop {
                    let next = min(position + piece, stop)
                    try await writer.write(Array(content[position..<next]))
                    sent.add(next - position)
                    position = next
                    if let pause { try await Task.sleep(for: pause) }
                }
                if stop < content.count { throw Cut() }
            })
    }
}

extension ServerRequest {
    /// The first position that a Range field of one range asks for; nil without one.
    var firstOfRange: Int? {
        guard let range = headers["Range"], range.hasPrefix("bytes=") else { return nil }
        return range.dropFirst(6).split(separator: "-").first.flatMap { Int($0) }
    }
}
