import SternaCore
import SternaSerialization

extension Session {
    /// Builds the request of a draft and runs it in a new task; calls one of the callbacks at the end.
    func begin<S: ResponseSerializer>(
        _ makeDraft: @autoclosure () throws -> RequestDraft, as serializer: S, _ progress: ProgressCallback?,
        _ success: @escaping Success<S.Value>, _ failure: @escaping Failure
    ) -> RequestTask? {
        let line = CallbackLine(plan.settings.callbacks)
        let draft: RequestDraft
        let request: Request
        do {
            var made = try makeDraft()
            if !(serializer is JSONTree) { made.settings.responseSerializer = serializer }
            draft = made
            request = try plan.request(for: draft)
        } catch {
            let error = SternaError.wrap(error, as: .invalidRequest, phase: .prepare, "\(error)")
            line.end { failure(nil, error) }
            return nil
        }
        let task = RequestTask(request, line: line, progress: progress)
        task.start {
            do {
                let reply = try await send(
                    request.reporting(to: task, draft.settings), draft, reportsDownload(task, draft))
                let value = try reply.value(as: serializer)
                task.finish { success(task, value) }
            } catch {
                let error = plan.describe(error, request)
                task.finish { failure(task, error) }
            }
        }
        return task
    }

    private func reportsDownload(
        _ task: RequestTask, _ draft: RequestDraft
    ) -> @Sendable (TransferProgress) -> Void {
        { progress in
            task.report { $0.download = progress }
            draft.settings.downloadProgress?(progress)
        }
    }
}

extension Request {
    fileprivate func reporting(to task: RequestTask, _ settings: RequestSettings) -> Request {
        var request = self
        guard body != nil else { return request }
        request.uploadProgress = { progress in
            task.report { $0.upload = progress }
            settings.uploadProgress?(progress)
        }
        return request
    }
}
