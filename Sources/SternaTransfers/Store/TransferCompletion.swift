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
