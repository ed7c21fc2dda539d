import HTTPTypes
import NIOCore
import SternaCore

/// The transfer of a download: requests, for the whole file or its rest, until the file is complete and at its destination.
struct FileTransfer {
    private let task: DownloadTask
    private let request: Request
    private var place: PartialPlace?

    /// What is known of the file, and the bytes that are there.
    private var known = ResumeRule.Known()
    private var resumedAt: Int64 = 0 { didSet { task.resumedAt = resumedAt } }

    /// Whether the bytes that were there were discarded once.
    private var hasRestarted = false

    /// The number of parts that ended before what was requested.
    private var shortParts = 0

    /// When the sidecar was last written.
    private var savedAt = NIODeadline.uptimeNanoseconds(0)

    /// The time between two writes of the sidecar, which bounds what a killed process has to fetch again.
    private static let saveInterval = TimeAmount.seconds(5)

    /// The maximum number of parts that a server may cut short.
    private static let shortPartLimit = 100
    private var digests: DownloadDigests
    private var session: Session { task.session }
    private var clock: NetworkClock { session.plan.settings.engine.clock }

    init(_ task: DownloadTask, _ request: Request) {
        self.task = task
        self.request = request
        digests = DownloadDigests()
    }

    /// Runs the transfer, and returns the file.
    mutating func run() async throws -> DownloadedFile {
        digests.caller = try task.options.sha256.map { text throws(SternaError) in try ExpectedDigest(sha256: text) }
        let destination = task.destination
        let plan = try await FileWork.run {
            let plan = try DestinationPlan(destination)
            try plan.makePartialFolder()
            return plan
        }
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
        let (given, url, path) = (task.resumed, request.url, plan.knownPath)
        guard given != nil || task.options.continuesEarlier else { return }
        let found = try await FileWork.run { try PartialPlace.earlier(given, url: url, destination: path, plan) }
        guard let (place, data) = found else { return }
        self.place = place
        known = data.known
        // A file that is complete is asked for its last byte, so that the server confirms it.
        if let length = known.length, known.present.total == length { known.present.truncate(to: length - 1) }
        resumedAt = known.present.total
        guard resumedAt > 0 else { return }
        task.post(.downloadResumed(resumedAt, known.length))
    }

    // MARK: Requests

    /// Sends requests until the file is complete; returns the last response.
    private mutating func transfer(_ plan: DestinationPlan) async throws -> Response {
        while true {
            try await task.gate.pass()
            let (attempt, requested) = next()
            var response = try await task.response(to: attempt)
            // The value of the task keeps the head alone.
            defer { response.body.cancel() }
            var head = response
            head.body = ResponseBody()
            switch ResumeRule.decision(
                status: response.status.code, fields: response.section, requested: requested, known: known)
            {
            case .refuse(let error): throw error.at(attempt)
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
                digests.expect(response)
                if try await receive(response.body, range.lowerBound, atMost: range.count) { return head }
                continue
            }
            response.body = response.body.readableOnce
            if try await receive(response.body, 0, atMost: .max) { return head }
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

    /// Gives up the bytes that are there; throws if that was done before.
    private mutating func restart(_ attempt: Request) throws(SternaError) {
        guard !hasRestarted else {
            throw SternaError(
                .malformedResponse, phase: .read,
                "The server has changed the file twice during the download. Try again later."
            ).at(attempt)
        }
        hasRestarted = true
        known = ResumeRule.Known()
        resumedAt = 0
    }

    /// Begins the file anew with a response that has all of it.
    private mutating func begin(
        _ response: Response, _ plan: DestinationPlan, length: Int64?, _ validator: EntityValidator?
    ) async throws {
        known = ResumeRule.Known(validator: validator, length: length)
        resumedAt = 0
        digests.begin(response)
        let path = plan.path(forHeadOf: response)
        let place = place
        self.place = try await FileWork.run {
            if let path { try plan.checkFree(path) }
            let opened: PartialPlace
            if let place { opened = place } else { opened = try PartialPlace(plan, destination: path) }
            try opened.file.truncate(to: 0)
            return opened
        }
        try await save()
    }

    // MARK: Bodies

    /// Writes a body to the partial file; returns whether the file is complete. False if the download gave its connection up while
    /// it was suspended, or if the server sent less than it was asked for.
    private mutating func receive(_ body: ResponseBody, _ start: Int64, atMost most: Int) async throws -> Bool {
        guard let file = place?.file else { return false }
        var writer = PartialWriter(file, at: start)
        var meter = ProgressMeter()
        var (count, isParked) = (0, false)
        var iterator = body.makeAsyncIterator()
        do {
            while true {
                guard try await mayGoOn() else {
                    isParked = true
                    break
                }
                guard let piece = try await iterator.next() else { break }
                guard piece.readableBytes <= most - count else { throw Self.tooMuch.at(request) }
                count += piece.readableBytes
                digests.add(piece, at: start + Int64(count - piece.readableBytes))
                try await writer.add(piece)
                report(&meter, piece.readableBytes, at: start)
                if known.validator != nil, clock.now - savedAt > Self.saveInterval {
                    try await writer.finish()
                    known.present.insert(start..<writer.written)
                    try await save()
                }
            }
        } catch {
            // What has arrived is kept, as far as it could be written.
            try? await writer.finish()
            known.present.insert(start..<writer.written)
            throw error
        }
        do {
            try await writer.finish()
        } catch {
            known.present.insert(start..<writer.written)
            throw error
        }
        let end = writer.written
        known.present.insert(start..<end)
        guard !isParked else {
            try await save()
            return false
        }
        if let error = digests.contentVerdict() {
            // The bytes are wrong, and which of them is unknown.
            known = ResumeRule.Known()
            throw error
        }
        guard let length = known.length else {
            // The end of a whole body is the end of the file; that of a part is not.
            if most == .max { known.length = end }
            if most == .max { return true }
            shortParts += 1
            if count == 0 || shortParts > Self.shortPartLimit { throw Self.noProgress.at(request) }
            return false
        }
        guard known.present.total < length else { return true }
        shortParts += 1
        if count == 0 || shortParts > Self.shortPartLimit { throw Self.noProgress.at(request) }
        return false
    }

    /// Waits while the task is suspended. Returns false if it stays so for longer than its grace and can go on later.
    private func mayGoOn() async throws -> Bool {
        guard !task.gate.isOpen else { return true }
        guard known.validator != nil else {
            try await task.gate.pass()
            return true
        }
        return try await task.gate.pass(
            within: task.options.suspensionGrace, on: session.plan.settings.engine.loopClock)
    }

    private func report(_ meter: inout ProgressMeter, _ bytes: Int, at start: Int64) {
        let now = NIODeadline.now()
        meter.add(bytes, at: now)
        var progress = meter.progress(at: now)
        progress.completed += start
        progress.total = known.length
        TaskReading(task: task).report(progress)
    }

    private static var tooMuch: SternaError {
        SternaError(.malformedResponse, phase: .read, "The server sent more bytes than the part that it announced.")
    }

    private static var noProgress: SternaError {
        SternaError(
            .truncated, phase: .read,
            "The server ends its responses again and again before the file is complete. Try later, or without resume data."
        )
    }

    // MARK: The end

    private mutating func finish(_ response: Response, _ plan: DestinationPlan) async throws -> DownloadedFile {
        if place == nil { try await begin(response, plan, length: 0, nil) }
        guard let place else { throw Self.noProgress }
        // A process that was killed may have left bytes behind the end.
        if let length = known.length { try await FileWork.run { try place.file.truncate(to: length) } }
        if let error = try await digests.fileVerdict(place.file) {
            known = ResumeRule.Known()
            throw error
        }
        try await FileWork.run { try place.file.sync() }
        let path = try await plan.path(for: response, temporary: place.file.path)
        task.post(.destinationChosen(path))
        let (final, length) = try await task.reportingMove(to: path) {
            let length = place.file.length
            let final = try plan.place(place.file.path, at: path)
            place.removeSidecar()
            return (final, length)
        }
        return DownloadedFile(
            path: final, response: response, length: length, resumedAt: resumedAt, plan: session.plan)
    }

    /// What continues the download; nil without a validator, or without bytes.
    private func resumeData() -> ResumeData? {
        guard let place, let validator = known.validator, !known.present.isEmpty else { return nil }
        return place.data(url: request.url, validator, known)
    }

    /// Makes the bytes that are there survive the process.
    private mutating func save() async throws {
        savedAt = clock.now
        guard let place, let data = resumeData() else { return }
        try await FileWork.run {
            try place.file.sync()
            try place.write(data)
        }
    }

    /// Keeps a partial file that can be continued, and removes any other.
    private mutating func interrupted() async {
        guard let place else { return }
        guard !task.discardsPartialFile, let data = resumeData() else {
            _ = try? await FileWork.run { place.remove() }
            return
        }
        task.keep(data)
        try? await save()
        // The next download may begin before this value is released.
        place.file.unlock()
    }
}
