public import SternaCore
import SternaSerialization

/// Downloads to files.
extension Session {
    /// Makes a task that saves the response to a GET request to a file.
    ///
    /// - Parameters:
    ///   - reference: the URL, relative to the base URL or absolute.
    ///   - destination: the file, or the folder, in which case the name is the server's.
    ///   - options: the expected digest, and what happens to an earlier download.
    ///   - headers: header fields, which replace the session's.
    ///   - configure: changes the settings of this request.
    ///
    /// No content coding is accepted unless `headers` has Accept-Encoding, so that the download can be continued. What the server encodes
    /// nevertheless is decoded, unless the coding is the file's own by its name, as in `a.tar.gz`.
    public func download(
        _ reference: some URLConvertible, to destination: DownloadDestination,
        options: DownloadOptions = DownloadOptions(),
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DownloadTask {
        downloadTask(
            RequestDraft(.get, reference, headers: headers).configured(in: self, configure), to: destination,
            options: options)
    }

    /// Makes a task that saves the response to a draft's request to a file.
    public func downloadTask(
        _ draft: RequestDraft, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
    ) -> DownloadTask {
        let draft = ofDownload(draft)
        let task = DownloadTask(self, draft, prepared(draft), to: destination, options: options)
        task.enroll()
        return task
    }

    /// Makes a task that continues an interrupted download.
    ///
    /// - Parameters:
    ///   - data: what the interrupted download left, from ``DownloadTask/resumeData`` or the error.
    ///   - destination: nil for the destination of the interrupted download.
    ///   - configure: changes the settings of this request.
    ///
    /// If the server has another file by now, the download begins anew. Resume data without a destination, and none here, make a task
    /// that fails.
    public func downloadTask(
        resuming data: ResumeData, to destination: DownloadDestination? = nil,
        options: DownloadOptions = DownloadOptions(), headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DownloadTask {
        let draft = ofDownload(RequestDraft(.get, data.url, headers: headers).configured(in: self, configure))
        let known = destination ?? data.destinationPath.map { .file($0) }
        let request = known == nil ? .failure(Self.noDestination) : prepared(draft)
        let task = DownloadTask(self, draft, request, to: known ?? .file(""), options: options, resuming: data)
        task.enroll()
        return task
    }

    /// Makes a task whose state a log keeps. It does not start by itself, since the log is the caller's.
    package func downloadTask(
        _ draft: RequestDraft, to destination: DownloadDestination, options: DownloadOptions,
        resuming data: ResumeData?, log: any DownloadLog
    ) -> DownloadTask {
        let draft = ofDownload(draft)
        let task = DownloadTask(
            self, draft, prepared(draft), to: destination, options: options, resuming: data, log: log)
        task.enroll(startsAtOnce: false)
        return task
    }

    private static var noDestination: SternaError {
        SternaError(
            .destinationUnusable, phase: .prepare,
            "The resume data has no destination, as that of the interrupted download was to be chosen at its end. Give it one: "
                + "downloadTask(resuming: data, to: …).")
    }

    /// The unfinished downloads.
    public var downloadTasks: [DownloadTask] { tasks.compactMap { $0 as? DownloadTask } }

    private func ofDownload(_ draft: RequestDraft) -> RequestDraft {
        var draft = ofTask(draft)
        if draft.headers["Accept-Encoding"] == nil { draft.headers["Accept-Encoding"] = "identity" }
        // The data serializer accepts any media type.
        if draft.settings.ownResponseSerializer == nil { draft.settings.responseSerializer = Self.dataSerializer }
        return draft
    }

    private static let dataSerializer = DataResponseSerializer()
}
