import Sterna
import SternaCore

/// The state that results from a journal's events. A value without files or a clock: every prefix of a journal gives a state that
/// was true once.
struct TransferHistory: Sendable, Hashable {
    private(set) var state = TransferState.waiting

    /// The known properties of the server's file, with the synced bytes; nil if nothing is known.
    private(set) var data: ResumeData?

    /// The path of the partial file; nil if there is none.
    private(set) var partialPath: String?

    /// The blocks written since the last sync, in the order of writing.
    private(set) var blocks: [Block] = []

    /// The complete file that was about to be renamed.
    private(set) var placing: TransferFile?

    /// The state of the upload; nil if nothing was sent.
    private(set) var upload: UploadRecord?

    /// The server's response to the complete upload.
    private(set) var response: TransferResponse?

    private(set) var attempts: [TransferAttempt] = []

    /// The number of all attempts, including those that are no longer listed.
    private(set) var attemptCount = 0

    /// The time at which the next attempt is due, in milliseconds since 1970; 0 for none.
    private(set) var nextAttempt: Int64 = 0

    /// A block of the partial file with its checksum.
    struct Block: Sendable, Hashable {
        let range: Range<Int64>
        let sum: UInt64
    }

    /// The maximum number of listed attempts.
    static let mostAttempts = 20

    init(_ events: some Sequence<TransferEvent> = []) {
        for event in events { apply(event) }
    }

    mutating func apply(_ event: TransferEvent) {
        // A transfer that is over does not begin again, whatever a damaged journal says.
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
        case .responded(let given): response = given
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

    /// The bytes in the partial file, or at the server, according to the journal.
    var keptBytes: Int64 {
        if let upload { return upload.confirmed }
        guard let data else { return 0 }
        return data.adding(blocks.map(\.range)).receivedBytes
    }

    /// The number of requests in a row without progress, up to the last failure.
    var requestsInVain: Int { attempts.last { $0.failure != nil }?.requestsInVain ?? 0 }

    /// Whether the server has responded to an earlier request.
    var knowsServer: Bool { data != nil || upload?.isBegun == true || attempts.contains { $0.failure?.status != nil } }

    /// The events of an equivalent journal with fewer lines.
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
        if let response { events.append(.responded(response)) }
        switch state {
        case .running: break
        case .waiting:
            // A transfer that was paused and resumed has no failure to derive the state from.
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

/// An attempt of a transfer, with its outcome.
public struct TransferAttempt: Sendable, Hashable {
    /// The number, from 1.
    public let number: Int

    /// The time at which it began, in milliseconds since 1970.
    public let began: Int64

    /// The time at which it failed, in milliseconds since 1970; nil while it is running, and if it was interrupted or succeeded.
    public internal(set) var ended: Int64?

    /// The reason of the failure; nil if it has not failed.
    public internal(set) var failure: TransferFailure?

    /// The number of requests in a row without progress when it failed, including those of earlier attempts.
    var requestsInVain = 0

    /// The bytes that earlier attempts had transferred, and that this one need not transfer again.
    public let keptBytes: Int64

    init(number: Int, began: Int64, kept: Int64) { (self.number, self.began, keptBytes) = (number, began, kept) }
}
