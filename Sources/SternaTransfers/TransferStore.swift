public import Sterna
public import SternaCore
import SternaPlatform
import Synchronization

/// A folder of transfers that survive the process, a crash and a new start of the machine.
///
///     let store = try TransferStore(folder: "/var/lib/app/transfers")
///     try await store.resumeAll(with: session)                       // what earlier processes have not finished
///     try await store.download("https://example.com/big.iso", to: "/data/big.iso", with: session)
///     for await done in store.completions {
///         print(done.details.path, done.state)
///         try await store.acknowledge(done.id)
///     }
///
/// Any number of processes, and of stores in one process, may use a folder: each transfer is carried on by one of them.
public final class TransferStore: Sendable {
    private let folder: StoreFolder
    private let turns: TransferTurns
    private let state = Mutex(State())

    private struct State {
        var transfers: [TransferID: Transfer] = [:]
        var readers: [Int: AsyncStream<TransferCompletion>.Continuation] = [:]
        var lastReader = 0
    }

    /// Opens a store, and makes its folder if there is none. Throws `writeFailed` if it cannot be used.
    ///
    /// - Parameters:
    ///   - folder: the path or URL of the folder, which only its owner can read.
    ///   - concurrency: the maximum number of transfers that run at the same time in this store; 4 by default.
    ///   - perHost: the maximum number of them with one host; without a limit of its own by default.
    public init(folder: some FileReference, concurrency: Int = 4, perHost: Int = .max) throws(SternaError) {
        let path = try folder.filePath()
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SternaError(.writeFailed, phase: .prepare, "The path of the store of transfers is empty or invalid.")
        }
        self.folder = StoreFolder(path: path)
        turns = TransferTurns(.init(total: concurrency, perHost: perHost))
        try self.folder.make()
    }

    // MARK: Transfers

    /// Adds a download, whose description is on the disk when this function returns, and begins it.
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the session's base URL or absolute; it must have no secrets.
    ///   - path: the file here; relative paths begin at the current folder.
    ///   - session: what carries it on in this process, and has its credentials.
    ///   - headers: header fields of each request. Secrets are refused: set them on the session.
    ///   - name: the name of the sessions that carry it on in later processes; `default` by default.
    ///   - context: the program's own note, at most 64 KiB.
    ///   - startsAtOnce: whether it begins; else ``Transfer/resume()`` or a ``TransferQueue`` begins it.
    ///
    /// Throws `invalidURL`, `invalidRequest` for what must not be stored, and `writeFailed`.
    @discardableResult
    public func download(
        _ reference: some URLConvertible, to path: some FileReference, with session: Session, headers: Headers = [:],
        options: TransferOptions = TransferOptions(), named name: String = "default", context: String? = nil,
        startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try reference.resolve(against: session.baseURL)
        let absolute = try Self.absolute(try path.filePath())
        let details = try TransferDescription(
            .download, created: TransferClock.now(), url: url, path: absolute,
            headers: headers.lines.map { [$0.name, $0.value] }, session: name, options: options, context: context)
        let (lock, journal) = try await FileWork.run { [folder] in
            let lock = try folder.add(details)
            return (lock, try TransferJournal(folder.place(of: details.id).journal))
        }
        return begin(details, journal, lock, session, starts: startsAtOnce)
    }

    /// Carries on all transfers that no process carries on, and returns them.
    ///
    /// - Parameters:
    ///   - session: what carries them on.
    ///   - name: takes those alone that were added under this name; all by default.
    ///   - startsAtOnce: whether they begin; else ``Transfer/resume()`` or a ``TransferQueue`` begins each.
    ///
    /// Throws `fileUnreadable` for a description of a newer program, after it has carried on the others.
    @discardableResult
    public func resumeAll(
        with session: Session, named name: String? = nil, startsAtOnce: Bool = true
    ) async throws -> [Transfer] {
        let ids = await self.ids()
        var (resumed, failure) = ([Transfer](), nil as (any Error)?)
        for id in ids where state.withLock({ $0.transfers[id] == nil }) {
            do {
                if let transfer = try await adopt(id, session, name, starts: startsAtOnce) { resumed.append(transfer) }
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return resumed
    }

    /// The transfers that this object carries on.
    public var transfers: [Transfer] {
        state.withLock { Array($0.transfers.values) }.sorted {
            ($0.details.created, $0.id.text) < ($1.details.created, $1.id.text)
        }
    }

    /// Returns all transfers in the folder that are not acknowledged, also those of other processes, the earliest first.
    public func list() async -> [TransferCompletion] {
        let found =
            (try? await FileWork.run { [folder] in
                folder.ids().compactMap { id -> TransferCompletion? in
                    guard let details = try? folder.description(of: id) else { return nil }
                    let history = (try? TransferJournal.history(folder.place(of: id).journal)) ?? TransferHistory()
                    return TransferCompletion(
                        details: details, state: history.state, progress: TransferStatus(history).progress)
                }
            }) ?? []
        return found.sorted { ($0.details.created, $0.id.text) < ($1.details.created, $1.id.text) }
    }

    private func ids() async -> [TransferID] {
        (try? await FileWork.run { [folder] in
            folder.tidy()
            return folder.ids()
        }) ?? []
    }

    /// Makes this process the owner of a transfer that is not over, without carrying it on; nil if another process is, or if it is over.
    package func take(_ id: TransferID, with session: Session) async throws -> Transfer? {
        if let known = state.withLock({ $0.transfers[id] }) { return known }
        return try await adopt(id, session, nil, starts: false)
    }

    /// Ends the work on all transfers of this object, which later processes carry on.
    package func interrupt() async {
        for transfer in transfers { await transfer.interrupt() }
    }

    private func adopt(
        _ id: TransferID, _ session: Session, _ name: String?, starts: Bool = true
    ) async throws -> Transfer? {
        let found = try await FileWork.run { [folder] () throws -> (TransferDescription, TransferJournal, FileLock)? in
            guard let details = try folder.description(of: id), name == nil || details.session == name,
                !(try TransferJournal.history(folder.place(of: id).journal).state.isOver), let lock = try folder.own(id)
            else { return nil }
            // Another process may have finished it meanwhile.
            let journal = try TransferJournal(folder.place(of: id).journal)
            guard !journal.history.state.isOver else { return nil }
            return (details, journal, lock)
        }
        return found.map { begin($0.0, $0.1, $0.2, session, starts: starts) }
    }

    private func begin(
        _ details: TransferDescription, _ journal: TransferJournal, _ lock: FileLock, _ session: Session,
        starts: Bool = true
    ) -> Transfer {
        let transfer = Transfer(details, in: folder, journal, lock: lock, session, turns) { [weak self] in
            self?.ended($0)
        }
        state.withLock { $0.transfers[details.id] = transfer }
        if starts { transfer.start() }
        return transfer
    }

    // MARK: Completions

    /// The transfers that are over and not acknowledged, also those that earlier processes have finished; then those that end while the
    /// sequence is read. It ends when the Swift task is cancelled.
    public var completions: AsyncStream<TransferCompletion> {
        let (stream, reader) = AsyncStream<TransferCompletion>.makeStream()
        let number = state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = reader
            return state.lastReader
        }
        reader.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        let (unique, passed) = AsyncStream<TransferCompletion>.makeStream()
        let pump = Task { [weak self] in
            var seen: Set<TransferID> = []
            for done in await self?.list() ?? [] where done.state.isOver && seen.insert(done.id).inserted {
                passed.yield(done)
            }
            for await done in stream where seen.insert(done.id).inserted { passed.yield(done) }
            passed.finish()
        }
        passed.onTermination = { _ in
            pump.cancel()
            reader.finish()
        }
        return unique
    }

    private func ended(_ transfer: Transfer) {
        let done = TransferCompletion(
            details: transfer.details, state: transfer.status.state, progress: transfer.status.progress)
        let readers = state.withLock { state in
            state.transfers[transfer.id] = nil
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(done) }
    }

    /// Forgets a transfer that is over: it is not delivered again, in no process. Has no effect if that was done before.
    ///
    /// Throws `invalidRequest` if it is not over, and `writeFailed`.
    public func acknowledge(_ id: TransferID) async throws {
        try await FileWork.run { [folder] in
            guard FileStatus(linkAt: folder.place(of: id).path) != nil else { return }
            guard try TransferJournal.history(folder.place(of: id).journal).state.isOver else {
                throw SternaError(
                    .invalidRequest, phase: .prepare,
                    "The transfer \(id) is not over, and cannot be acknowledged; cancel it first.")
            }
            try folder.remove(id)
        }
    }

    private static func absolute(_ path: String) throws(SternaError) -> String {
        guard !path.hasPrefix("/") else { return path }
        return FileManager.default.currentDirectoryPath + "/" + path
    }
}

/// A transfer and what has become of it.
public struct TransferCompletion: Sendable, Hashable, Identifiable {
    public let details: TransferDescription
    public let state: TransferState

    /// The bytes that are there, and the total if it is known.
    public let progress: TransferProgress

    public var id: TransferID { details.id }
}
