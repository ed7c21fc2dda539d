public import SternaCore

/// A transfer with its state and outcome.
public struct TransferCompletion: Sendable, Hashable, Identifiable {
    /// The source, the destination and the options.
    public let details: TransferDescription

    /// The state.
    public let state: TransferState

    /// The bytes transferred, and the total if it is known.
    public let progress: TransferProgress

    /// The bytes that the requests of an upload have carried, as far as known. The server may have received bytes beyond
    /// ``progress`` that it has not confirmed. Nil for downloads, for uploads in one request or by an ``UploadMethod``, and before
    /// anything was sent.
    public let sentBytes: Int64?

    /// The server's response to the complete upload; nil for other transfers, or if the response was lost.
    public let response: TransferResponse?

    /// The last attempts, at most 20, with the reasons of their failures.
    public let attempts: [TransferAttempt]

    /// The identifier of the transfer.
    public var id: TransferID { details.id }
}

/// Completions, without those that a process has acknowledged before they are read.
struct UnacknowledgedCompletions: Sendable {
    let stream: AsyncStream<TransferCompletion>
    let folder: StoreFolder

    func next() async -> TransferCompletion? {
        // All iterators of a stream share its values.
        for await done in stream {
            let path = folder.files(of: done.id).path
            if (try? await BlockingWork.run({ FileStatus(linkAt: path) != nil })) ?? true { return done }
        }
        return nil
    }
}
