import HTTPTypes
import NIOCore
import Sterna
import SternaCore
import Synchronization

/// One request of an upload with its interim responses and its outcome.
struct UploadExchange: Sendable {
    /// The outcome of a request.
    enum Outcome: Sendable {
        case response(UploadResponse, Response)
        case failure(SternaError)
    }

    let session: Session
    let plan: UploadPlan
    let source: UploadSource
    let now: @Sendable () -> Int64
    let record: @Sendable (UploadState) async throws -> Void
    let progress: (@Sendable (TransferProgress) -> Void)?

    /// How far the network has taken the content of the running request, or of the last one.
    let sent = SentContent()

    private enum Part: Sendable {
        case sent(Outcome)
        case informed(UploadState, UploadFault?, (any Error)?)
    }

    /// Sends the request of a step, and applies its interim responses as they arrive.
    ///
    /// Returns the outcome with the state after the interim responses, and their fault, which ends the request. Throws errors of
    /// `record`, and `cancelled`.
    func run(
        _ step: UploadStep, _ state: UploadState
    ) async throws -> (outcome: Outcome, state: UploadState, fault: UploadFault?) {
        sent.begin(at: step.content.lowerBound)
        let draft = try await draft(step, state)
        let (interim, feed) = AsyncStream.makeStream(of: InformationalResponse.self)
        var informing = draft
        informing.settings.onInformational = { feed.yield($0) }
        let url = try draft.reference.resolve(against: nil)
        return try await withThrowingTaskGroup(of: Part.self) { [informing] group in
            group.addTask {
                defer { feed.finish() }
                return .sent(await send(informing))
            }
            group.addTask { await follow(interim, step, state, url) }
            var outcome: Outcome?
            var latest = state
            var fault: UploadFault?
            var failure: (any Error)?
            for try await part in group {
                switch part {
                case .sent(let found): outcome = found
                case .informed(let state, let found, let error):
                    (latest, fault, failure) = (state, found, error)
                    if fault != nil || failure != nil { group.cancelAll() }
                }
            }
            if let failure { throw failure }
            // A response that arrived before a cancellation counts: it may name the upload's URL.
            guard let outcome else { throw SternaError.cancelled(phase: .wait) }
            return (outcome, latest, fault)
        }
    }

    // MARK: The request

    private func draft(_ step: UploadStep, _ state: UploadState) async throws -> RequestDraft {
        let content = step.content
        var digest: UploadDigest?
        let isTrailing = plan.sendsDigestInTrailer && state.dialect == .tus
        if let algorithm = plan.checksum, !content.isEmpty, !isTrailing {
            digest = try await source.digest(content, by: algorithm)
        }
        let request = try UploadRule.request(step, state, plan, digest: digest)
        var body = request.content.map { source.body($0) }
        if let algorithm = plan.checksum, isTrailing, !content.isEmpty, let sent = body {
            body = sent.withTrailers { [source] in
                let digest = try await source.digest(content, by: algorithm)
                return HTTPFields([try Headers.field(TusRule.checksumField, TusField.checksum(digest))])
            }
        }
        var draft = RequestDraft(request.method, request.url, body: body, headers: request.headers)
        // The upload's rules decide which requests to repeat, and where.
        draft.settings.retry = .none
        draft.settings.redirects = .doNotFollow
        draft.settings.cache.policy = .ignored
        draft.settings.options[ConfirmedProgressKey.self] = !content.isEmpty
        if !content.isEmpty {
            let (start, length) = (content.lowerBound, state.length)
            draft.settings.uploadProgress = { [progress, sent] step in
                let end = min(start + max(0, min(step.completed, length)), length)
                sent.note(end)
                progress?(TransferProgress(completed: end, total: length, rate: step.rate))
            }
        }
        return draft
    }

    private func send(_ draft: RequestDraft) async -> Outcome {
        do {
            return try await session.withResponse(to: draft) { response in
                let body = await BodyPrefix.read(response.body, on: session.loopClock)
                let read = response.with(body)
                return .response(uploadResponse(read, body.bytes), read)
            }
        } catch {
            return .failure(.wrap(error, as: .invalidRequest, phase: .prepare, "The upload's request failed: \(error)"))
        }
    }

    private func uploadResponse(_ response: Response, _ body: Bytes) -> UploadResponse {
        let problem =
            response.status.code >= 400 ? UploadProblem(mediaType: response[.contentType], body: body) : nil
        return UploadResponse(
            status: response.status.code, fields: response.section, problem: problem, now: now(), url: response.url)
    }

    // MARK: Interim responses

    /// The number of newly confirmed bytes after which a state is recorded.
    private static let recordedStep: Int64 = 1 << 20

    private func follow(
        _ interim: AsyncStream<InformationalResponse>, _ step: UploadStep, _ state: UploadState, _ url: HTTPURL
    ) async -> Part {
        var latest = state
        var recorded = state
        for await informational in interim {
            let response = UploadResponse(
                status: informational.status, fields: FieldSection(informational.headers), now: now(), url: url)
            do throws(UploadFault) {
                guard let next = try UploadRule.interim(response, to: step, latest) else { continue }
                latest = next
            } catch {
                return .informed(latest, error, nil)
            }
            // A server may confirm every few bytes, and each record is written to the disk. The runner records the last state.
            guard latest.url != recorded.url || latest.offset - recorded.offset >= Self.recordedStep else { continue }
            recorded = latest
            do {
                try await record(latest)
            } catch {
                return .informed(latest, nil, error)
            }
        }
        return .informed(latest, nil, nil)
    }
}

/// How far the network has taken an upload's content.
final class SentContent: Sendable {
    private let position = Mutex<Int64>(0)

    /// The end of the content that the network has taken.
    var end: Int64 { position.withLock { $0 } }

    /// Begins a request whose content starts at a position.
    func begin(at start: Int64) { position.withLock { $0 = start } }

    /// Records how far the content was taken. A request that is repeated on another connection counts by its longest attempt.
    func note(_ end: Int64) { position.withLock { $0 = max($0, end) } }
}

extension Response {
    /// Returns the response with the body that was read. The body of an error may be partial, since it is for users; any other must
    /// be complete, or ``ResponseBody/whole`` is nil.
    func with(_ body: BodyPrefix) -> Response {
        guard body.isComplete || status.code >= 400 else { return self }
        var copy = self
        copy.body = ResponseBody(body.bytes)
        return copy
    }
}
