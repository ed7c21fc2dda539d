public import SternaCore

/// A transfer and what has become of it.
public struct TransferCompletion: Sendable, Hashable, Identifiable {
    public let details: TransferDescription
    public let state: TransferState

    /// The bytes that are there, and the total if it is known.
    public let progress: TransferProgress

    /// The bytes that the requests of an upload have carried, as far as it is known; the server may have those beyond ``progress``, which it
    /// has not confirmed. Nil for other transfers, and for uploads in one request or by a method.
    public let sentBytes: Int64?

    /// What the server has answered to an upload that is complete; nil otherwise, or if the answer was lost.
    public let answer: TransferAnswer?

    /// The last attempts, at most 20, with the reasons for which they failed.
    public let attempts: [TransferAttempt]

    public var id: TransferID { details.id }
}

/// Completions that were not acknowledged until they are read, by whatever process.
struct UnacknowledgedCompletions: Sendable {
    let stream: AsyncStream<TransferCompletion>
    let folder: StoreFolder

    func next() async -> TransferCompletion? {
        // All iterators of a stream take from the same values.
        for await done in stream {
            let path = folder.place(of: done.id).path
            if (try? await BlockingWork.run({ FileStatus(linkAt: path) != nil })) ?? true { return done }
        }
        return nil
    }
}
