import Sterna
import SternaCore

/// What the events of a journal amount to. A value without files or a clock: any prefix of a journal gives a state that was true once.
struct TransferHistory: Sendable, Hashable {
    private(set) var state = TransferState.waiting

    /// What is known of the server's file, with the bytes that the disk has; nil if nothing is.
    private(set) var data: ResumeData?

    /// The path of the partial file; nil if there is none.
    private(set) var partialPath: String?

    /// The bytes that were written since then, in the order in which they were.
    private(set) var blocks: [Block] = []

    /// The complete file that was about to get its name.
    private(set) var placing: TransferFile?

    /// How far the upload is; nil if nothing was sent.
    private(set) var upload: UploadRecord?

    /// What the server has answered to the complete upload.
    private(set) var answer: TransferAnswer?

    private(set) var attempts: [TransferAttempt] = []

    /// The number of attempts, also of those that are no longer listed.
    private(set) var attemptCount = 0

    /// When the next attempt is due, in milliseconds since 1970.
    private(set) var nextAttempt: Int64 = 0

    /// Bytes of the partial file with their checksum.
    struct Block: Sendable, Hashable {
        let range: Range<Int64>
        let sum: UInt64
    }

    /// The number of attempts that are listed.
    static let mostAttempts = 20

    init(_ events: some Sequence<TransferEvent> = []) {
        for event in events { apply(event) }
    }

    mutating func apply(_ event: TransferEvent) {
        // What has ended does not begin again, whatever a damaged journal says.
        guard !state.isOver else { return }
        switch event {
        case .began(let number, let at, let kept):
            (state, attemptCount, nextAttempt) = (.running, number, 0)
            attempts.append(TransferAttempt(number: attemptCount, began: at, kept: kept))
            if attempts.count > Self.mostAttempts { attempts.removeFirst() }
        case .opened(let path): partialPath = path
        case .found(let found): (data, blocks, placing) = (found, [], nil)
        case .wrote(let range, let sum):
            if data != nil { blocks.append(Block(range: range, sum: sum)) }
        case .synced(let synced): (data, blocks) = (synced, [])
        case .discarded: (partialPath, data, blocks, placing) = (nil, nil, [], nil)
        case .placing(let file): placing = file
        case .uploading(let record): upload = record
        case .answered(let given): answer = given
        case .failed(let failure, let at, let again, let requests):
            guard let last = attempts.indices.last else { break }
            state = .waiting
            nextAttempt = again
            attempts[last].ended = at
            (attempts[last].failure, attempts[last].requestsInVain) = (failure, requests)
        case .blocked(let failure, let at):
            guard let last = attempts.indices.last else { break }
            state = .blocked(failure)
            nextAttempt = 0
            attempts[last].ended = at
            attempts[last].failure = failure
        case .paused: state = .paused
        case .resumed:
            if state == .paused || state.isBlocked { state = .waiting }
            nextAttempt = 0
        case .cancelled: state = .cancelled
        case .ended(let failure): state = .failed(failure)
        case .finished(let path, let length): state = .finished(path: path, length: length)
        }
    }

    /// The bytes that are in the partial file, or that the server has, as far as the journal knows.
    var keptBytes: Int64 {
        if let upload { return upload.confirmed }
        guard let data else { return 0 }
        return data.adding(blocks.map(\.range)).receivedBytes
    }

    /// The number of requests in a row that have brought nothing, up to the last failure.
    var requestsInVain: Int { attempts.last { $0.failure != nil }?.requestsInVain ?? 0 }

    /// Whether the server has answered an earlier request.
    var knowsServer: Bool { data != nil || upload?.isBegun == true || attempts.contains { $0.failure?.status != nil } }

    /// The events of a journal that says the same in fewer lines.
    var compacted: [TransferEvent] {
        var events: [TransferEvent] = []
        for attempt in attempts {
            events.append(.began(number: attempt.number, at: attempt.began, kept: attempt.keptBytes))
            if let failure = attempt.failure {
                events.append(
                    .failed(
                        failure, at: attempt.ended ?? attempt.began, again: nextAttempt,
                        requests: attempt.requestsInVain))
            }
        }
        if let partialPath { events.append(.opened(path: partialPath)) }
        if let data {
            events.append(data.receivedBytes > 0 ? .synced(data) : .found(data))
            events += blocks.map { .wrote($0.range, sum: $0.sum) }
        }
        if let placing { events.append(.placing(placing)) }
        if let upload { events.append(.uploading(upload)) }
        if let answer { events.append(.answered(answer)) }
        switch state {
        case .running: break
        case .waiting:
            // One that was paused and resumed has no failure that says so.
            if let last = attempts.last, last.failure == nil { events += [.paused, .resumed] }
        case .paused: events.append(.paused)
        case .blocked(let failure): events.append(.blocked(failure, at: attempts.last?.ended ?? 0))
        case .cancelled: events.append(.cancelled)
        case .failed(let failure): events.append(.ended(failure))
        case .finished(let path, let length): events.append(.finished(path: path, length: length))
        }
        return events
    }
}

/// An attempt of a transfer.
public struct TransferAttempt: Sendable, Hashable {
    /// Its number, from 1.
    public let number: Int

    /// When it began, in milliseconds since 1970.
    public let began: Int64

    /// When it failed, in milliseconds since 1970; nil for one that is under way, was interrupted, or succeeded.
    public internal(set) var ended: Int64?

    /// Why it failed; nil for one that has not.
    public internal(set) var failure: TransferFailure?

    /// The number of requests in a row that had brought nothing when it failed, those of earlier attempts among them.
    var requestsInVain = 0

    /// The number of bytes that earlier attempts had left, and that it need not transfer again.
    public let keptBytes: Int64

    init(number: Int, began: Int64, kept: Int64) { (self.number, self.began, keptBytes) = (number, began, kept) }
}
