import NIOCore
package import SternaCore

/// The part of a response's body that arrives in a limited time, for responses whose status decides.
///
/// An error's body is read for its message alone. A server that sends it without end, or byte by byte, must not hide the status.
package struct BodyPrefix: Sendable {
    /// The bytes, from the first one on.
    package let bytes: Bytes

    /// Whether these are all.
    package let isComplete: Bool

    /// The most bytes that are read: 1 MiB.
    package static let longest = 1 << 20

    /// The longest time that is waited for them: 10 s.
    package static let patience = Duration.seconds(10)

    private init(_ bytes: Bytes, isComplete: Bool) { (self.bytes, self.isComplete) = (bytes, isComplete) }

    /// Reads a body. One that is longer, slower, or breaks off is given up with its connection; nothing is thrown.
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
                // The reader then returns what it has.
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
