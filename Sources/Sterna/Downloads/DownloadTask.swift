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
/// The bytes go to a partial file next to the destination; the destination is complete or absent. An interrupted download whose
/// server gave a strong validator keeps its partial file and a file with ``ResumeData`` beside it, and the next download to the same
/// destination goes on behind the bytes that are there.
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

    /// Keeps what continues the download; nil for the file beside the partial one.
    let log: (any DownloadLog)?

    /// Whether the first response is that of another task.
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
        super.init(session, draft, prepared, mailbox: nil, sharesCall: response != nil)
    }

    /// The complete file, once the task is complete; throws the task's error. Any number of Swift tasks may await it.
    ///
    /// Cancelling a Swift task that awaits the value ends only its wait. Awaiting does not start a suspended task.
    public var value: DownloadedFile {
        get async throws { try await outcome.value }
    }

    /// What continues the download; nil unless it was interrupted and can be continued.
    public var resumeData: ResumeData? { kept.withLock { $0.resumeData } }

    /// Cancels the task, and removes its partial file.
    public override func cancel(silently: Bool = false) {
        kept.withLock { $0.discardsPartialFile = true }
        super.cancel(silently: silently)
    }

    /// Cancels the task, keeps its partial file, and returns what continues the download; nil if it cannot be continued, or was
    /// complete.
    @discardableResult
    public func cancelProducingResumeData() async -> ResumeData? {
        super.cancel(silently: false)
        // In a task of its own: the caller's may be cancelled, and its wait would end at once.
        await Task { _ = try? await outcome.value }.value
        return resumeData
    }

    /// Whether the partial file is removed at the end: the task was cancelled without producing resume data.
    var discardsPartialFile: Bool { kept.withLock { $0.discardsPartialFile } }

    /// The number of bytes that an earlier attempt had left, and that are not fetched again.
    var resumedAt: Int64 {
        get { kept.withLock { $0.resumedAt } }
        set { kept.withLock { $0.resumedAt = newValue } }
    }

    /// Records what continues the download.
    func keep(_ data: ResumeData) { kept.withLock { $0.resumeData = data } }

    override var isTransfer: Bool { true }

    override func copy(_ prepared: Result<Request, SternaError>) -> SessionTask? {
        // A response can be taken once, and a log belongs to one task.
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

    /// Runs work that moves the complete file on a thread that may block, and reports its error.
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
            originalRequest?.recorder?.requestEnded()
            post(.downloadFinished(file.path))
        case .failure(let error): failure = error
        }
        let path = (try? result.get())?.path
        guard complete(failure, TaskSummary(path: path)) else { return }
        outcome.set(result)
    }
}

/// How a download is made.
public struct DownloadOptions: Sendable, Hashable {
    /// The expected SHA-256 of the file, in hexadecimal digits or Base64; none by default. A file with another one fails with
    /// `digestMismatch`, and does not come to its destination.
    public var sha256: String?

    /// Whether an earlier download to the same destination, from the same URL, is continued; the default. Its bytes are kept only if
    /// the server confirms that the file is unchanged (RFC 9110, 13.1.5).
    public var continuesEarlier = true

    /// How long a suspended download keeps its connection; 30 s by default. Then it gives the connection up if it can go on from
    /// the partial file, and asks for the rest when it is resumed.
    public var suspensionGrace = Duration.seconds(30)

    /// The maximum number of connections for a large file, from 1, the default, to 16; with HTTP/2, of streams of one connection.
    ///
    /// More than one are used for files with at least 8 MiB left whose server supports ranges and gives a strong validator. A further
    /// one is opened as long as the one before raised the throughput by a tenth, so most downloads use fewer.
    public var maxSegments = 1

    /// Whether a body that breaks off is asked for again by the session's retry policy, from where it ended if the server allows.
    package var retriesBodies = false

    /// The numbers that bound the use of several connections.
    var segmentRules = SegmentRules()

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

    /// The number of bytes that an earlier attempt had left; 0 for a file that was downloaded in one piece.
    public let resumedAt: Int64

    let plan: SessionPlan

    /// The file's URL.
    public var url: URL { URL(filePath: path) }

    /// Reads the file, and decodes it with a response serializer; throws its errors.
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
    /// What continues a failed download; nil if it cannot be continued, and for other errors.
    public var resumeData: ResumeData? { value as? ResumeData }
}
