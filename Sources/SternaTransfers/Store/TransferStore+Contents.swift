import Sterna
import SternaCore
import SternaPlatform

extension TransferStore {
    /// Returns all transfers in the folder that are not acknowledged, including those of other processes, the earliest added first.
    ///
    /// Transfers that this program cannot read are left out; see ``unreadable()``.
    public func list() async -> [TransferCompletion] { await contents().transfers }

    /// Returns the transfers in the folder that this program cannot read, in the order of their identifiers.
    ///
    /// ``resumeAll(with:named:startsAtOnce:)`` does not resume them. ``discard(_:evenIfIntact:)`` removes one.
    public func unreadable() async -> [UnreadableTransfer] { await contents().unreadable }

    /// Returns the contents of the folder, read once.
    package func contents() async -> (transfers: [TransferCompletion], unreadable: [UnreadableTransfer]) {
        let found = try? await BlockingWork.run { [folder] in
            var (transfers, unreadable) = ([TransferCompletion](), [UnreadableTransfer]())
            for id in folder.ids() {
                if let transfer = folder.completion(of: id) {
                    transfers.append(transfer)
                } else if let fault = folder.unreadable(id) {
                    unreadable.append(fault)
                }
            }
            return (transfers, unreadable)
        }
        guard let (transfers, unreadable) = found else { return ([], []) }
        return (
            transfers.sorted { ($0.details.created, $0.id.text) < ($1.details.created, $1.id.text) },
            unreadable.sorted { $0.id.text < $1.id.text }
        )
    }

    /// Returns the unfinished download with a destination; nil if there is none, or if it cannot be read.
    ///
    /// - Parameter path: the destination; a relative path is resolved against the current folder.
    package func unfinishedDownload(to path: String) async -> TransferCompletion? {
        try? await BlockingWork.run { [folder] in
            folder.claims.holder(of: ContentSpool.absolute(path)).flatMap { folder.completion(of: $0) }
        }
    }

    /// Removes a transfer that cannot be read, with the partial file of an unfinished download. Has no effect if it does not exist.
    /// The server keeps what it has received of an upload.
    ///
    /// - Parameter evenIfIntact: whether to remove also a transfer that a newer program, or a user with the permission, could
    ///   resume; false by default.
    ///
    /// Throws `invalidRequest` if the transfer can be read, if another program or user could resume it and `evenIfIntact` is false,
    /// or if a process runs it; and `writeFailed`.
    public func discard(_ id: TransferID, evenIfIntact: Bool = false) async throws {
        try await BlockingWork.run { [folder] in
            func refusal(_ reason: String) -> SternaError {
                SternaError(.invalidRequest, phase: .prepare, "The transfer \(id) cannot be discarded: \(reason).")
            }
            let files = folder.files(of: id)
            guard FileStatus(linkAt: files.path)?.isDirectory == true else { return }
            guard let lock = try folder.own(id) else {
                // Its owner may have removed it meanwhile.
                guard FileStatus(linkAt: files.path) != nil else { return }
                throw refusal("a process runs it; stop that process first")
            }
            defer { lock.release() }
            guard let found = folder.unreadable(id) else {
                guard FileStatus(linkAt: files.path) != nil else { return }
                throw refusal("its description can be read; cancel and acknowledge it")
            }
            if !evenIfIntact {
                switch found.cause {
                case .damaged: break
                case .newer(let version):
                    throw refusal(
                        "a newer program has written it (version \(version)), which can resume or cancel it")
                case .inaccessible: throw refusal("its description could not be read now. \(found.reason)")
                }
            }
            if let history = try? TransferJournal.history(files.journal), !history.state.isOver,
                let part = history.partialPath
            {
                AbandonedPart.remove(part)
            }
            try folder.remove(id)
            folder.tidy()
        }
    }
}

extension StoreFolder {
    /// Reads a transfer with its outcome; nil if its description or its journal cannot be read.
    fileprivate func completion(of id: TransferID) -> TransferCompletion? {
        guard let details = try? description(of: id), let history = try? TransferJournal.history(files(of: id).journal)
        else { return nil }
        return TransferCompletion(
            details: details, state: history.state, progress: TransferStatus(history, details).progress,
            sentBytes: history.upload?.sent, response: history.response, attempts: history.attempts)
    }
}
