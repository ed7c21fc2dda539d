import SternaCore
import SternaSerialization

extension Session {
    /// Builds the request of a draft and runs it in a new task of the kind that the caller returns; calls one of the callbacks at
    /// the end.
    func begin<S: ResponseSerializer, Kind: DataTask>(
        _ makeDraft: @autoclosure () throws -> RequestDraft, as serializer: S, _ progress: ProgressCallback?,
        _ success: @escaping Success<S.Value>, _ failure: @escaping Failure
    ) -> Kind? {
        let callbackQueue = UserCallbackQueue(plan.settings.callbacks)
        do {
            let draft = try taskDraft(makeDraft(), serializer)
            let task = Kind(
                self, draft, .success(try plan.request(for: draft)), callbackQueue: callbackQueue,
                completion: ending(serializer, success, failure))
            if let progress {
                task.enroll { [weak task] report in
                    if let task { progress(task, report) }
                }
            } else {
                task.enroll()
            }
            return task
        } catch {
            let error = SternaError.wrap(error, as: .invalidRequest, phase: .prepare, "\(error)")
            let group = GroupMembership(RequestSettings(), of: plan.settings)
            callbackQueue.end {
                failure(nil, error)
                group?.leave()
            }
            return nil
        }
    }

    private func taskDraft(_ draft: RequestDraft, _ serializer: some ResponseSerializer) -> RequestDraft {
        var draft = draft
        draft.isOfTask = true
        if !(serializer is JSONTree) { draft.settings.responseSerializer = serializer }
        return draft
    }

    private func ending<S: ResponseSerializer>(
        _ serializer: S, _ success: @escaping Success<S.Value>, _ failure: @escaping Failure
    ) -> @Sendable (DataTask, Result<Reply, SternaError>) -> DataTask.Ending {
        { task, result in
            do {
                let reply = try result.get()
                let value: S.Value
                do {
                    value = try reply.value(as: serializer)
                } catch {
                    let known = SternaError.wrap(error, as: .decodingFailed, phase: .decode, "\(error)")
                    task.post(.valueParsed(.failure(known)))
                    throw known
                }
                task.post(.valueParsed(.success(value)))
                return DataTask.Ending(value: value) { success(task, value) }
            } catch {
                let known =
                    task.originalRequest.map { task.session.plan.describe(error, $0) }
                    ?? SternaError.wrap(error, as: .invalidRequest, phase: .prepare, "\(error)")
                return DataTask.Ending(error: known) { failure(task, known) }
            }
        }
    }
}
