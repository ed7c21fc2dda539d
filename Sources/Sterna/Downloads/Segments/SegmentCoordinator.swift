import NIOCore
import SternaCore

/// The state that a download's connections share: the plan, the received bytes, the digests and the progress.
///
/// Workers report to it, and receive their segments from it. A worker without a segment waits while others run; the last worker
/// without work ends all waits.
actor SegmentCoordinator {
    /// What a worker does with a piece.
    struct Order: Sendable {
        var intake: SegmentPlan.Intake

        /// Whether the sidecar has to be written.
        var saves = false
    }

    private(set) var known: ResumeRule.Known
    private(set) var digests: DownloadDigests

    /// The error that ended the download.
    private(set) var failure: (any Error)?

    /// Whether the download closed its connections, since it stays suspended.
    private(set) var isParked = false

    /// Whether no worker continues.
    private(set) var isOver = false

    /// When the sidecar was last written.
    private(set) var savedAt: NIODeadline

    private let task: DownloadTask
    private let url: HTTPURL
    private let partial: PartialDownload
    private let isWhole: Bool
    private var plan: SegmentPlan
    private var pace: SegmentPace
    private var meter = ProgressMeter()
    private let before: Int64
    private var savedBytes: Int64
    private var isSaving = false
    private var waits: [Wait<SegmentPlan.Segment?>] = []

    /// The interval between writes of the sidecar, which limits what a killed process has to request again.
    private static let saveInterval = TimeAmount.seconds(5)

    /// The number of bytes after which a log records what is on disk; after a restart, later bytes are read again.
    private static let loggedBytes: Int64 = 64 << 20

    /// - Parameters:
    ///   - range: the bytes of the first response; up to `Int64.max` if its length is unknown.
    ///   - isWhole: whether the first response is the whole file, so that its end is the file's end.
    ///   - most: the maximum number of connections.
    init(
        _ task: DownloadTask, url: HTTPURL, _ partial: PartialDownload, _ known: ResumeRule.Known,
        _ digests: DownloadDigests, first range: Range<Int64>, isWhole: Bool, most: Int, savedAt: NIODeadline
    ) {
        self.task = task
        self.url = url
        self.partial = partial
        self.known = known
        self.digests = digests
        self.isWhole = isWhole
        self.savedAt = savedAt
        before = known.present.total
        savedBytes = before
        let (now, rules) = (Self.seconds(task), task.options.segmentRules)
        plan = SegmentPlan(range, missing: most > 1 ? known.present.missing(of: known.length) : [], at: now, rules)
        pace = SegmentPace(most: most, at: now, rules)
    }

    /// The segment of the first response.
    var first: SegmentPlan.Segment? { plan.running.first }

    private static func seconds(_ task: DownloadTask) -> Double {
        Double(task.session.plan.settings.network.engine.clock.now.uptimeNanoseconds) / 1e9
    }

    private var now: Double { Self.seconds(task) }

    // MARK: Segments

    /// Ends a worker's segment, if it has one, and returns its next one; waits for one while others run. Nil if no work is left.
    func next(after done: SegmentPlan.Segment? = nil) async -> SegmentPlan.Segment? {
        // A stopped download's segments do not determine the file's length.
        if let done, !isOver { end(done) }
        let wait = Wait<SegmentPlan.Segment?>()
        waits.append(wait)
        assign()
        // The end of the download ends the wait; cancellation does not.
        return try? await wait.valueIgnoringCancellation()
    }

    /// Records the head of a segment's response, which has bytes up to `end`. Returns false if they are no longer needed.
    func begin(_ segment: SegmentPlan.Segment, upTo end: Int64) -> Bool {
        guard !isOver, plan.begin(segment.number, upTo: end, at: now) else { return false }
        pace.restart(at: now)
        // A server that sends less than requested receives fewer requests.
        if end < segment.end { pace.failed() }
        return true
    }

    /// Ends a segment whose connection failed. The others continue, and the download fails with the last one. Returns false if
    /// other connections have received the segment's bytes.
    func fail(_ segment: SegmentPlan.Segment, _ error: any Error) -> Bool {
        guard !isOver, plan.has(segment.number) else { return false }
        plan.end(segment.number)
        pace.failed()
        assign()
        if isOver { failure = error }
        return true
    }

    /// Ends a segment for which the server did not send the requested range; no further ranges are requested.
    func refuse(_ segment: SegmentPlan.Segment) {
        plan.end(segment.number)
        pace.close()
        assign()
    }

    /// Stops the download: with an error that no other connection can recover from, or because it stays suspended.
    func stop(_ error: (any Error)? = nil) {
        guard !isOver else { return }
        failure = error
        isParked = error == nil
        isOver = true
        assign()
    }

    private func end(_ segment: SegmentPlan.Segment) {
        // A whole body ends at the file's end; a part, or a cancelled body, need not.
        if isWhole, !isOver, known.length == nil, let last = plan.running.first { known.length = last.next }
        // A body that ends early counts as a failure.
        if plan.end(segment.number) > 0 { pace.failed() }
    }

    /// Assigns segments to waiting workers, or ends their wait if no work is left.
    private func assign() {
        while !isOver, plan.running.count < pace.allowed, pace.isShared, !waits.isEmpty,
            let segment = plan.open(at: now)
        {
            waits.removeLast().end(.success(segment))
        }
        if plan.running.isEmpty { isOver = true }
        guard isOver else { return }
        for wait in waits { wait.end(.success(nil)) }
        waits = []
    }

    // MARK: Bytes

    /// Counts a piece of a segment's response.
    ///
    /// - Parameters:
    ///   - position: the position of its first byte.
    ///   - written: the position after the segment's last byte in the file.
    func receive(
        _ piece: Bytes, at position: Int64, of segment: SegmentPlan.Segment, written: Int64
    ) -> Order {
        guard !isOver else { return Order(intake: .last(0)) }
        wrote(segment.start..<written)
        let intake = plan.take(piece.readableBytes, by: segment.number)
        var taken = piece
        switch intake {
        case .all: break
        case .last(let count): taken = piece.getSlice(at: piece.readerIndex, length: count) ?? Bytes()
        case .tooMany: return Order(intake: intake)
        }
        digests.add(taken, at: position)
        if taken.readableBytes > 0 { report(taken.readableBytes) }
        if pace.add(taken.readableBytes, at: now, running: plan.begun) { plan.endNewest() }
        assign()
        let clock = task.session.plan.settings.network.engine.clock
        let isMuch = task.log != nil && known.present.total - savedBytes > Self.loggedBytes
        let isDue = known.validator != nil && (isMuch || clock.now - savedAt > Self.saveInterval)
        return Order(intake: intake, saves: isDue && !isSaving)
    }

    /// Records bytes that are in the file.
    func wrote(_ range: Range<Int64>) { known.present.insert(range) }

    /// Restarts the measurement of throughput after a pause.
    func resumed() { pace.restart(at: now) }

    /// Syncs the received bytes, and writes the sidecar.
    func save() async throws {
        guard !isSaving, let validator = known.validator else { return }
        isSaving = true
        defer { isSaving = false }
        savedAt = task.session.plan.settings.network.engine.clock.now
        savedBytes = known.present.total
        let (partial, data) = (partial, partial.data(url: url, validator, known))
        try await BlockingWork.run {
            try partial.file.sync()
            try partial.write(data)
        }
    }

    private func report(_ bytes: Int) {
        let now = NIODeadline.now()
        meter.add(bytes, at: now)
        var progress = meter.progress(at: now)
        progress.completed += before
        progress.total = known.length
        TaskReading(task: task).report(progress)
    }
}
