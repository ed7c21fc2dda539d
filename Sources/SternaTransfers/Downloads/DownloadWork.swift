import Sterna
import SternaCore
import SternaPlatform

/// A download into a file.
struct DownloadWork: TransferWork {
    private let context: AttemptContext
    private var details: TransferDescription { context.details }

    init(_ context: AttemptContext) { self.context = context }

    func attempt(
        began: @Sendable (Int64) async throws -> Void, progress: @escaping @Sendable (TransferProgress) -> Void,
        waits: @escaping @Sendable (TransferFailure) -> Void
    ) async throws -> TransferEvent {
        let history = context.journal.history
        if let file = history.placing, file.isThere { return .finished(path: file.path, length: file.length) }
        let data = try await BlockingWork.run { JournaledDownload.resumeData(history) }
        try await began(data?.receivedBytes ?? 0)
        let file = try await download(data, progress)
        return .finished(path: file.path, length: file.length)
    }

    private func download(
        _ data: ResumeData?, _ progress: @escaping @Sendable (TransferProgress) -> Void
    ) async throws -> DownloadedFile {
        var options = DownloadOptions()
        // The journal decides which bytes are valid.
        options.continuesEarlier = false
        options.sha256 = details.options.sha256
        options.maxSegments = details.options.maxSegments
        var draft = RequestDraft(.get, details.url, headers: try await context.headers())
        draft.settings.options[SentSecretsKey.self] = context.sentSecrets
        let existing: ExistingFile? = details.options.replacesFile ? .replace : nil
        let destination: DownloadDestination =
            details.isFolder
            ? .folder(details.path, existing: existing ?? .addNumber)
            : .file(details.path, existing: existing ?? .fail)
        let task = context.session.downloadTask(
            draft, to: destination, options: options, resuming: data,
            log: JournaledDownload(context.journal, of: details.id))
        let watch = Task {
            for await step in task.progress { progress(step) }
        }
        defer { watch.cancel() }
        task.resume()
        do {
            return try await task.value
        } catch {
            // Only the Swift task was cancelled: the download closes its connection and keeps the received bytes.
            if Task.isCancelled { await task.cancelProducingResumeData() }
            guard let known = error as? SternaError else { throw error }
            throw DownloadRule.judged(known, context.journal.history.attempts)
        }
    }

    func giveUp() async {}

    func abandon() async throws {
        if let path = context.journal.history.partialPath { try await BlockingWork.run { PartialFiles.remove(path) } }
    }
}

/// Deletes partial files, and nothing else, whatever a journal says.
enum PartialFiles {
    static func remove(_ path: String) {
        guard path.utf8.reversed().starts(with: ".sterna-part".utf8.reversed()),
            let status = FileStatus(linkAt: path), status.isRegular, status.owner == geteuid()
        else { return }
        unlink(path)
    }
}
