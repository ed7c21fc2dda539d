public import SternaCore
import SternaSerialization

/// Downloads to files.
extension Session {
    /// Makes a task that saves the response to a GET request to a file.
    ///
    /// The request accepts no content coding, so that the download can be resumed, unless `headers` has Accept-Encoding. A coding
    /// that the server uses anyway is decoded, unless the file's name says that it is the file's own, as in `a.tar.gz`. Any media
    /// type is accepted, unless `configure` sets a response serializer. The task starts at once, unless
    /// ``SessionSettings/Tasks/startsImmediately`` is false.
    ///
    /// - Parameters:
    ///   - reference: the URL, absolute or relative to the base URL.
    ///   - destination: the file, or a folder in which the server names the file.
    ///   - options: the expected digest, resuming, and the number of connections.
    ///   - headers: header fields, which replace the session's of the same name.
    ///   - configure: changes the settings of this request.
    ///   - progress: called with download progress, in bytes of the file, by the Swift tasks that write it. The sequence
    ///     ``SessionTask/progress`` has the same values.
    public func download(
        _ reference: some URLConvertible, to destination: DownloadDestination,
        options: DownloadOptions = DownloadOptions(),
        headers: Headers = [:], _ configure: (inout RequestSettings) -> Void = { _ in },
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) -> DownloadTask {
        var draft = RequestDraft(.get, reference, headers: headers)
        draft.settings.downloadProgress = progress
        return downloadTask(draft.configured(in: self, configure), to: destination, options: options)
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

    /// Makes a task that resumes an interrupted download.
    ///
    /// If the file has changed on the server, the download starts over. If neither the resume data nor `destination` names a
    /// destination, the task fails with `destinationUnusable`.
    ///
    /// - Parameters:
    ///   - data: the state of the interrupted download, from ``DownloadTask/resumeData`` or its error.
    ///   - destination: the destination; nil, the default, for that of the interrupted download.
    ///   - options: the expected digest, and the number of connections.
    ///   - headers: header fields, which replace the session's of the same name.
    ///   - configure: changes the settings of this request.
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

    /// Makes a task whose state a log stores. It is not started, since the log's owner does that.
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
            "The resume data has no destination, since the interrupted download would have chosen it at its end. Name one: "
                + "downloadTask(resuming: data, to: …).")
    }

    /// The session's unfinished downloads.
    public var downloadTasks: [DownloadTask] { tasks.compactMap { $0 as? DownloadTask } }

    private func ofDownload(_ draft: RequestDraft) -> RequestDraft {
        var draft = ofTask(draft)
        if draft.headers["Accept-Encoding"] == nil { draft.headers["Accept-Encoding"] = "identity" }
        // The data serializer accepts every media type.
        if draft.settings.ownResponseSerializer == nil { draft.settings.responseSerializer = Self.dataSerializer }
        return draft
    }

    private static let dataSerializer = DataResponseSerializer()
}
