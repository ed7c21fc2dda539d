public import SternaCore
import SternaSerialization

/// Requests that are ready: they are sent as they are, rather than built from a draft.
///
///     var request = Request(.put, try HTTPURL("https://api.example.com/notes/7"), body: .text("Eggs"))
///     request.headers[.ifMatch] = tag
///     let reply = try await api.dataTask(request).value
///
/// The session's base URL, header fields, ``SessionSettings/Auth/header``, request serializer and time-outs are not applied.
/// Content-Type and Content-Encoding are added if the request's body has them and its fields do not. The session's interceptors,
/// redirects, limits and credentials for challenges apply, as do its policies' options, unless the request has its own. The
/// response is judged by the session's response serializer. Each task begins a new call, even if the request was part of another.
extension Session {
    /// Makes a task that sends a ready request and collects the response in memory.
    public func dataTask(_ request: Request) -> DataTask {
        let draft = ready(request)
        let task = DataTask(self, draft, prepared(ready: request), callbackQueue: nil)
        task.enroll()
        return task
    }

    /// Makes a task that sends a ready request with a body and collects the response in memory.
    public func uploadTask(_ request: Request) -> UploadTask {
        let draft = ready(request)
        let task = UploadTask(self, draft, prepared(ready: request), callbackQueue: nil)
        task.enroll()
        return task
    }

    /// Makes a task that sends a ready request, and whose response is read while it arrives.
    public func streamTask(_ request: Request) -> DataStreamTask {
        let draft = ready(request)
        let task = DataStreamTask(self, draft, prepared(ready: request), callbackQueue: nil)
        task.enroll()
        return task
    }

    /// Makes a task that saves the response to a ready request to a file. The session's response serializer decides on the status,
    /// and on the media type only if the serializer makes bytes or text, or `validating` has set its media types.
    ///
    /// To continue an interrupted download the task sets Range, If-Range and `Accept-Encoding: identity`; no other field.
    public func downloadTask(
        _ request: Request, to destination: DownloadDestination, options: DownloadOptions = DownloadOptions()
    ) -> DownloadTask {
        let draft = ready(request)
        let task = DownloadTask(self, draft, prepared(ready: request), to: destination, options: options)
        task.enroll()
        return task
    }

    /// Sends a ready request and collects the response; throws if the response serializer does not accept it.
    ///
    /// A request that was built of a draft with a ``RequestSettings/Tasks/completionGroup`` fails with `invalidRequest`, since no
    /// task enters the group.
    @discardableResult
    nonisolated(nonsending) public func send(_ request: Request) async throws -> Reply {
        if request.carried != nil { try plan.refuseCompletionGroup(ready: request) }
        return try await plan.send(try plan.request(ready: request, isOfTask: false), ready(request), nil)
    }

    private func prepared(ready request: Request) -> Result<Request, SternaError> {
        do throws(SternaError) {
            return .success(try plan.request(ready: request, isOfTask: true))
        } catch {
            return .failure(error)
        }
    }

    /// Returns the draft that tasks consult for the settings of a ready request.
    private func ready(_ request: Request) -> RequestDraft {
        var draft = RequestDraft(request.method, request.url)
        draft.settings.options = request.options
        draft.settings.carried = request.carried
        draft.settings.priority = request.priority
        draft.settings.uploadProgress = request.uploadProgress
        return ofTask(draft)
    }
}
