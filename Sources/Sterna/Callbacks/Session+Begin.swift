import SternaCore
import SternaSerialization

extension Session {
    /// Builds the request of a draft and runs it in a new task of the kind that the caller returns; calls one of the callbacks at
    /// the end.
    ///
    /// - Parameter settings: the request's settings; called only if `makeDraft` throws.
    func begin<S: ResponseSerializer, Kind: DataTask>(
        _ makeDraft: @autoclosure () throws -> RequestDraft,
        of settings: @autoclosure () -> RequestSettings = RequestSettings(),
        as serializer: S, _ progress: ProgressCallback?, _ success: @escaping Success<S.Value>,
        _ failure: @escaping Failure
    ) -> Kind? {
        let callbackQueue = UserCallbackQueue(plan.settings.callbacks)
        let draft: RequestDraft
        do {
            draft = try taskDraft(makeDraft(), serializer)
        } catch {
            refuse(settings(), error, callbackQueue, failure)
            return nil
        }
        let request: Request
        do {
            request = try plan.request(for: draft)
        } catch {
            refuse(draft.settings, error, callbackQueue, failure)
            return nil
        }
        let task = Kind(
            self, draft, .success(request), callbackQueue: callbackQueue,
            completion: ending(serializer, success, failure))
        if let progress {
            task.enroll { [weak task] report in
                if let task { progress(task, report) }
            }
        } else {
            task.enroll()
        }
        return task
    }

    /// Calls `failure` for a request that cannot be built, as a member of the request's completion group.
    private func refuse(
        _ settings: RequestSettings, _ error: any Error, _ callbackQueue: UserCallbackQueue,
        _ failure: @escaping Failure
    ) {
        let error = SternaError.wrap(error, as: .invalidRequest, phase: .prepare, "\(error)")
        let group = GroupMembership(settings, of: plan.settings)
        callbackQueue.end {
            failure(nil, error)
            group?.leave()
        }
    }

    /// Returns the settings that a request's closure sets.
    func ownSettings(_ configure: (inout RequestSettings) -> Void) -> RequestSettings {
        var settings = RequestSettings()
        settings.change(in: plan, configure)
        return settings
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
