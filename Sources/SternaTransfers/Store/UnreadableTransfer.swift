/// A transfer in a store's folder whose description or journal this program cannot read.
///
/// ``TransferStore/list()`` leaves it out, and ``TransferStore/resumeAll(with:named:startsAtOnce:)`` does not resume it.
/// ``TransferStore/discard(_:evenIfIntact:)`` removes it.
public struct UnreadableTransfer: Sendable, Hashable, Identifiable {
    /// Why a transfer cannot be read.
    public enum Cause: Sendable, Hashable {
        /// A newer program, which can resume the transfer, has written it; with the version of the description.
        case newer(version: Int)
        /// The description is missing or damaged: no program can resume the transfer.
        case damaged
        /// The file could not be read now, for example because this user lacks the permission.
        case inaccessible
    }

    /// The identifier of the transfer.
    public let id: TransferID

    /// Why it cannot be read.
    public let cause: Cause

    /// The fault in words, with the path of the file.
    public let reason: String
}
