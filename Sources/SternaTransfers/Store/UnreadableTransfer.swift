/// A transfer in the folder of a ``TransferStore`` whose description or journal this program cannot read.
///
/// It is neither listed nor carried on. ``TransferStore/discard(_:evenIfIntact:)`` gives it up.
public struct UnreadableTransfer: Sendable, Hashable, Identifiable {
    /// Why a description cannot be read.
    public enum Cause: Sendable, Hashable {
        /// A newer program has written it, which can carry the transfer on; with the version of the description.
        case newer(version: Int)
        /// It is missing or damaged: no program can carry the transfer on.
        case damaged
        /// It could not be read now, such as for want of the permission.
        case inaccessible
    }

    public let id: TransferID
    public let cause: Cause

    /// What is wrong, with the path of the file.
    public let reason: String
}
