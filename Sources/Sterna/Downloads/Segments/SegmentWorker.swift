import NIOCore
import SternaCore

/// Requests the segments that the coordinator assigns, one after another, and writes them to the partial file.
struct SegmentWorker: Sendable {
    let task: DownloadTask
    let request: Request
    let file: PartialFile
    let coordinator: SegmentCoordinator

    /// Whether the download may close its connections while it is suspended.
    let canPark: Bool

    /// How often the task had closed its connections when the request of the first segment was sent.
    let releases: Int

    /// The end of the file, if only this worker writes it; see ``PartialWriter``.
    let end: Int64?

    /// Requests segments until no work is left, or a connection fails.
    ///
    /// - Parameter first: a segment whose response has arrived.
    func run(_ first: (segment: SegmentPlan.Segment, response: Response)? = nil) async {
        var given = first?.response
        var segment = first?.segment
        if segment == nil { segment = await coordinator.next() }
        while let current = segment {
            do {
                if let response = given.take() {
                    try await read(response, current)
                } else {
                    try await fetch(current)
                }
            } catch {
                if hasReleased { return await coordinator.stop() }
                if Task.isCancelled || Self.isFinal(error) { return await coordinator.stop(error) }
                if await coordinator.fail(current, error) { return }
            }
            segment = await coordinator.next(after: current)
        }
    }

    /// Whether the suspended task has closed its connections, which ended their requests.
    private var hasReleased: Bool { task.gate.releases != releases && !Task.isCancelled }

    /// Returns whether no other connection can recover from an error.
    private static func isFinal(_ error: any Error) -> Bool {
        switch (error as? SternaError)?.kind {
        case .writeFailed, .destinationUnusable, .digestMismatch, .cancelled: true
        default: false
        }
    }

    // MARK: Requests

    /// Requests a segment's bytes, and reads them if the server sends them from the same file.
    private func fetch(_ segment: SegmentPlan.Segment) async throws {
        try await task.gate.pass()
        let known = await coordinator.known
        guard let validator = known.validator else { return await coordinator.refuse(segment) }
        let range = ResumeRule.RequestedRange(first: segment.start, end: segment.end)
        var attempt = request
        for field in ResumeRule.fields(range, validator) { attempt.headers[field.name] = field.value }
        let sent = try await task.session.plan.send(attempt)
        let response = try await TaskReading(task: task).admit(sent, stopsAtGate: false)
        defer { response.body.cancel() }
        switch ResumeRule.decision(
            status: response.status.code, fields: response.section, isDecoded: response.isDecoded, requested: range,
            known: known)
        {
        case .append(let part, _):
            try await task.judge(response)
            if await coordinator.begin(segment, upTo: part.upperBound) { try await read(response, segment) }
        case .startOver, .requestWhole, .complete: await coordinator.refuse(segment)
        case .refuse(let error):
            var head = response
            head.body = ResponseBody()
            throw error.answered(by: head).at(attempt)
        case .deliver:
            try await task.judge(response)
            throw Self.noPart.at(attempt)
        }
    }

    // MARK: Bodies

    /// Writes a response to the file, up to the end of the segment.
    private func read(_ response: Response, _ segment: SegmentPlan.Segment) async throws {
        defer { response.body.cancel() }
        var writer = PartialWriter(file, at: segment.start, log: canPark ? task.log : nil, end: end)
        var digest = ContentDigest(response)
        do {
            let isComplete = try await copy(response.body, segment, &writer, &digest)
            try await writer.finish()
            await coordinator.wrote(segment.start..<writer.written)
            if isComplete, let error = digest.verdict() { throw error }
        } catch {
            // Bytes that arrived are kept, if they could be written.
            try? await writer.finish()
            await coordinator.wrote(segment.start..<writer.written)
            throw error
        }
    }

    /// Passes a body to a writer. Returns whether it was read to its end.
    private func copy(
        _ body: ResponseBody, _ segment: SegmentPlan.Segment, _ writer: inout PartialWriter,
        _ digest: inout ContentDigest
    ) async throws -> Bool {
        var position = segment.start
        var iterator = body.makeAsyncIterator()
        while true {
            if canPark, !task.gate.isOpen { try await save(segment, &writer) }
            guard try await mayGoOn() else {
                await coordinator.stop()
                return false
            }
            guard let piece = try await iterator.next() else { return true }
            let order = await coordinator.receive(piece, at: position, of: segment, written: writer.written)
            switch order.intake {
            case .tooMany: throw Self.tooMuch.at(request)
            case .last(let count):
                if let rest = piece.getSlice(at: piece.readerIndex, length: count) { try await writer.add(rest) }
                return false
            case .all:
                position += Int64(piece.readableBytes)
                digest.add(piece)
                try await writer.add(piece)
            }
            if order.saves { try await save(segment, &writer) }
        }
    }

    /// Syncs the bytes that have arrived, and writes the sidecar.
    private func save(_ segment: SegmentPlan.Segment, _ writer: inout PartialWriter) async throws {
        try await writer.finish()
        await coordinator.wrote(segment.start..<writer.written)
        try await coordinator.save()
    }

    /// Waits while the task is suspended. Returns false if it stays suspended beyond its grace, and can be resumed later.
    private func mayGoOn() async throws -> Bool {
        guard !hasReleased else { return false }
        guard !task.gate.isOpen else { return true }
        guard canPark else {
            try await task.gate.pass()
            return true
        }
        let goesOn = try await task.gate.pass(
            within: task.options.suspensionGrace, on: task.session.plan.settings.network.engine.loopClock)
        await coordinator.resumed()
        return goesOn
    }

    private static var tooMuch: SternaError {
        SternaError(.malformedResponse, phase: .read, "The server sent more bytes than the part that it announced.")
    }

    private static var noPart: SternaError {
        SternaError(.malformedResponse, phase: .read, "The server did not answer a range request with the range.")
    }
}
