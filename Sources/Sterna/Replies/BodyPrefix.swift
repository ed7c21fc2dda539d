import NIOCore
package import SternaCore

/// The part of a body that arrives within limits of size and time, for responses that are rejected by their status.
///
/// The body of an error is read only for its message. A server that sends it without end, or byte by byte, must not keep the status
/// from the caller.
package struct BodyPrefix: Sendable {
    /// The first bytes of the body.
    package let bytes: Bytes

    /// Whether the bytes are the whole body.
    package let isComplete: Bool

    /// The maximum number of bytes read; 1 MiB.
    package static let longest = 1 << 20

    /// The maximum time to wait for them; 10 s.
    package static let patience = Duration.seconds(10)

    private init(_ bytes: Bytes, isComplete: Bool) { (self.bytes, self.isComplete) = (bytes, isComplete) }

    /// Reads a body within the limits. One that is longer, slower or incomplete is cancelled, with its connection; no error is
    /// thrown.
    ///
    /// - Parameter clock: that of the session's engine.
    package static func read(
        _ body: ResponseBody, upTo limit: Int = longest, within patience: Duration = patience, on clock: LoopClock
    ) async -> BodyPrefix {
        if let whole = body.whole {
            let isShort = whole.readableBytes <= limit
            return BodyPrefix(isShort ? whole : prefix(whole, limit), isComplete: isShort)
        }
        let read = await withTaskGroup(of: BodyPrefix?.self) { group in
            group.addTask { await collect(body, upTo: limit) }
            group.addTask {
                try? await clock.wait(patience)
                return nil
            }
            var read: BodyPrefix?
            for await part in group {
                // The cancelled reader returns the bytes that it has.
                group.cancelAll()
                read = read ?? part
            }
            return read ?? BodyPrefix(Bytes(), isComplete: false)
        }
        if !read.isComplete { body.cancel() }
        return read
    }

    private static func collect(_ body: ResponseBody, upTo limit: Int) async -> BodyPrefix {
        var all = Bytes()
        var iterator = body.makeAsyncIterator()
        do {
            while let piece = try await iterator.next() {
                let room = limit - all.readableBytes
                var taken = prefix(piece, room)
                all.writeBuffer(&taken)
                guard piece.readableBytes <= room else { return BodyPrefix(all, isComplete: false) }
            }
            return BodyPrefix(all, isComplete: true)
        } catch {
            return BodyPrefix(all, isComplete: false)
        }
    }

    private static func prefix(_ bytes: Bytes, _ count: Int) -> Bytes {
        guard bytes.readableBytes > count else { return bytes }
        return bytes.getSlice(at: bytes.readerIndex, length: count) ?? Bytes()
    }
}
