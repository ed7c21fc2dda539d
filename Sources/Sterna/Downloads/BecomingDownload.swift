public import SternaCore
import Synchronization

extension SessionTask {
    /// Hands a response to a new download, and returns the error that this task completes with.
    func becomeDownload(_ response: Response, to destination: DownloadDestination) -> SternaError {
        var options = DownloadOptions()
        // What another request left is of no use: this response has the whole file.
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
    /// Returns the response that another task has handed over; once. Otherwise sends a request, and asks the task's closure about its response.
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
    /// The download that the response of a cancelled task has become, by ``ResponseDisposition/becomeDownload(to:)``; nil for other
    /// errors.
    public var downloadTask: DownloadTask? { value as? DownloadTask }
}
