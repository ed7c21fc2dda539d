import NIOCore
import SternaCore

/// How a task takes part in the reading of its response.
struct TaskReading: Sendable {
    unowned let task: SessionTask

    /// Asks the hooks about a response, and returns it with a body that stops while the task is suspended.
    ///
    /// - Parameter stopsAtGate: whether the body stops by itself; a reader that looks at the gate before each piece needs no such body.
    func admit(_ response: Response, stopsAtGate: Bool = true) async throws -> Response {
        try await task.gate.pass()
        task.received(response)
        let head = response
        var response = response
        if stopsAtGate { response.body = GatedBody.wrap(response.body, task.gate) }
        guard let events = task.events else { return response }
        let destination: DownloadDestination?
        do {
            destination = try await events.admit(response, of: task)
        } catch {
            response.body.cancel()
            throw error
        }
        if let destination { throw await task.becomeDownload(head, to: destination) }
        return await watched(response)
    }

    /// Returns a response whose pieces the hook and the observers see first.
    func watched(_ response: Response) async -> Response {
        guard let events = task.events, events.receivesData else { return response }
        var response = response
        if let stream = response.body.stream {
            response.body = ResponseBody(
                WatchedBody(stream) { [task] piece in await events.deliver(piece, of: task) })
        } else if let whole = response.body.whole, whole.readableBytes > 0 {
            await events.deliver(whole, of: task)
        }
        return response
    }

    /// Reports the verdict on a collected response, if the outcome of its reading is one.
    func validated(_ outcome: Result<Reply, any Error>) {
        switch outcome {
        case .success(let reply): task.post(.responseValidated(reply.response, nil))
        case .failure(let error):
            // Only serializers attach the body.
            guard let error = error as? SternaError, error.body != nil, let response = error.response else { return }
            task.post(.responseValidated(response, error))
        }
    }

    func report(_ progress: TransferProgress) {
        task.reports.received(progress)
        task.draft.settings.downloadProgress?(progress)
    }
}

extension SessionTask {
    /// Rejects a status that the response serializer does not accept, with the part of the error's body that ``AnswerBody`` reads.
    ///
    /// - Parameter isStream: whether what was given to `validating` judges the head, too.
    func judge(_ response: Response, isStream: Bool = false) async throws {
        let serializer = draft.settings.responseSerializer ?? session.plan.settings.responseSerializer
        if !serializer.validation.accepts(status: response.status.code) {
            let body = await AnswerBody.read(response.body, on: session.loopClock)
            guard !Task.isCancelled else { throw SternaError.cancelled(phase: .read) }
            do {
                _ = try session.plan.reply(response, body.bytes, to: draft)
            } catch {
                post(.responseValidated(response, error))
                throw error
            }
        }
        do {
            if isStream { try serializer.judgeHead(response) }
        } catch {
            response.body.cancel()
            post(.responseValidated(response, error))
            throw error
        }
        post(.responseValidated(response, nil))
    }

    /// Returns the request with this task as the receiver of its progress and its redirects.
    func reporting(_ request: Request, delivery: Request.Delivery = .head) -> Request {
        var request = request
        request.delivery = delivery
        if request.body != nil {
            let own = draft.settings.uploadProgress
            request.uploadProgress = { [reports] progress in
                reports.sent(progress)
                own?(progress)
            }
        }
        if let chain = ChainEvents(self) { request.state.events = chain }
        if let link = transferLink { request.state.link = link }
        return request
    }
}
