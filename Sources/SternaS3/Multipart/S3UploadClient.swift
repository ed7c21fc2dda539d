import HTTPTypes
import NIOCore
import Sterna
import SternaTransfers

/// The limits on repetitions of an upload's requests.
struct S3UploadPatience: Sendable, Hashable {
    /// The maximum number of times that a request is repeated.
    var failures = 6

    /// The maximum of the first wait, which doubles with each failure.
    var firstWait = Duration.milliseconds(500)

    /// The longest wait that a server may request; a longer one is left to the store.
    var longestWait = Duration.seconds(60)
}

/// Sends the requests of a multipart upload, and throws the errors of unsuccessful responses.
struct S3UploadClient: Sendable {
    let job: UploadJob
    let patience: S3UploadPatience

    /// Creates a client. Throws `invalidRequest` for a URL that is not an object's.
    init(_ job: UploadJob, _ patience: S3UploadPatience) throws(SternaError) {
        guard job.url.path.utf8.count > 1, job.url.query?.isEmpty ?? true else {
            throw SternaError(
                .invalidRequest, phase: .prepare,
                "The URL of an upload to S3 has the object's key in its path, and no query: https://s3.eu-central-1.amazonaws.com/bucket/key."
            ).at(job.url)
        }
        (self.job, self.patience) = (job, patience)
    }

    /// A request.
    struct Call: Sendable {
        let purpose: S3UploadFields.Purpose
        let method: Request.Method
        var query: [(String, String)] = []
        var headers: Headers = [:]
        var body: Body?
        /// The time limit for the response's body, from the arrival of its head.
        var time = Duration.seconds(60)
        var progress: (@Sendable (TransferProgress) -> Void)?
    }

    /// Sends a request once, and returns the response with its body. Throws the server's error.
    func send(_ call: Call) async throws(SternaError) -> Response {
        do {
            return try await job.session.withResponse(to: draft(call)) { response in
                var answer = response
                guard response.status.isSuccess else {
                    let body = (try? await body(response, upTo: S3Error.longest, within: call.time)) ?? Bytes()
                    throw S3ResponseSerializer.failure(response, body)
                }
                answer.body = ResponseBody(try await body(response, upTo: S3XML.longestAnswer, within: call.time))
                return answer
            }
        } catch {
            throw explained(
                .wrap(error, as: .interceptorFailed, phase: .prepare, "The request to S3 failed: \(error)"))
        }
    }

    private func draft(_ call: Call) throws(SternaError) -> RequestDraft {
        let query = call.query.map { "\(S3Address.encoded($0.0))=\(S3Address.encoded($0.1))" }.joined(separator: "&")
        let url = query.isEmpty ? job.url : job.url.replacingQuery(query)
        var headers = S3UploadFields.fields(job.headers, for: call.purpose, mediaType: job.mediaType)
        for line in call.headers.lines { headers[line.name] = line.value }
        var draft = RequestDraft(call.method, url, body: call.body, headers: headers)
        // The upload itself decides which requests to repeat.
        draft.settings.retry = .none
        draft.settings.cache.policy = .ignored
        draft.settings.uploadProgress = call.progress
        // Servers that do not send white space respond after they have joined the parts.
        if call.purpose == .complete { draft.settings.timeouts.firstByte = .seconds(600) }
        return draft
    }

    private func body(_ response: Response, upTo limit: Int, within time: Duration) async throws -> Bytes {
        if let whole = response.body.whole, whole.readableBytes <= limit { return whole }
        return try await withThrowingTaskGroup(of: Bytes.self) { group in
            group.addTask { try await response.body.collect(upTo: limit) }
            group.addTask { [session = job.session] in
                try await session.loopClock.wait(time)
                throw SternaError(
                    .timedOut, phase: .read, "The response of S3 did not arrive completely within \(time).")
            }
            defer { group.cancelAll() }
            return try await group.next() ?? Bytes()
        }
    }

    /// Sends a request, and repeats it after transient failures.
    ///
    /// - Parameters:
    ///   - isStopping: returns whether to stop after a failure instead of repeating the request.
    ///   - take: returns the result of a response. An error that it throws counts as the request's failure.
    func persist<R: Sendable>(
        _ call: Call, unless isStopping: @Sendable () -> Bool = { false },
        _ take: @Sendable (Response) throws(SternaError) -> R
    ) async throws(SternaError) -> R {
        var failures = 0
        while true {
            do throws(SternaError) {
                let response = try await send(call)
                do throws(SternaError) {
                    return try take(response)
                } catch {
                    var error = error
                    error.response = error.response ?? response
                    error.requestSent = true
                    throw explained(error)
                }
            } catch {
                failures += 1
                let asked = error.response.flatMap { RetryAfter.delay($0) }
                guard S3UploadRule.verdict(error) == .again, failures <= patience.failures, !isStopping(),
                    asked.map({ $0 <= patience.longestWait }) ?? true
                else { throw error }
                let wait = S3UploadRule.wait(
                    afterFailures: failures, asked: asked, first: patience.firstWait, random: .random(in: 0...1))
                do {
                    try await job.session.loopClock.wait(wait)
                } catch {
                    throw SternaError.cancelled(phase: .wait)
                }
            }
        }
    }

    private func explained(_ error: SternaError) -> SternaError { S3UploadFailure.explained(error, at: job.url) }

    // MARK: Aborting

    /// Aborts an upload at the server (AbortMultipartUpload). A part that was being sent may arrive later, so the upload is listed
    /// afterwards, and aborted again if the server still has it, up to three times.
    func abort(_ id: String) async throws(SternaError) {
        for _ in 0..<3 {
            do throws(SternaError) {
                _ = try await send(Call(purpose: .abort, method: .delete, query: [("uploadId", id)]))
                _ = try await send(
                    Call(purpose: .list, method: .get, query: [("max-parts", "1"), ("uploadId", id)]))
            } catch {
                guard S3UploadRule.verdict(error) == .gone else { throw error }
                return
            }
        }
    }
}
