public import Sterna
public import SternaCore
import SternaPlatform
public import SternaSerialization
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
    let folder: StoreFolder
    private let settings: TransferStoreSettings
    private let turns: TransferTurns
    private let sessions = WorkSessions()
    private let networkReturn = NetworkReturn()
    private let state = Mutex(State())

    private struct State {
        var transfers: [TransferID: Transfer] = [:]
        var readers: [Int: AsyncStream<TransferCompletion>.Continuation] = [:]
        var lastReader = 0
    }

    /// Opens a store, and makes its folder if there is none. Throws `writeFailed` if it cannot be used.
    ///
    /// - Parameters:
    ///   - folder: the path or URL of the folder, which only its owner can read; relative paths begin at the current folder.
    ///   - concurrency: the maximum number of transfers that run at the same time in this store; 4 by default.
    ///   - perHost: the maximum number of them with one host; without a limit of its own by default.
    ///   - configure: changes further settings.
    public init(
        folder: some FileReference, concurrency: Int = 4, perHost: Int = .max,
        _ configure: (inout TransferStoreSettings) -> Void = { _ in }
    ) throws(SternaError) {
        let path = try folder.filePath()
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw SternaError(.writeFailed, phase: .prepare, "The path of the store of transfers is empty or invalid.")
        }
        var settings = TransferStoreSettings()
        (settings.concurrency, settings.perHost) = (concurrency, perHost)
        configure(&settings)
        self.folder = StoreFolder(path: ContentSpool.absolute(path))
        self.settings = settings
        turns = TransferTurns(.init(total: settings.concurrency, perHost: settings.perHost))
        try self.folder.make()
    }

    // MARK: Adding

    /// Adds a download, whose description is on the disk when this function returns, and begins it.
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the session's base URL or absolute; it must have no secrets.
    ///   - path: the file here; relative paths begin at the current folder.
    ///   - session: what carries it on in this process, and has its credentials.
    ///   - headers: header fields of each request. Secrets are refused: set them on the session, or name them.
    ///   - secrets: the names of secret header fields' values, for which ``TransferStoreSettings/secret`` is asked: `["X-API-Key": "shop"]`.
    ///   - name: the name of the sessions that carry it on in later processes; `default` by default.
    ///   - context: the program's own note, at most 64 KiB.
    ///   - startsAtOnce: whether it begins; else ``Transfer/resume()`` or a ``TransferQueue`` begins it.
    ///
    /// Throws `invalidURL`, `invalidRequest` for what must not be stored and for a file that an unfinished download of the store has, and
    /// `writeFailed`.
    @discardableResult
    public func download(
        _ reference: some URLConvertible, to path: some FileReference, with session: Session, headers: Headers = [:],
        secrets: [String: String] = [:], options: TransferOptions = TransferOptions(), named name: String = "default",
        context: String? = nil, startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try reference.resolve(against: session.baseURL)
        let draft = Draft(url, session, headers, secrets, options, name, context, startsAtOnce)
        return try await add(draft, .download, path: ContentSpool.absolute(try path.filePath()))
    }

    /// Adds a download into a folder, where the file has the name that the server gives it, or that of the URL. See
    /// ``download(_:to:with:headers:secrets:options:named:context:startsAtOnce:)``.
    @discardableResult
    public func download(
        _ reference: some URLConvertible, into folder: some FileReference, with session: Session,
        headers: Headers = [:], secrets: [String: String] = [:], options: TransferOptions = TransferOptions(),
        named name: String = "default", context: String? = nil,
        startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try reference.resolve(against: session.baseURL)
        let draft = Draft(url, session, headers, secrets, options, name, context, startsAtOnce)
        return try await add(
            draft, .download, path: ContentSpool.absolute(try folder.filePath()), isFolder: true)
    }

    /// Adds the upload of a file, whose description is on the disk when this function returns, and begins it.
    ///
    /// The file is read while it is sent: keep it as it is until the end. A file that changes fails the transfer, and the
    /// server is asked to forget what it has, for at most 10 s.
    ///
    /// - Parameters:
    ///   - file: the file; relative paths begin at the current folder.
    ///   - reference: the URL, relative to the session's base URL or absolute; it must have no secrets.
    ///   - upload: how it is sent; by default by the protocol that the server names.
    ///   - mediaType: by default that of the file's name.
    ///
    /// The other arguments are those of downloads. Throws `invalidURL`, `invalidRequest` for what must not be stored, `fileUnreadable` and
    /// `writeFailed`.
    @discardableResult
    public func upload(
        file: some FileReference, to reference: some URLConvertible, with session: Session,
        _ upload: UploadOptions = UploadOptions(), mediaType: String? = nil, headers: Headers = [:],
        secrets: [String: String] = [:], options: TransferOptions = TransferOptions(), named name: String = "default",
        context: String? = nil, startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try reference.resolve(against: session.baseURL)
        let path = ContentSpool.absolute(try file.filePath())
        let body = try Body.file(path, mediaType: mediaType ?? MediaType.ofFile(named: path))
        let draft = Draft(url, session, headers, secrets, options, name, context, startsAtOnce)
        return try await add(draft, .upload, path: path, upload, body)
    }

    /// Adds the upload of a body, and begins it. What is not a file is copied into the store first, streams among them; see
    /// ``TransferStoreSettings/maxStoredBytes``.
    ///
    /// The arguments are those of ``upload(file:to:with:_:mediaType:headers:secrets:options:named:context:startsAtOnce:)``. Throws `limitExceeded`, too, and
    /// what a stream throws.
    @discardableResult
    public func upload(
        _ body: Body, to reference: some URLConvertible, with session: Session,
        _ upload: UploadOptions = UploadOptions(), headers: Headers = [:], secrets: [String: String] = [:],
        options: TransferOptions = TransferOptions(), named name: String = "default", context: String? = nil,
        startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try reference.resolve(against: session.baseURL)
        let draft = Draft(url, session, headers, secrets, options, name, context, startsAtOnce)
        return try await add(draft, .upload, path: nil, upload, body)
    }

    /// Adds the upload of a multipart form, whose parts the closure appends, and begins it. Files are read while they are sent, values are
    /// copied into the store.
    ///
    /// Values are written to the disk: leave secrets to header fields. A part with the name of a secret, such as `password`, is refused, and so
    /// are such members of other content in memory.
    /// The arguments are those of ``upload(file:to:with:_:mediaType:headers:secrets:options:named:context:startsAtOnce:)``.
    @discardableResult
    public func upload(
        to reference: some URLConvertible, with session: Session, _ upload: UploadOptions = UploadOptions(),
        headers: Headers = [:], secrets: [String: String] = [:], options: TransferOptions = TransferOptions(),
        named name: String = "default", context: String? = nil, startsAtOnce: Bool = true,
        multipart: (inout MultipartForm) throws -> Void
    ) async throws -> Transfer {
        var form = MultipartForm()
        try multipart(&form)
        if let secret = form.secretNames.first {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The transfer cannot be stored: the part “\(FieldSyntax.printable(secret))” of its form is a secret. Leave it to the session's credentials."
            )
        }
        let body = try form.body() ?? Body(segments: [])
        return try await self.upload(
            body, to: reference, with: session, upload, headers: headers, secrets: secrets, options: options,
            named: name, context: context, startsAtOnce: startsAtOnce)
    }

    /// What all kinds of transfers have.
    private struct Draft {
        let url: HTTPURL
        let session: Session
        let headers: [[String]]
        let secrets: [[String]]
        let options: TransferOptions
        let name: String
        let context: String?
        let startsAtOnce: Bool

        init(
            _ url: HTTPURL, _ session: Session, _ headers: Headers, _ secrets: [String: String],
            _ options: TransferOptions, _ name: String, _ context: String?, _ startsAtOnce: Bool
        ) {
            self.startsAtOnce = startsAtOnce
            (self.url, self.session, self.options, self.name, self.context) = (url, session, options, name, context)
            self.headers = headers.lines.map { [$0.name, $0.value] }
            self.secrets = secrets.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
        }
    }

    private func add(
        _ draft: Draft, _ kind: TransferDescription.Kind, path: String?, isFolder: Bool = false,
        _ upload: UploadOptions? = nil, _ body: Body? = nil
    ) async throws -> Transfer {
        let id = TransferID()
        func details(_ content: TransferContent?) throws(SternaError) -> TransferDescription {
            try TransferDescription(
                kind, id: id, created: TransferClock.now(), url: draft.url,
                path: path ?? folder.place(of: id).content, isFolder: isFolder, headers: draft.headers,
                secrets: draft.secrets, session: draft.name, options: draft.options, upload: upload, content: content,
                context: draft.context)
        }
        if let body, try await BlockingWork.run({ BodyRedaction.findsSecrets(in: body) }) {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The transfer cannot be stored: its content has values whose names mark them as secrets, such as a password. Leave them to the session's credentials."
            )
        }
        let sum = try draft.options.sha256.map { (text) throws(SternaError) in try ExpectedDigest(sha256: text) }
        // What is refused is refused before anything is copied.
        _ = try details(body == nil ? nil : TransferContent(segments: []))
        let (new, lock) = try await BlockingWork.run { [folder] in try folder.begin(id) }
        do {
            var content: TransferContent?
            if let body {
                var spool = ContentSpool(new.content) { [folder, most = settings.maxStoredBytes] in
                    max(0, most.subtractingReportingOverflow(folder.storedBytes).partialValue)
                }
                let taken = try await spool.take(body, mediaType: nil)
                try await taken.check(sum, storedAt: new.content)
                content = taken
            }
            let details = try details(content)
            let journal = try await BlockingWork.run { [folder] in
                // First: what has its name is added, whatever fails afterwards.
                let journal = try TransferJournal(folder.place(of: id).journal)
                try folder.add(details, new)
                return journal
            }
            return begin(details, journal, lock, draft.session, starts: draft.startsAtOnce)
        } catch {
            try? await BlockingWork.run { [folder, file = isFolder || kind == .upload ? nil : path] in
                folder.abandon(id, claiming: file)
            }
            lock.release()
            throw error
        }
    }

    // MARK: Transfers

    /// Begins the next attempt of all transfers of this object that wait for it at once, such as after the network has come back; those that were
    /// not begun, or that a queue has given back, are left alone.
    public func retryNow() async {
        for transfer in transfers where transfer.status.state == .waiting && transfer.hasWork {
            try? await transfer.resume()
        }
    }

    /// Begins the next attempt of the transfers that wait for it after the network has failed them.
    private func retryAfterLoss() async {
        for transfer in transfers where transfer.status.state == .waiting && transfer.hasWork {
            guard let failure = transfer.attempts.last?.failure, TransferRule.isLoss(failure) else { continue }
            try? await transfer.resume()
        }
    }

    /// Carries on all transfers that no process carries on, and returns them.
    ///
    /// - Parameters:
    ///   - session: what carries them on.
    ///   - name: takes those alone that were added under this name; all by default.
    ///   - startsAtOnce: whether they begin; else ``Transfer/resume()`` or a ``TransferQueue`` begins each.
    ///
    /// Throws `fileUnreadable` for a description of a newer program, after it has carried on the others, which are then in ``transfers``.
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

    private func ids() async -> [TransferID] {
        (try? await BlockingWork.run { [folder] in
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
        let found = try await BlockingWork.run {
            [folder] () throws -> (TransferDescription, TransferJournal, FileLock)? in
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
        let place = WorkPlace(
            details: details, files: folder.place(of: details.id), journal: journal, session: session,
            sessions: sessions, settings: settings)
        let transfer = Transfer(place, lock: lock, turns) { [weak self] in self?.ended($0) }
        state.withLock { state in
            state.transfers[details.id] = transfer
            networkReturn.begin(settings.reachability) { [weak self] in await self?.retryAfterLoss() }
        }
        if starts { transfer.start() }
        return transfer
    }

    // MARK: Completions

    /// The transfers that are over and not acknowledged, also those that other processes have finished; then those of this object that end
    /// while the sequence is read. It ends when the Swift task is cancelled.
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
        let unread = UnacknowledgedCompletions(stream: unique, folder: folder)
        return AsyncStream { await unread.next() }
    }

    private func ended(_ transfer: Transfer) {
        let done = TransferCompletion(
            details: transfer.details, state: transfer.status.state, progress: transfer.status.progress,
            sentBytes: transfer.journal.history.upload?.sent, answer: transfer.answer, attempts: transfer.attempts)
        let readers = state.withLock { state in
            state.transfers[transfer.id] = nil
            if state.transfers.isEmpty { networkReturn.end() }
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(done) }
    }

    /// Forgets a transfer that is over: it is not delivered again, in no process. Has no effect if that was done before.
    ///
    /// Throws `invalidRequest` if it is not over, and `writeFailed`.
    public func acknowledge(_ id: TransferID) async throws {
        try await BlockingWork.run { [folder] in
            guard FileStatus(linkAt: folder.place(of: id).path) != nil else { return }
            guard try TransferJournal.history(folder.place(of: id).journal).state.isOver else {
                throw SternaError(
                    .invalidRequest, phase: .prepare,
                    "The transfer \(id) is not over, and cannot be acknowledged; cancel it first.")
            }
            try folder.remove(id)
        }
    }
}
