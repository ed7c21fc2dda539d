import Sterna
public import SternaCore
import SternaPlatform

extension TransferStore {
    /// Returns all transfers in the folder that are not acknowledged, also those of other processes, the earliest first.
    ///
    /// Those whose description cannot be read are left out; see ``unreadable()``.
    public func list() async -> [TransferCompletion] { await contents().transfers }

    /// Returns the transfers in the folder whose description this program cannot read, in the order of their identifiers.
    ///
    /// They are not carried on: a newer program has written them, or their file is damaged. ``discard(_:evenIfIntact:)`` gives one up.
    public func unreadable() async -> [UnreadableTransfer] { await contents().unreadable }

    /// Returns what is in the folder, read once.
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

    /// Returns the unfinished download that has a file; nil if none has, or if its description cannot be read.
    ///
    /// - Parameter path: the file here; relative paths begin at the current folder.
    package func unfinishedDownload(to path: String) async -> TransferCompletion? {
        try? await BlockingWork.run { [folder] in
            folder.claims.holder(of: ContentSpool.absolute(path)).flatMap { folder.completion(of: $0) }
        }
    }

    /// Gives up a transfer whose description cannot be read, and removes what the store and an unfinished download have of it. Has no effect
    /// if it is not there. A server is not asked to forget what it has of an upload.
    ///
    /// - Parameter evenIfIntact: whether to give up also one that a newer program, or a user with the permission, could carry on; false by
    ///   default.
    ///
    /// Throws `invalidRequest` if the transfer can be read, if it is intact, or if another process carries it on, and `writeFailed`.
    public func discard(_ id: TransferID, evenIfIntact: Bool = false) async throws {
        try await BlockingWork.run { [folder] in
            func refusal(_ reason: String) -> SternaError {
                SternaError(.invalidRequest, phase: .prepare, "The transfer \(id) cannot be discarded: \(reason).")
            }
            let place = folder.place(of: id)
            guard FileStatus(linkAt: place.path)?.isDirectory == true else { return }
            guard let lock = try folder.own(id) else {
                // Its owner may have removed it just now.
                guard FileStatus(linkAt: place.path) != nil else { return }
                throw refusal("a process carries it on; end that first")
            }
            defer { lock.release() }
            guard let found = folder.unreadable(id) else {
                guard FileStatus(linkAt: place.path) != nil else { return }
                throw refusal("its description can be read; cancel and acknowledge it")
            }
            if !evenIfIntact {
                switch found.cause {
                case .damaged: break
                case .newer(let version):
                    throw refusal(
                        "a newer program has written it (version \(version)), which can carry it on or cancel it")
                case .inaccessible: throw refusal("its description could not be read now. \(found.reason)")
                }
            }
            if let history = try? TransferJournal.history(place.journal), !history.state.isOver,
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
    /// Reads a transfer and what has become of it; nil if its description or its journal cannot be read.
    fileprivate func completion(of id: TransferID) -> TransferCompletion? {
        guard let details = try? description(of: id), let history = try? TransferJournal.history(place(of: id).journal)
        else { return nil }
        return TransferCompletion(
            details: details, state: history.state, progress: TransferStatus(history, details).progress,
            sentBytes: history.upload?.sent, answer: history.answer, attempts: history.attempts)
    }
}
