public import SternaCore

/// A transfer and what has become of it.
public struct TransferCompletion: Sendable, Hashable, Identifiable {
    public let details: TransferDescription
    public let state: TransferState

    /// The bytes that are there, and the total if it is known.
    public let progress: TransferProgress

    /// What the server has answered to an upload that is complete; nil otherwise, or if the answer was lost.
    public let answer: TransferAnswer?

    public var id: TransferID { details.id }
}

/// Completions that were not acknowledged until they are read, by whatever process.
actor UnacknowledgedCompletions {
    private var iterator: AsyncStream<TransferCompletion>.Iterator
    private let folder: StoreFolder

    init(_ stream: AsyncStream<TransferCompletion>, _ folder: StoreFolder) {
        (iterator, self.folder) = (stream.makeAsyncIterator(), folder)
    }

    func next() async -> TransferCompletion? {
        while let done = await iterator.next(isolation: self) {
            let path = folder.place(of: done.id).path
            if (try? await FileWork.run({ FileStatus(linkAt: path) != nil })) ?? true { return done }
        }
        return nil
    }
}
