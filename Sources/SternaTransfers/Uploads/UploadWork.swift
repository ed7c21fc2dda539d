import HTTPTypes
import NIOCore
import Sterna
import SternaCore
import SternaPlatform

/// An upload, by a resumable protocol if the server has one.
struct UploadWork: TransferWork {
    private let context: AttemptContext
    private let content: TransferContent
    private let options: UploadOptions
    private let source: UploadSource

    private var details: TransferDescription { context.details }

    init(_ context: AttemptContext) {
        self.context = context
        content = context.details.content ?? TransferContent(segments: [])
        options = context.details.upload ?? UploadOptions()
        source = content.source(storedAt: context.files.content)
    }

    func attempt(
        began: @Sendable (Int64) async throws -> Void, progress: @escaping @Sendable (TransferProgress) -> Void,
        waits: @escaping @Sendable (TransferFailure) -> Void
    ) async throws -> TransferEvent {
        let history = context.journal.history
        let finished = TransferEvent.finished(path: details.path, length: content.length)
        // The previous process ended right before the journal's last line.
        if history.response != nil { return finished }
        do {
            try await sendVerified(history, began, progress, waits)
        } catch let error as SternaError where error.kind == .fileUnreadable {
            let judged = await judged(error)
            // No later attempt resumes what the server has.
            if judged.underlying is ChangedSource { await abandon() }
            throw judged
        }
        return finished
    }

    /// Returns the error of an unreadable file after another check of the files: only a changed file ends the upload.
    private func judged(_ error: SternaError) async -> SternaError {
        if error.underlying is MissingSource || error.underlying is ChangedSource { return error }
        do {
            try await verify()
        } catch {
            return (error as? SternaError) ?? SternaError.cancelled(phase: .read)
        }
        var transient = error
        transient.underlying = MissingSource()
        return transient
    }

    /// Sends the content and records the response. Verifies before and after sending that no file has changed.
    private func sendVerified(
        _ history: TransferHistory, _ began: @Sendable (Int64) async throws -> Void,
        _ progress: @escaping @Sendable (TransferProgress) -> Void,
        _ waits: @escaping @Sendable (TransferFailure) -> Void
    ) async throws {
        // First, so that a missing file counts as the failure of an attempt.
        try await began(history.keptBytes)
        try await verify()
        let traffic = UploadTraffic(context.session, from: history.keptBytes)
        let response = try await traffic.counted {
            try await send(
                history.upload,
                { step in
                    traffic.sent(step)
                    progress(step)
                }, waits)
        }
        do {
            try await verify()
        } catch let error as SternaError {
            guard error.underlying is MissingSource else {
                throw SternaError(
                    .fileUnreadable, phase: .read,
                    "The upload has ended, but its file changed meanwhile, so that the server may have a mixture. \(error.message)",
                    underlying: ChangedSource())
            }
            // One request has read the whole file. It must not be repeated only because the file was moved away at its end.
            guard isOneRequest else { throw error }
        }
        let urls = uploadURLs
        if let response {
            try await context.record(
                .responded(
                    TransferResponse(response, hiding: context.sentSecrets) { location in
                        (try? location.resolve(against: response.url)).map { urls.contains($0) } ?? false
                    }))
        }
    }

    private var isOneRequest: Bool {
        switch context.journal.history.upload {
        case nil, .whole: true
        // The protocol is unknown: the server did not respond to OPTIONS.
        case .resumable(let state): state.dialect == nil
        default: false
        }
    }

    private func verify() async throws {
        try await BlockingWork.run { [content, path = context.files.content] in try content.verify(storedAt: path) }
    }

    /// The upload's own URLs, which can act as credentials.
    private var uploadURLs: [HTTPURL] {
        switch context.journal.history.upload {
        case .resumable(let state)?: [state.url].compactMap { $0 }
        case .parts(let state)?: (state.parts + [state.whole]).compactMap(\.url)
        default: []
        }
    }

    private func record(_ record: UploadRecord) async throws {
        if case .method(let state) = record,
            state.confirmed < 0 || state.note.utf8.count > UploadMethodState.longestNote
        {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The upload method “\(FieldSyntax.printable(state.name))” notes more than \(UploadMethodState.longestNote) bytes, or a negative count."
            )
        }
        let isEssential = record.isEssential(after: context.journal.history.upload)
        try await context.record(.uploading(record), syncs: isEssential)
    }

    // MARK: Ways of sending

    private func send(
        _ known: UploadRecord?, _ progress: @escaping @Sendable (TransferProgress) -> Void,
        _ waits: @escaping @Sendable (TransferFailure) -> Void
    ) async throws -> Response? {
        let headers = try await context.headers()
        switch (known, options.resumption) {
        case (.whole?, _), (nil, .off): return try await whole(headers, progress, waits)
        case (_, .method(let name)):
            guard let method = context.settings.uploadMethods.first(where: { $0.name == name }) else {
                throw SternaError(
                    .invalidRequest, phase: .prepare,
                    "The store does not know the upload method “\(FieldSyntax.printable(name))”. Add it to TransferStoreSettings.uploadMethods.",
                    underlying: MissingMethod())
            }
            var state: UploadMethodState?
            if case .method(let noted)? = known, noted.name == name { state = noted }
            return try await method.run(
                job(headers), from: state, record: { try await record(.method($0)) }, progress: progress)
        case (.parts(let state)?, _): return try await parts(headers, state, progress, waits)
        case (nil, .tus) where options.parts > 1 && content.length > 1:
            return try await parts(headers, nil, progress, waits)
        case (.resumable(let state)?, _): return try await resumable(headers, state, progress, waits)
        default: return try await resumable(headers, nil, progress, waits)
        }
    }

    private func resumable(
        _ headers: Headers, _ state: UploadState?, _ progress: @escaping @Sendable (TransferProgress) -> Void,
        _ waits: @escaping @Sendable (TransferFailure) -> Void
    ) async throws -> Response? {
        var runner = runner(headers)
        runner.progress = progress
        runner.waits = { waits(TransferFailure($0)) }
        do {
            return try await runner.run(from: state).response
        } catch let error as SternaError {
            guard options.resumption == .automatic, uploadURLs.isEmpty,
                let fault = error.underlying as? UploadFault, fault.hasNoProtocol
            else { throw error }
            // A server that did not respond may have a protocol: the next attempt asks again.
            if fault != .unanswered { try await record(.whole) }
            // A server that has refused tus is not tried by tus again.
            if case .tusVersion = fault { return try await whole(headers, progress, waits, mayBeTus: false) }
            return try await whole(headers, progress, waits)
        }
    }

    private func runner(_ headers: Headers) -> UploadRunner {
        var runner = UploadRunner(context.session, plan(headers), file: source) { try await record(.resumable($0)) }
        runner.patience = patience
        return runner
    }

    /// The patience of an attempt, with no more requests than the transfer has left.
    private var patience: UploadPatience {
        var patience = UploadPatience()
        let left = details.options.maxRequests - context.journal.history.requestsInVain
        patience.requests = max(1, min(patience.requests, left))
        return patience
    }

    private func parts(
        _ headers: Headers, _ state: ConcatenatedUpload.State?,
        _ progress: @escaping @Sendable (TransferProgress) -> Void,
        _ waits: @escaping @Sendable (TransferFailure) -> Void
    ) async throws -> Response? {
        var upload = ConcatenatedUpload(context.session, plan(headers), file: source, parts: options.parts) {
            try await record(.parts($0))
        }
        (upload.progress, upload.patience) = (progress, patience)
        upload.waits = { waits(TransferFailure($0)) }
        return try await upload.run(from: state).response
    }

    private func plan(_ headers: Headers) -> UploadPlan {
        var plan = UploadPlan(target: details.url, length: content.length)
        plan.choice =
            switch options.resumption {
            case .ietf: .named(.ietf(.preferred))
            case .tus: .named(.tus)
            case .contentRange: .named(.contentRange)
            default: .discovered
            }
        plan.creation = options.createsWithContent ? .withContent : .empty
        plan.method = method
        plan.mediaType = content.mediaType ?? plan.mediaType
        plan.fileName = options.fileName ?? content.onlyFile.flatMap { $0.split(separator: "/").last.map(String.init) }
        plan.metadata = options.metadata.sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }
        plan.headers = headers
        plan.largestAppend = options.maxRequestBytes
        plan.overridesMethods = options.overridesMethods
        plan.checksum = options.checksum?.algorithm
        plan.sendsDigestInTrailer = options.sendsChecksumInTrailer
        plan.defersLength = options.defersLength && options.parts == 1
        plan.fileDigest = details.options.sha256.flatMap { try? ExpectedDigest(sha256: $0) }
            .map { UploadDigest(algorithm: .sha256, bytes: $0.value) }
        return plan
    }

    private var method: Request.Method { Request.Method(rawValue: options.method.uppercased()) ?? .post }

    private func job(_ headers: Headers) -> UploadJob {
        UploadJob(
            session: context.session, url: details.url, headers: headers, options: options, length: content.length,
            mediaType: content.mediaType, source: source)
    }

    // MARK: In one request

    /// - Parameter mayBeTus: whether to switch to tus if the server responds like a tus server to a request without tus fields
    ///   (412).
    private func whole(
        _ given: Headers, _ progress: @escaping @Sendable (TransferProgress) -> Void,
        _ waits: @escaping @Sendable (TransferFailure) -> Void, mayBeTus: Bool = true
    ) async throws -> Response? {
        do {
            return try await whole(given, progress)
        } catch let error as SternaError {
            guard mayBeTus, options.resumption == .automatic, error.status == 412,
                let support = error.response.flatMap({ TusSupport($0.section) })
            else { throw error }
            var state = UploadState(plan(given))
            (state.dialect, state.tus) = (.tus, support)
            try await record(.resumable(state))
            return try await resumable(given, state, progress, waits)
        }
    }

    private func whole(
        _ headers: Headers, _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> Response? {
        var body = source.body(0..<content.length)
        body.mediaType = content.mediaType
        var headers = headers
        if ![.put, .delete].contains(method), headers[Self.keyField] == nil {
            // The same key for all attempts, so that a server that supports the field recognizes a repetition.
            headers.append(Self.keyField, "\"\(details.id)\"")
        }
        var draft = RequestDraft(method, details.url, body: body, headers: headers)
        draft.settings.retry = .none
        draft.settings.uploadProgress = progress
        return try await context.session.withResponse(to: draft) { response in
            let body = await BodyPrefix.read(response.body, on: context.session.loopClock)
            let read = response.with(body)
            guard (200..<300).contains(response.status.code) else {
                var error = SternaError(
                    .unacceptableStatus, phase: .read,
                    "The server responded to the upload with \(response.status.code).")
                error.response = read
                error.body = body.bytes
                error.requestSent = true
                throw error.at(details.url)
            }
            return read
        }
    }

    private static let keyField = "Idempotency-Key"

    // MARK: Abandoning

    /// The time limit for the server to delete an upload.
    private static let farewell = Duration.seconds(10)

    func abandon() async {
        guard let record = context.journal.history.upload else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await forget(record) }
            group.addTask { [session = context.session] in try? await session.loopClock.wait(Self.farewell) }
            // A server drops what it does not delete now when the upload expires.
            await group.next()
            group.cancelAll()
        }
    }

    /// Has an upload method abandon its upload. Uploads by the protocols are left to expire: one whose last response was lost may
    /// be complete.
    func giveUp() async {
        if case .method? = context.journal.history.upload { await abandon() }
    }

    private func forget(_ record: UploadRecord) async throws {
        let headers = try await context.headers()
        switch record {
        case .resumable(let state): _ = try await runner(headers).cancel(state)
        case .parts(let state):
            for part in state.parts + [state.whole] { _ = try? await runner(headers).cancel(part) }
        case .method(let state):
            let method = context.settings.uploadMethods.first { $0.name == state.name }
            try await method?.abandon(job(headers), state)
        case .whole: break
        }
    }
}
