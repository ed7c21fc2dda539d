public import SternaCore
import Synchronization

extension SessionTask {
    /// Passes a response to a new download, and returns the error that this task completes with.
    func becomeDownload(_ response: Response, to destination: DownloadDestination) -> SternaError {
        var options = DownloadOptions()
        // An earlier partial file is of no use, since this response has the whole file.
        options.continuesEarlier = false
        let download = DownloadTask(session, draft, prepared, to: destination, options: options, taking: response)
        let isSuspended = handOver()
        download.enroll(startsAtOnce: false)
        post(.becameDownload(download.id))
        if !isSuspended { download.resume() }
        var error = SternaError(
            .cancelled, phase: .read,
            "The closure responseReceived turned the response into a download, which has a task of its own.")
        error.value = download
        return error
    }
}

extension DownloadTask {
    /// Returns the response that another task passed on, once. After that, sends a request and lets the task's closure judge its
    /// response.
    func response(to attempt: Request) async throws -> Response {
        let reading = TaskReading(task: self)
        guard let first = taken.withLock({ $0.take() }) else {
            return try await reading.admit(session.plan.send(attempt), stopsAtGate: false)
        }
        received(first)
        return await reading.watched(first)
    }
}

extension SternaError {
    /// The download that continues this cancelled task, after ``ResponseDisposition/becomeDownload(to:)``; nil for other errors.
    public var downloadTask: DownloadTask? { value as? DownloadTask }
}
