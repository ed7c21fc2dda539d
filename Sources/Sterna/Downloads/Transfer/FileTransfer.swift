import HTTPTypes
import NIOCore
import SternaCore

/// Runs a download: sends requests until the file is complete, and moves it to its destination.
struct FileTransfer {
    private let task: DownloadTask
    private var request: Request
    private var partial: PartialDownload?

    /// The known state of the file, and the received bytes.
    private var known = ResumeRule.Known()
    private var resumedAt: Int64 = 0 { didSet { task.resumedAt = resumedAt } }

    /// Whether the received bytes were discarded once.
    private var hasRestarted = false

    /// Whether several connections were used, and whether that failed, so that one is used from now on.
    private var (hasShared, isUnshared) = (false, false)

    private var shortResponses = ShortResponseLimiter()
    private var retries: BodyRetries

    /// The pause before the next request.
    private var pause = Duration.zero

    /// Whether the file has bytes of several responses.
    private var isJoined = false

    /// When the sidecar was last written.
    private var savedAt = NIODeadline.uptimeNanoseconds(0)

    private var digests: DownloadDigests
    private var session: Session { task.session }
    private var clock: NetworkClock { session.plan.settings.network.engine.clock }

    init(_ task: DownloadTask, _ request: Request) {
        self.task = task
        self.request = request
        retries = BodyRetries(
            request.options[RetryPolicyKey.self], since: task.session.plan.settings.network.engine.clock.now)
        digests = DownloadDigests()
    }

    /// Runs the transfer, and returns the file.
    mutating func run() async throws -> DownloadedFile {
        digests.caller = try task.options.sha256.map { text throws(SternaError) in try ExpectedDigest(sha256: text) }
        let destination = task.destination
        let plan = try await BlockingWork.run {
            let plan = try DestinationPlan(destination)
            try plan.makePartialFolder()
            return plan
        }
        request.state.choices.savedName =
            plan.knownPath.map { SavedFileName.given($0) } ?? .suggested(orElse: nil)
        try await findEarlier(plan)
        do {
            if !task.takesResponse { request.recorder?.requestBegan(request) }
            let response = try await transfer(plan)
            return try await finish(response, plan)
        } catch {
            await interrupted()
            throw error
        }
    }

    // MARK: An earlier download

    private mutating func findEarlier(_ plan: DestinationPlan) async throws {
        let (given, url, path, log) = (task.resumed, request.url, plan.knownPath, task.log)
        guard given != nil || task.options.continuesEarlier else { return }
        let found = try await BlockingWork.run {
            try PartialDownload.findEarlier(given, url: url, destination: path, plan, log: log)
        }
        guard let (partial, data) = found else { return }
        self.partial = partial
        known = data.known
        // For a complete file, its last byte is requested, so that the server confirms it.
        if let length = known.length, known.present.total == length { known.present.truncate(to: length - 1) }
        resumedAt = known.present.total
        guard resumedAt > 0 else { return }
        isJoined = true
        task.post(.downloadResumed(offset: resumedAt, length: known.length))
    }

    // MARK: Requests

    /// Sends requests until the file is complete; returns the last response.
    private mutating func transfer(_ plan: DestinationPlan) async throws -> Response {
        while true {
            if pause > .zero { try await session.loopClock.wait(pause) }
            pause = .zero
            try await task.gate.pass()
            let (attempt, requested) = next()
            // A request without a head yet can be sent again without loss.
            let releases = task.gate.releases
            task.gate.isReleasable = !task.takesResponse
            var response: Response
            do {
                response = try await task.response(to: attempt)
            } catch  where task.gate.releases != releases {
                continue
            }
            task.gate.isReleasable = false
            // The task's value keeps only the head.
            defer { response.body.cancel() }
            var head = response
            head.body = ResponseBody()
            switch ResumeRule.decision(
                status: response.status.code, fields: response.section, isDecoded: response.isDecoded,
                requested: requested, known: known)
            {
            case .refuse(let error): throw error.answered(by: head).at(attempt)
            case .requestWhole:
                try restart(attempt)
                continue
            case .complete(let length):
                known.length = length
                return head
            case .deliver:
                try await task.judge(response)
                try await begin(response, plan, length: response.body.length, nil)
            case .startOver(let length, let validator):
                try await task.judge(response)
                try await begin(response, plan, length: length, validator)
            case .append(let range, let length):
                try await task.judge(response)
                known.length = length
                isJoined = true
                digests.expect(response)
                if try await receiveAgain(response, range, isWhole: false, releases) { return head }
                continue
            }
            response.body = response.body.readableOnce
            if try await receiveAgain(response, 0..<(known.length ?? .max), isWhole: true, releases) { return head }
        }
    }

    private func next() -> (Request, ResumeRule.RequestedRange?) {
        var attempt = request
        guard case .range(let range) = ResumeRule.next(known), let validator = known.validator else {
            return (attempt, nil)
        }
        for field in ResumeRule.fields(range, validator) { attempt.headers[field.name] = field.value }
        return (attempt, range)
    }

    /// Discards the received bytes; throws if that was done before.
    private mutating func restart(_ attempt: Request) throws(SternaError) {
        guard !hasRestarted else {
            throw SternaError(
                .malformedResponse, phase: .read,
                "The file changed twice on the server during the download. Try again later."
            ).advised(.inDetail).at(attempt)
        }
        hasRestarted = true
        known = ResumeRule.Known()
        resumedAt = 0
    }

    /// Starts the file over with a response that has all of it.
    private mutating func begin(
        _ response: Response, _ plan: DestinationPlan, length: Int64?, _ validator: EntityValidator?
    ) async throws {
        isUnshared = hasShared
        known = ResumeRule.Known(validator: validator, length: length)
        resumedAt = 0
        isJoined = false
        digests.begin(response)
        let path = plan.path(forHeadOf: response)
        let (partial, log) = (partial, task.log)
        let url = request.url
        self.partial = try await BlockingWork.run {
            if let path { try plan.checkFree(path) }
            let opened: PartialDownload
            if let partial { opened = partial } else { opened = try PartialDownload(plan, destination: path, log: log) }
            try opened.startOver()
            try log?.opened(opened.file.path)
            if let log, let validator {
                try log.began(opened.data(url: url, validator, ResumeRule.Known(validator: validator, length: length)))
            }
            return opened
        }
        try await save()
    }

    // MARK: Bodies

    /// Like ``receive(_:_:isWhole:_:)``, but also returns false for a body that broke off and will be requested again.
    private mutating func receiveAgain(
        _ response: Response, _ range: Range<Int64>, isWhole: Bool, _ releases: Int
    ) async throws -> Bool {
        do {
            return try await receive(response, range, isWhole: isWhole, releases)
        } catch let error as SternaError {
            guard task.options.retriesBodies,
                let retry = retries.next(request, after: error, earlier: response.retries, at: clock.now)
            else { throw error }
            retries.apply(to: &request, at: clock.now)
            pause = retry.delay
            try await save()
            return false
        }
    }

    /// Writes a response to the partial file, and further parts over other connections if that is worthwhile.
    ///
    /// - Parameter releases: how often the task had closed its connections when it sent the request.
    /// - Returns: whether the file is complete; false if the suspended download closed its connections, or the server sent less
    ///   than requested.
    private mutating func receive(
        _ response: Response, _ range: Range<Int64>, isWhole: Bool, _ releases: Int
    ) async throws -> Bool {
        guard let partial else { return false }
        task.gate.isReleasable = known.validator != nil
        defer { task.gate.isReleasable = false }
        let before = known.present.total
        let most = connections(response)
        if most > 1 { (hasShared, isJoined) = (true, true) }
        let coordinator = SegmentCoordinator(
            task, url: request.url, partial, known, digests, first: range, isWhole: isWhole, most: most,
            savedAt: savedAt)
        let worker = SegmentWorker(
            task: task, request: request, file: partial.file, coordinator: coordinator,
            canPark: known.validator != nil, releases: releases, end: most == 1 ? known.length : nil)
        guard let first = await coordinator.first else { return false }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await worker.run((first, response)) }
            for _ in 1..<most { group.addTask { await worker.run() } }
            // Cancel requests that are no longer needed.
            while await group.next() != nil {
                if await coordinator.isOver { group.cancelAll() }
            }
        }
        known = await coordinator.known
        digests = await coordinator.digests
        savedAt = await coordinator.savedAt
        if let error = await coordinator.failure {
            // Some bytes are wrong, but it is unknown which.
            if (error as? SternaError)?.kind == .digestMismatch { known = ResumeRule.Known() }
            throw error
        }
        guard await !coordinator.isParked else {
            try await save()
            return false
        }
        let count = known.present.total
        if let length = known.length, count >= length { return true }
        switch shortResponses.ended(bringing: count - before) {
        case .end(let detail): throw SternaError(.truncated, phase: .read, detail).at(request)
        case .next(let pause): self.pause = pause
        }
        return false
    }

    /// Returns the maximum number of connections for the file.
    private func connections(_ response: Response) -> Int {
        guard !isUnshared, request.method == .get else { return 1 }
        return task.options.segmentRules.connections(
            task.options.maxSegments, status: response.status.code, fields: response.section, known)
    }

    // MARK: The end

    private mutating func finish(_ response: Response, _ plan: DestinationPlan) async throws -> DownloadedFile {
        if partial == nil { try await begin(response, plan, length: 0, nil) }
        guard let partial else { throw SternaError(.truncated, phase: .read, "The server sent no part of the file.") }
        // A killed process may have left bytes after the end.
        if let length = known.length { try await BlockingWork.run { try partial.file.truncate(to: length) } }
        if let error = try await digests.fileVerdict(partial.file) {
            known = ResumeRule.Known()
            throw error.joined(isJoined)
        }
        let hasName = try await BlockingWork.run {
            try partial.file.sync()
            return partial.file.hasName
        }
        guard hasName else {
            known = ResumeRule.Known()
            throw DestinationFault.vanished(temporaryFile: partial.file.path).error(phase: .read)
        }
        let path = try await plan.path(for: response, temporary: partial.file.path)
        task.post(.destinationChosen(path))
        let (final, length) = try await task.reportingMove(to: path) {
            let length = partial.file.length
            try partial.noteMove(to: path)
            let final = try plan.place(partial.file.path, at: path)
            partial.removeSidecar()
            return (final, length)
        }
        return DownloadedFile(
            path: final, response: response, length: length, resumedAt: resumedAt, plan: session.plan)
    }

    /// Returns the data that resumes the download; nil without a validator, or without bytes.
    private func resumeData() -> ResumeData? {
        guard let partial, let validator = known.validator, !known.present.isEmpty else { return nil }
        return partial.data(url: request.url, validator, known)
    }

    /// Syncs the received bytes, and writes the sidecar.
    private mutating func save() async throws {
        savedAt = clock.now
        guard let partial, let data = resumeData() else { return }
        try await BlockingWork.run {
            try partial.file.sync()
            try partial.write(data)
        }
    }

    /// Keeps a partial file from which the download can resume, and deletes any other.
    private mutating func interrupted() async {
        guard let partial else { return }
        let hasName = (try? await BlockingWork.run { partial.file.hasName }) ?? false
        guard !task.discardsPartialFile, hasName, let data = resumeData() else {
            _ = try? await BlockingWork.run { partial.remove() }
            return
        }
        task.keep(data)
        try? await save()
        // The next download may start before this value is released.
        partial.file.unlock()
    }
}
