public import Sterna
public import SternaCore
import SternaPlatform
public import SternaSerialization
import Synchronization

/// A folder of transfers that survive the end of the process, a crash and a restart of the machine.
///
///     let store = try TransferStore(folder: "/var/lib/app/transfers")
///     try await store.resumeAll(with: session)                       // what earlier processes have not finished
///     try await store.download("https://example.com/big.iso", to: "/data/big.iso", with: session)
///     for await done in store.completions {
///         print(done.details.path, done.state)
///         try await store.acknowledge(done.id)
///     }
///
/// Any number of processes, and of stores in one process, may use a folder. One of them at a time runs each transfer.
public final class TransferStore: Sendable {
    let folder: StoreFolder
    private let settings: TransferStoreSettings
    private let scheduler: TransferScheduler
    private let sessions = WorkSessions()
    private let networkReturn = NetworkReturn()
    private let state = Mutex(State())

    private struct State {
        var transfers: [TransferID: Transfer] = [:]
        var readers: [Int: AsyncStream<TransferCompletion>.Continuation] = [:]
        var lastReader = 0
    }

    /// Opens a store, and creates its folder if it does not exist.
    ///
    /// - Parameters:
    ///   - folder: the path or file URL of the folder; a relative path is resolved against the current folder. New folders get mode
    ///     0700.
    ///   - concurrency: the maximum number of transfers that run at the same time in this store; 4 by default, at least 1.
    ///   - perHost: the maximum number of transfers with one host that run at the same time; unlimited by default.
    ///   - configure: changes further settings.
    ///
    /// Throws `writeFailed` for a folder that cannot be used, that belongs to another user, or that other users may write to, and
    /// `fileUnreadable` for a URL that is not a file URL.
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
        scheduler = TransferScheduler(.init(total: settings.concurrency, perHost: settings.perHost))
        try self.folder.make()
    }

    // MARK: Adding

    /// Adds a download to a file and begins it. The description is on the disk when this function returns.
    ///
    /// - Parameters:
    ///   - reference: the URL, absolute or relative to the session's base URL; it must not contain secrets.
    ///   - path: the destination; a relative path is resolved against the current folder.
    ///   - session: the session that sends the requests in this process, with its credentials.
    ///   - headers: header fields of each request. Secrets are refused: set them on the session, or name them in `secrets`.
    ///   - secrets: secret header fields with the names under which ``TransferStoreSettings/secret`` returns their values:
    ///     `["X-API-Key": "shop"]`.
    ///   - options: limits, priority and digest.
    ///   - name: the session name by which ``resumeAll(with:named:startsAtOnce:)`` selects the transfer in later processes;
    ///     `default` by default.
    ///   - context: a note of the program, at most 64 KiB.
    ///   - startsAtOnce: whether the transfer begins; otherwise ``Transfer/resume()`` or a ``TransferQueue`` begins it.
    ///
    /// Throws `invalidURL`; `invalidRequest` for values that must not be stored, and if an unfinished
    /// download of the store has the same destination; `fileUnreadable` for a destination URL that is not a file URL;
    /// `writeFailed`.
    @discardableResult
    public func download(
        _ reference: some URLConvertible, to path: some FileReference, with session: Session, headers: Headers = [:],
        secrets: [String: String] = [:], options: TransferOptions = TransferOptions(), named name: String = "default",
        context: String? = nil, startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try Self.url(of: reference, in: session)
        let draft = Draft(url, session, headers, secrets, options, name, context, startsAtOnce)
        return try await add(draft, .download, path: ContentSpool.absolute(try path.filePath()))
    }

    /// Adds a download into a folder, under the file name from the response or the URL, and begins it.
    ///
    /// The arguments and errors are those of ``download(_:to:with:headers:secrets:options:named:context:startsAtOnce:)``.
    @discardableResult
    public func download(
        _ reference: some URLConvertible, into folder: some FileReference, with session: Session,
        headers: Headers = [:], secrets: [String: String] = [:], options: TransferOptions = TransferOptions(),
        named name: String = "default", context: String? = nil,
        startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try Self.url(of: reference, in: session)
        let draft = Draft(url, session, headers, secrets, options, name, context, startsAtOnce)
        return try await add(
            draft, .download, path: ContentSpool.absolute(try folder.filePath()), isFolder: true)
    }

    /// Adds the upload of a file and begins it. The description is on the disk when this function returns.
    ///
    /// The file is read while it is sent: do not change it before the transfer ends. If it changes, the transfer fails, and the
    /// store asks the server to delete what it has received, for at most 10 s.
    ///
    /// - Parameters:
    ///   - file: the file; a relative path is resolved against the current folder.
    ///   - reference: the URL, absolute or relative to the session's base URL; it must not contain secrets.
    ///   - upload: how the content is sent; by default by the protocol that the server names.
    ///   - mediaType: the media type; by default derived from the file name.
    ///
    /// The other arguments are those of ``download(_:to:with:headers:secrets:options:named:context:startsAtOnce:)``. Throws
    /// `invalidURL`, `invalidRequest` for values that must not be stored, `digestMismatch` if the
    /// content does not match ``TransferOptions/sha256``, `fileUnreadable` and `writeFailed`.
    @discardableResult
    public func upload(
        file: some FileReference, to reference: some URLConvertible, with session: Session,
        _ upload: UploadOptions = UploadOptions(), mediaType: String? = nil, headers: Headers = [:],
        secrets: [String: String] = [:], options: TransferOptions = TransferOptions(), named name: String = "default",
        context: String? = nil, startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try Self.url(of: reference, in: session)
        let path = ContentSpool.absolute(try file.filePath())
        let body = try Body.file(path, mediaType: mediaType ?? MediaType.ofFile(named: path))
        let draft = Draft(url, session, headers, secrets, options, name, context, startsAtOnce)
        return try await add(draft, .upload, path: path, upload, body)
    }

    /// Adds the upload of a body and begins it. Content that is not a file, including streams, is copied into the store first; see
    /// ``TransferStoreSettings/maxStoredBytes``.
    ///
    /// The arguments and errors are those of
    /// ``upload(file:to:with:_:mediaType:headers:secrets:options:named:context:startsAtOnce:)``. Also throws `limitExceeded` for
    /// more content than the store takes, and errors of a stream.
    @discardableResult
    public func upload(
        _ body: Body, to reference: some URLConvertible, with session: Session,
        _ upload: UploadOptions = UploadOptions(), headers: Headers = [:], secrets: [String: String] = [:],
        options: TransferOptions = TransferOptions(), named name: String = "default", context: String? = nil,
        startsAtOnce: Bool = true
    ) async throws -> Transfer {
        let url = try Self.url(of: reference, in: session)
        let draft = Draft(url, session, headers, secrets, options, name, context, startsAtOnce)
        return try await add(draft, .upload, path: nil, upload, body)
    }

    /// Adds the upload of a multipart form (RFC 7578), whose parts the closure appends, and begins it. Files are read while they
    /// are sent; values are copied into the store.
    ///
    /// Values are written to the disk: send secrets in header fields. A part with the name of a secret, such as `password`, is
    /// refused with `invalidRequest`, as are such members of other content in memory. The arguments and errors are those of
    /// ``upload(_:to:with:_:headers:secrets:options:named:context:startsAtOnce:)``; errors of the closure are passed on.
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

    private static func url(of reference: some URLConvertible, in session: Session) throws(SternaError) -> HTTPURL {
        do {
            return try reference.resolve(against: session.baseURL)
        } catch {
            throw SternaError(.invalidURL, phase: .prepare, "\(error)", underlying: error)
        }
    }

    /// The arguments that all kinds of transfers share.
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
                path: path ?? folder.files(of: id).content, isFolder: isFolder, headers: draft.headers,
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
        // Refuses invalid transfers before anything is copied.
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
                // First: once renamed, the transfer is added, whatever fails afterwards.
                let journal = try TransferJournal(folder.files(of: id).journal)
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

    /// Begins the next attempt of all waiting transfers of this object at once, for example after the network has returned.
    /// Transfers that were not begun, or that a queue has returned, are not affected.
    public func retryNow() async {
        for transfer in transfers where transfer.status.state == .waiting && transfer.hasWork {
            try? await transfer.resume()
        }
    }

    /// Begins the next attempt of transfers that wait after a failure of the network.
    private func retryAfterLoss() async {
        for transfer in transfers where transfer.status.state == .waiting && transfer.hasWork {
            guard let failure = transfer.attempts.last?.failure, TransferRule.isLoss(failure) else { continue }
            try? await transfer.resume()
        }
    }

    /// Resumes all unfinished transfers that no process runs, and returns them.
    ///
    /// - Parameters:
    ///   - session: the session that sends their requests.
    ///   - name: resumes only transfers that were added with this session name; nil, the default, resumes all.
    ///   - startsAtOnce: whether they begin; otherwise ``Transfer/resume()`` or a ``TransferQueue`` begins each.
    ///
    /// Throws `fileUnreadable` for a transfer that this program cannot read, after it has resumed the others, which are then in
    /// ``transfers``. ``unreadable()`` lists such transfers.
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

    /// The unfinished transfers of this object, the earliest added first.
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

    /// Makes this process the owner of an unfinished transfer without beginning it. Returns nil if another process owns it, or if
    /// it is over.
    package func take(_ id: TransferID, with session: Session) async throws -> Transfer? {
        if let known = state.withLock({ $0.transfers[id] }) { return known }
        return try await adopt(id, session, nil, starts: false)
    }

    /// Stops all transfers of this object; later processes can resume them.
    package func interrupt() async {
        for transfer in transfers { await transfer.interrupt() }
    }

    private func adopt(
        _ id: TransferID, _ session: Session, _ name: String?, starts: Bool = true
    ) async throws -> Transfer? {
        let found = try await BlockingWork.run {
            [folder] () throws -> (TransferDescription, TransferJournal, FileLock)? in
            guard let details = try folder.description(of: id), name == nil || details.session == name,
                !(try TransferJournal.history(folder.files(of: id).journal).state.isOver), let lock = try folder.own(id)
            else { return nil }
            // Another process may have finished it meanwhile.
            let journal = try TransferJournal(folder.files(of: id).journal)
            guard !journal.history.state.isOver else { return nil }
            return (details, journal, lock)
        }
        return found.map { begin($0.0, $0.1, $0.2, session, starts: starts) }
    }

    private func begin(
        _ details: TransferDescription, _ journal: TransferJournal, _ lock: FileLock, _ session: Session,
        starts: Bool = true
    ) -> Transfer {
        let context = AttemptContext(
            details: details, files: folder.files(of: details.id), journal: journal, session: session,
            sessions: sessions, settings: settings)
        let transfer = Transfer(context, lock: lock, scheduler) { [weak self] in self?.ended($0) }
        state.withLock { state in
            state.transfers[details.id] = transfer
            networkReturn.begin(settings.reachability) { [weak self] in await self?.retryAfterLoss() }
        }
        if starts { transfer.start() }
        return transfer
    }

    // MARK: Completions

    /// The transfers that are over and not acknowledged, including those that other processes have finished; then the transfers of
    /// this object that end while the sequence is read.
    ///
    /// Each transfer is delivered once per sequence, and again by later sequences until ``acknowledge(_:)``. The sequence ends when
    /// the Swift task is cancelled.
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
            sentBytes: transfer.journal.history.upload?.sent, response: transfer.response, attempts: transfer.attempts)
        let readers = state.withLock { state in
            state.transfers[transfer.id] = nil
            if state.transfers.isEmpty { networkReturn.end() }
            return Array(state.readers.values)
        }
        for reader in readers { reader.yield(done) }
    }

    /// Removes a transfer that is over from the store: no process delivers it again. Has no effect if it was removed before.
    ///
    /// Throws `invalidRequest` if it is not over, `fileUnreadable` if its journal cannot be read, and `writeFailed`.
    public func acknowledge(_ id: TransferID) async throws {
        try await BlockingWork.run { [folder] in
            guard FileStatus(linkAt: folder.files(of: id).path) != nil else { return }
            guard try TransferJournal.history(folder.files(of: id).journal).state.isOver else {
                throw SternaError(
                    .invalidRequest, phase: .prepare,
                    "The transfer \(id) is not over, and cannot be acknowledged; cancel it first.")
            }
            try folder.remove(id)
        }
    }
}
