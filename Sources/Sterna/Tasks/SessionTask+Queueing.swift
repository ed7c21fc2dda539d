import SternaCore

/// Operations on tasks that a queue of transfers needs.
extension SessionTask {
    /// The session that made the task.
    package var ownSession: Session { session }

    /// The number of bytes that an earlier attempt has saved, and that are not transferred again.
    package var resumedBytes: Int64 { (self as? DownloadTask)?.resumedAt ?? 0 }

    /// Returns a task that has not begun and does the same as this one. Nil if the request could not be built, if its body can be
    /// read only once, for a stream, and for a task with callbacks, which have been called.
    package func again() -> SessionTask? {
        guard let request = originalRequest, request.body?.isReplayable != false else { return nil }
        let prepared: Result<Request, SternaError>
        do throws(SternaError) {
            prepared = .success(try session.plan.request(ready: request, isOfTask: true))
        } catch {
            prepared = .failure(error)
        }
        guard let copy = copy(prepared) else { return nil }
        copy.tag = tag
        copy.userInfo = userInfo
        copy.taskDescription = taskDescription
        copy.enroll(startsAtOnce: false)
        return copy
    }

    /// Calls a closure when the task is complete, at once if it is; returns false for a stream, which completes only when it is
    /// read.
    package func whenComplete(_ call: @escaping @Sendable () -> Void) -> Bool {
        switch self {
        case let task as DownloadTask: task.outcome.whenSet(call)
        case let task as DataTask: task.outcome.whenSet(call)
        default: return false
        }
        return true
    }

    /// Requests the length of the content that the task would receive, in bytes, by a HEAD request with its header fields. Nil if
    /// the task's method is not GET, if the request fails or its status is not 200, or if the server does not state the length.
    package func contentLength() async -> Int64? {
        guard let original = originalRequest, original.method == .get else { return nil }
        var request = Request(.head, original.url, headers: original.headers)
        request.timeouts = original.timeouts
        request.options = original.options
        request.carried = original.carried
        request.state.course.link = nil
        // The task enters the group. This request has no task, and would be refused.
        request.state.choices.completionGroup = nil
        guard let reply = try? await session.send(request), reply.status == 200,
            let text = reply.headers["Content-Length"], let length = Int64(text), length >= 0
        else { return nil }
        return length
    }
}
