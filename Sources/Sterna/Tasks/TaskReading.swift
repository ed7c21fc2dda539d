import NIOCore
import SternaCore

/// The task's part in reading its response: closures, events, progress and suspension.
struct TaskReading: Sendable {
    unowned let task: SessionTask

    /// Passes a response to the task's closure, and returns it with a body that pauses while the task is suspended.
    ///
    /// - Parameter stopsAtGate: whether the returned body pauses at the gate; false for a reader that checks the gate before each
    ///   piece.
    func admit(_ response: Response, stopsAtGate: Bool = true) async throws -> Response {
        try await task.gate.pass()
        task.received(response)
        let head = response
        var response = response
        if stopsAtGate { response.body = GatedBody.wrap(response.body, task.gate) }
        task.post(.responseReceived(response.withoutBody))
        let destination: DownloadDestination?
        do {
            destination = try await task.decider?.admit(response, of: task)
        } catch {
            response.body.cancel()
            throw error
        }
        if let destination { throw task.becomeDownload(head, to: destination) }
        return await watched(response)
    }

    /// Returns a response whose body passes each piece to the task's closure, and posts an event for it, before its reader receives
    /// it.
    func watched(_ response: Response) async -> Response {
        guard task.events != nil || task.decider?.takesData == true else { return response }
        var response = response
        if let stream = response.body.stream {
            // Weak: the task retains its response, and its work retains the task until the body has ended.
            response.body = ResponseBody(WatchedBody(stream) { [weak task] piece in await task?.deliver(piece) })
        } else if let whole = response.body.whole, whole.readableBytes > 0 {
            await task.deliver(whole)
        }
        return response
    }

    /// Posts whether a collected response was accepted; posts nothing if reading it failed.
    func validated(_ outcome: Result<Reply, any Error>) {
        switch outcome {
        case .success(let reply): task.post(.responseValidated(reply.response.withoutBody, nil))
        case .failure(let error):
            // Only serializers attach the body.
            guard let error = error as? SternaError, error.body != nil, let response = error.response else { return }
            task.post(.responseValidated(response.withoutBody, error))
        }
    }

    func report(_ progress: TransferProgress) {
        task.reports.received(progress)
        task.postWritten(progress)
        task.draft.settings.downloadProgress?(progress)
    }
}

extension SessionTask {
    /// Hands a piece of a body to the closure that takes it, and posts its length.
    func deliver(_ piece: Bytes) async {
        await decider?.deliver(piece, of: self)
        post(.dataReceived(bytes: piece.readableBytes))
    }

    /// Throws if the response serializer does not accept the response's head. The error of an unacceptable status has the part of
    /// the body that ``BodyPrefix`` reads.
    func judge(_ response: Response) async throws {
        let serializer = session.plan.serializer(for: draft)
        // A download would save an error page, so it ignores `acceptsAnyStatus`.
        let acceptsAny = !(self is DownloadTask) && session.plan.acceptsAnyStatus(draft)
        if !acceptsAny, !serializer.validation.accepts(status: response.status.code) {
            let body = await BodyPrefix.read(response.body, on: session.loopClock)
            guard !Task.isCancelled else { throw SternaError.cancelled(phase: .read) }
            var strict = draft
            strict.settings.acceptsAnyStatus = false
            do {
                _ = try session.plan.reply(response, body.bytes, to: strict)
            } catch {
                post(.responseValidated(response.withoutBody, error))
                throw error
            }
        }
        do {
            try serializer.judgeHead(response)
        } catch {
            response.body.cancel()
            post(.responseValidated(response.withoutBody, error))
            throw error
        }
        post(.responseValidated(response.withoutBody, nil))
    }

    /// Returns the request with this task as the receiver of its progress and its redirects.
    func reporting(_ request: Request, delivery: Request.Delivery = .head) -> Request {
        var request = request
        request.delivery = delivery
        if request.body != nil {
            let own = draft.settings.uploadProgress
            request.uploadProgress = { [reports, weak self] progress in
                reports.sent(progress)
                self?.postSent(progress)
                own?(progress)
            }
        }
        if let chain = ChainEvents(self) { request.state.course.events = chain }
        if let link = transferLink { request.state.course.link = link }
        return request
    }
}
