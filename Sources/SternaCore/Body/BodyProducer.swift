import Synchronization

/// Makes readers that deliver a body's bytes on demand.
package struct BodyProducer: Sendable {
    /// Delivers the next bytes at each call, and nil at the end.
    package typealias Reader = @Sendable () async throws -> Bytes?

    /// The exact number of bytes that a reader delivers; nil if unknown.
    package let length: Int64?

    /// An estimate of the number of bytes if the exact one is unknown; for compressed content, the length before compression.
    package var estimatedLength: Int64?

    /// Whether `makeReader` may be called more than once.
    package var isReplayable: Bool

    /// Makes a reader at the start of the content.
    package var makeReader: @Sendable () throws -> Reader

    /// Makes a producer of readers; each call of `makeReader` starts at the beginning.
    package init(length: Int64?, isReplayable: Bool, makeReader: @escaping @Sendable () throws -> Reader) {
        self.length = length.map { max(0, $0) }
        estimatedLength = self.length
        self.isReplayable = isReplayable
        self.makeReader = makeReader
    }

    /// Makes a producer that reads an asynchronous sequence, once.
    package init<S: AsyncSequence & Sendable>(once sequence: S, length: Int64?) where S.Element: BodyPiece {
        let taken = OnceFlag()
        self.init(length: length, isReplayable: false) {
            guard taken.take() else {
                throw SternaError(
                    .bodyNotReplayable, phase: .write,
                    "The body can be read only once and was already read; a body made by collected() can be sent again."
                )
            }
            let iterator = IteratorBox(sequence.makeAsyncIterator())
            return { try await iterator.next() }
        }
    }
}

/// A flag that only its first caller can take.
final class OnceFlag: Sendable {
    private let taken = Atomic<Bool>(false)

    func take() -> Bool { !taken.exchange(true, ordering: .acquiringAndReleasing) }
}

// Invariant: one task at a time calls a reader, and each call begins after the previous one has returned.
private final class IteratorBox<Iterator: AsyncIteratorProtocol>: @unchecked Sendable
where Iterator.Element: BodyPiece {
    private var iterator: Iterator

    init(_ iterator: Iterator) { self.iterator = iterator }

    func next() async throws -> Bytes? {
        var copy = iterator
        defer { iterator = copy }
        return try await copy.next(isolation: nil)?.bodyBytes
    }
}
