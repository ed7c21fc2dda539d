import ArgumentParser
import Sterna
import SternaPlatform
import SternaTransfers

/// The changes of a store's transfers, for one reader.
struct TransferChanges: Sendable {
    let stream: AsyncStream<Transfer>
    private let continuation: AsyncStream<Transfer>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    /// Takes a change; the store's `stateChanged`.
    func note(_ transfer: Transfer) { continuation.yield(transfer) }
}

/// The time that `--max-time` gives a command that carries transfers on: then the command ends, and they stay in the store.
struct TransferLimit: Sendable {
    let seconds: Double
    let end: ContinuousClock.Instant

    /// Nil without the option. The time begins now.
    init?(_ connection: ConnectionOptions) {
        guard let seconds = connection.transport.maxTime else { return nil }
        (self.seconds, end) = (seconds, ContinuousClock.now + .seconds(seconds))
    }

    /// The message that the time is over, with advice.
    var reason: String {
        "The command did not finish within the \(RequestJob.seconds(seconds)) of --max-time. Give it more with --max-time SECONDS."
    }
}

/// Shows transfers of this process until they are over, or lack credentials.
struct TransferRun {
    let store: TransferStore
    let transfers: [Transfer]

    /// The changes of all transfers of the store, since it was opened.
    let changes: TransferChanges
    let display: DownloadDisplay

    /// Whether the end of a transfer that has succeeded is printed to standard output.
    var saysEnd = true

    /// When the command ends, even if transfers are unfinished; nil for no limit.
    var limit: TransferLimit?

    /// The session whose events are printed before the changes that they cause; nil if no events are printed.
    var session: Session?

    /// What was printed about an unfinished transfer.
    private struct Told {
        var attempt = 0
        var obstacle: TransferFailure?
    }

    /// Throws the exit status of the first failed transfer, whose error was shown, or of the limit; and `CancellationError` after a
    /// signal.
    func run() async throws {
        let latest = TransferSnapshot(transfers)
        let end = await display.run({ latest.screen() }) { await followInTime() }
        guard case .ended(let status) = end, !Task.isCancelled else {
            let isOverdue = !Task.isCancelled
            await store.interrupt()
            // The bytes that the store keeps: fewer than have arrived if the server gave no validator.
            let ids = Set(transfers.map(\.id))
            let left = await store.list().filter { !$0.state.isOver && ids.contains($0.id) }
            if isOverdue, let limit { display.complain(limit.reason) }
            if !left.isEmpty, !display.isSilent {
                printError(TransferTable.interrupted(left.map { ($0.progress.completed, $0.sentBytes) }))
            }
            guard isOverdue else { throw CancellationError() }
            throw ExitCode(ExitStatus.code(for: .timedOut))
        }
        if let status { throw ExitCode(status) }
    }

    private enum End: Sendable {
        case ended(Int32?)
        case overdue
    }

    /// Prints what happens to the transfers, until each has ended or is blocked, or the time is over.
    private func followInTime() async -> End {
        guard let limit else { return .ended(await follow()) }
        return await withTaskGroup(of: End.self) { group in
            group.addTask { .ended(await follow()) }
            group.addTask {
                try? await Task.sleep(until: limit.end, clock: .continuous)
                return .overdue
            }
            let first = await group.next() ?? .overdue
            group.cancelAll()
            return first
        }
    }

    /// Prints what happens to the transfers, until each has ended or is blocked; returns the exit status of the first that failed.
    private func follow() async -> Int32? {
        var open: [TransferID: Told] = [:]
        for transfer in transfers { open[transfer.id] = Told() }
        var status: Int32?
        // Changes before the stream is read.
        for transfer in transfers { tell(transfer, &open, &status) }
        guard !open.isEmpty else { return status }
        for await transfer in changes.stream {
            await session?.flushEvents()
            tell(transfer, &open, &status)
            if open.isEmpty { break }
        }
        return status
    }

    private func tell(_ transfer: Transfer, _ open: inout [TransferID: Told], _ status: inout Int32?) {
        guard var told = open[transfer.id] else { return }
        let present = transfer.status
        guard let end = end(of: transfer, present.state) else {
            tellDelay(transfer, present, &told)
            open[transfer.id] = told
            return
        }
        open[transfer.id] = nil
        if case .failure(let failed) = end, status == nil { status = failed.rawValue }
    }

    /// Prints why a transfer waits, once for each attempt and each obstacle.
    private func tellDelay(_ transfer: Transfer, _ present: TransferStatus, _ told: inout Told) {
        lazy var name = TransferTable.name(transfer.details)
        if let found = present.obstacle, found != told.obstacle {
            told.obstacle = found
            display.complain("\(name): \(TransferAdvice.reason(found, isFinal: false)) It is asked again.")
        }
        guard present.state == .waiting, let last = transfer.attempts.last, let failure = last.failure,
            last.number > told.attempt
        else { return }
        told.attempt = last.number
        display.complain("\(name): \(TransferAdvice.reason(failure, isFinal: false)) It is tried again.")
    }

    /// Prints how a transfer has ended, and returns whether it has failed; nil for one that continues.
    private func end(of transfer: Transfer, _ state: TransferState) -> Result<Void, ExitCode>? {
        lazy var name = TransferTable.name(transfer.details)
        switch state {
        case .finished(let path, let length):
            if saysEnd { display.say(TransferTable.finished(transfer.details, path, length, transfer.response)) }
            return .success(())
        case .failed(let failure):
            display.complain("\(name): \(TransferAdvice.reason(failure))")
            return .failure(Self.code(of: failure))
        case .blocked(let failure):
            display.complain(
                "\(name): \(TransferAdvice.reason(failure, isFinal: false)) \(Self.advice(failure, transfer.id))")
            return .failure(Self.code(of: failure))
        case .cancelled: return .failure(ExitCode(ExitStatus.failure))
        case .waiting, .running, .paused: return nil
        }
    }

    private static func code(of failure: TransferFailure) -> ExitCode {
        let kind = SternaError.Kind(rawValue: failure.kind) ?? .connectionFailed
        return ExitCode(ExitStatus.code(for: SternaError(kind, phase: .read, failure.reason)))
    }

    /// The advice how to resume a blocked transfer.
    private static func advice(_ failure: TransferFailure, _ id: TransferID) -> String {
        let option = failure.status == 407 ? "--proxy-user USER:PASSWORD" : "-a USER:PASSWORD"
        let short = id.text.prefix(8)
        return
            "It stays in the store: go on with tern transfers resume \(short) \(option), or give it up with tern transfers cancel \(short)."
    }
}
