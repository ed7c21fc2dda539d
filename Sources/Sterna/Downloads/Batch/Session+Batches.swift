public import SternaCore

/// Downloads of several files.
extension Session {
    /// Makes a batch that saves several files to a folder, some of them at the same time.
    ///
    /// Files are named as by ``DownloadDestination/folder(_:existing:)``; files of the same name get numbers. The batch starts at
    /// once, unless ``SessionSettings/Tasks/startsImmediately`` is false; then ``DownloadBatch/resume()`` starts it.
    ///
    /// - Parameters:
    ///   - references: the URLs, absolute or relative to the base URL.
    ///   - folder: the path or file URL of the folder.
    ///   - concurrency: the maximum number of downloads at the same time, at least 1; 4 by default.
    ///   - options: the options of each download.
    ///   - headers: header fields of each request, which replace the session's of the same name.
    ///   - configure: changes the settings of each request.
    public func download(
        _ references: [some URLConvertible], into folder: some FileReference, concurrency: Int = 4,
        options: DownloadOptions = DownloadOptions(), headers: Headers = [:],
        _ configure: (inout RequestSettings) -> Void = { _ in }
    ) -> DownloadBatch {
        let drafts = references.map { reference in
            (
                draft: RequestDraft(.get, reference, headers: headers).configured(in: self, configure),
                to: DownloadDestination.folder(folder)
            )
        }
        return downloadBatch(drafts, concurrency: concurrency, options: options)
    }

    /// Makes a batch of downloads with their own destinations.
    package func downloadBatch(
        _ files: [(draft: RequestDraft, to: DownloadDestination)], concurrency: Int = 4,
        options: DownloadOptions = DownloadOptions()
    ) -> DownloadBatch {
        // The tasks are not started, since the batch does that.
        let waiting = with { $0.tasks.startsImmediately = false }
        let tasks = files.map { waiting.downloadTask($0.draft, to: $0.to, options: options) }
        let batch = DownloadBatch(tasks, concurrency: concurrency)
        if plan.settings.tasks.startsImmediately { batch.resume() }
        return batch
    }
}
