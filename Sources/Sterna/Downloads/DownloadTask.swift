import NIOCore
public import SternaCore
public import SternaPlatform
public import SternaSerialization
import Synchronization

/// A task that saves its response to a file.
///
///     let task = api.download("images/big.iso", to: .folder("/data"))
///     for await step in task.progress { print(step) }  // 37% of 1.2 GB, 48 MB/s, 16 s left
///     print(try await task.value.path)
///
/// The bytes go to a partial file next to the destination, which is always either complete or absent. If an interrupted download's
/// server sent a strong validator (RFC 9110, 8.8.1), the partial file stays, with a file of ``ResumeData`` next to it, and the next
/// download to the same destination resumes.
// Invariant: as in `SessionTask`.
public final class DownloadTask: SessionTask, @unchecked Sendable {
    let destination: DownloadDestination
    let options: DownloadOptions
    let resumed: ResumeData?
    let outcome = TaskOutcome<DownloadedFile>()

    private struct State {
        var resumeData: ResumeData?
        var discardsPartialFile = false
        var resumedAt: Int64 = 0
    }

    private let kept = Mutex(State())

    /// Stores the state by which the download can be resumed; nil for the file next to the partial one.
    let log: (any DownloadLog)?

    /// Whether the first response comes from another task.
    let takesResponse: Bool

    /// That response, until it is read.
    let taken: Mutex<Response?>

    init(
        _ session: Session, _ draft: RequestDraft, _ prepared: Result<Request, SternaError>,
        to destination: DownloadDestination, options: DownloadOptions, resuming data: ResumeData? = nil,
        taking response: Response? = nil, log: (any DownloadLog)? = nil
    ) {
        self.log = log
        takesResponse = response != nil
        taken = Mutex(response)
        self.destination = destination
        self.options = options
        resumed = data
        super.init(session, draft, prepared, callbackQueue: nil, sharesCall: response != nil)
    }

    /// The complete file, when the task is complete; throws the task's error. Several Swift tasks may await it.
    ///
    /// Cancelling a Swift task that awaits it ends only that wait. Awaiting does not start a suspended task.
    public var value: DownloadedFile {
        get async throws { try await outcome.value }
    }

    /// The data that resumes the download; nil unless it was interrupted and can be resumed.
    public var resumeData: ResumeData? { kept.withLock { $0.resumeData } }

    /// Cancels the task, and deletes its partial file.
    public override func cancel(silently: Bool = false) {
        kept.withLock { $0.discardsPartialFile = true }
        super.cancel(silently: silently)
    }

    /// Cancels the task, and keeps its partial file.
    ///
    /// - Returns: the data that resumes the download; nil if it cannot be resumed, or is complete.
    @discardableResult
    public func cancelProducingResumeData() async -> ResumeData? {
        super.cancel(silently: false)
        // A separate task, since the caller's may be cancelled, which would end the wait at once.
        await Task { _ = try? await outcome.value }.value
        return resumeData
    }

    /// Whether the partial file is deleted at the end, because the task was cancelled without resume data.
    var discardsPartialFile: Bool { kept.withLock { $0.discardsPartialFile } }

    /// The number of bytes that an earlier attempt received, and that are not requested again.
    var resumedAt: Int64 {
        get { kept.withLock { $0.resumedAt } }
        set { kept.withLock { $0.resumedAt = newValue } }
    }

    /// Keeps the data that resumes the download.
    func keep(_ data: ResumeData) { kept.withLock { $0.resumeData = data } }

    override var isTransfer: Bool { true }

    override func copy(_ prepared: Result<Request, SternaError>) -> SessionTask? {
        // A response can be read once, and a log belongs to one task.
        guard !takesResponse, log == nil else { return nil }
        return DownloadTask(
            session, draft, prepared, to: destination, options: options, resuming: resumeData ?? resumed)
    }

    override func perform(_ request: Request) async {
        offersConnections()
        do {
            var transfer = FileTransfer(self, reporting(request))
            end(with: .success(try await transfer.run()))
        } catch {
            var known = session.plan.describe(error, request)
            if known.value == nil { known.value = resumeData }
            end(with: .failure(known))
        }
    }

    /// Moves the complete file on a thread that may block, and posts an event if that fails.
    func reportingMove<Value: Sendable>(
        to path: String, _ move: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        do {
            return try await BlockingWork.run(move)
        } catch {
            if let known = error as? SternaError { post(.downloadNotMoved(path, known)) }
            throw error
        }
    }

    override func end(with error: SternaError) { end(with: .failure(error)) }

    private func end(with result: Result<DownloadedFile, SternaError>) {
        taken.withLock { $0.take() }?.body.cancel()
        var failure: SternaError?
        switch result {
        case .success(let file):
            received(file.response)
            let recorder = originalRequest?.recorder
            recorder?.context?.received(file.response, body: nil)
            recorder?.requestEnded()
            post(.downloadFinished(file.path))
        case .failure(let error): failure = error
        }
        let path = (try? result.get())?.path
        guard complete(failure, TaskSummary(path: path)) else { return }
        outcome.set(result)
    }
}

/// The options of a download.
public struct DownloadOptions: Sendable, Hashable {
    /// The expected SHA-256 of the file, as 64 hexadecimal digits or in Base64; nil, the default, verifies none. A file with
    /// another digest is not moved to its destination: the download fails with `digestMismatch`. An unreadable text fails with
    /// `invalidRequest`.
    public var sha256: String?

    /// Whether to resume an earlier download of the same URL to the same destination. True by default. Its bytes are used only if
    /// the server confirms that the file is unchanged (RFC 9110, 13.1.5).
    public var continuesEarlier = true

    /// How long a suspended download keeps its connection; 30 s by default. Then it closes the connection if it can resume from the
    /// partial file, and requests the rest when the task resumes.
    public var suspensionGrace = Duration.seconds(30)

    /// The maximum number of connections for one file, 1 to 16; 1 by default. With HTTP/2, it is the number of streams of one
    /// connection.
    ///
    /// Several are used for a GET if at least 8 MiB are missing and the server supports ranges and sends a strong validator.
    /// Another connection is opened only while the previous one raised the throughput by a tenth, so most downloads use fewer.
    public var maxSegments = 1

    /// Whether the request's retry policy (``RequestSettings/retry``) also covers a body that breaks off; false by default. The
    /// next request then asks for the bytes that are missing, if the server allows it, or for the whole file.
    ///
    /// Without it, such a download fails, and the next call for the same destination resumes it. All retries count toward the
    /// policy's ``RetryPolicy/limit`` and ``RetryPolicy/totalTime``; its ``RetryPolicy/budget`` does not apply to those of bodies.
    public var retriesBodies = false

    /// The limits for the use of several connections.
    var segmentRules = SegmentRules()

    /// Makes options with the default values.
    public init() {}
}

/// A downloaded file.
public struct DownloadedFile: Sendable {
    /// The file's path.
    public let path: String

    /// The head of the last response; its body is empty.
    public let response: Response

    /// The file's length in bytes.
    public let length: Int64

    /// The number of bytes that an earlier attempt received; 0 if the download was not resumed.
    public let resumedAt: Int64

    let plan: SessionPlan

    /// The file's path as a URL.
    public var url: URL { URL(filePath: path) }

    /// Reads the file, and decodes it with a response serializer.
    ///
    /// Throws the serializer's errors, `fileUnreadable`, and `limitExceeded`.
    ///
    /// - Parameter limit: the maximum size of the file in bytes; 256 MiB by default.
    public func value<S: ResponseSerializer>(by serializer: S, upTo limit: Int = 256 << 20) async throws -> S.Value {
        var reader = BodyReader(try Body.file(path))
        var bytes = Bytes()
        while var piece = try await reader.next(filling: 256 << 10) {
            guard piece.readableBytes <= limit - bytes.readableBytes else {
                throw SternaError(
                    .limitExceeded, phase: .read,
                    "The file “\(FieldSyntax.printable(path))” is longer than \(ByteSize(Int64(limit))); raise the limit to "
                        + "decode it.")
            }
            bytes.writeBuffer(&piece)
        }
        return try await Reply(response, body: bytes, plan: plan, ownSerializer: nil).value(by: serializer)
    }
}

extension SternaError {
    /// The data that resumes a failed download; nil if it cannot be resumed, and for other errors.
    public var resumeData: ResumeData? { value as? ResumeData }
}
