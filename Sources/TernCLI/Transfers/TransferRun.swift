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

/// Shows transfers of this process until they are over, or lack credentials.
struct TransferRun {
    let store: TransferStore
    let transfers: [Transfer]

    /// The changes of all transfers of the store, since it was opened.
    let changes: TransferChanges
    let display: DownloadDisplay

    /// Whether the end of a transfer that has succeeded is told on standard output.
    var saysEnd = true

    /// What was told of a transfer that goes on.
    private struct Told {
        var attempt = 0
        var obstacle: TransferFailure?
    }

    /// Throws the exit status of the first that failed, whose error was shown; and `CancellationError` after a signal.
    func run() async throws {
        let latest = TransferSnapshot(transfers)
        let status = await display.run({ latest.screen() }) { await follow() }
        guard !Task.isCancelled else {
            await store.interrupt()
            // What the store has, which is less than what has come if the server gave no validator.
            let ids = Set(transfers.map(\.id))
            let left = await store.list().filter { !$0.state.isOver && ids.contains($0.id) }
            let kept = left.reduce(Int64(0)) { $0.addingReportingOverflow($1.progress.completed).partialValue }
            if !left.isEmpty, !display.isSilent {
                printError("Interrupted; kept \(ByteSize(kept)). To continue: tern transfers resume")
            }
            throw CancellationError()
        }
        if let status { throw ExitCode(status) }
    }

    /// Tells what happens, until nothing further does; returns the exit status of the first that failed.
    private func follow() async -> Int32? {
        var open: [TransferID: Told] = [:]
        for transfer in transfers { open[transfer.id] = Told() }
        var status: Int32?
        // What happened before the first change is read.
        for transfer in transfers { tell(transfer, &open, &status) }
        guard !open.isEmpty else { return status }
        for await transfer in changes.stream {
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

    /// Tells why a transfer waits, once for each attempt and each obstacle.
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

    /// Tells how a transfer has ended, and whether it has failed; nil for one that goes on.
    private func end(of transfer: Transfer, _ state: TransferState) -> Result<Void, ExitCode>? {
        lazy var name = TransferTable.name(transfer.details)
        switch state {
        case .finished(let path, let length):
            if saysEnd { display.say(TransferTable.finished(transfer.details, path, length, transfer.answer)) }
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

    /// What lets a blocked transfer go on.
    private static func advice(_ failure: TransferFailure, _ id: TransferID) -> String {
        let option = failure.status == 407 ? "--proxy-user USER:PASSWORD" : "-a USER:PASSWORD"
        let short = id.text.prefix(8)
        return
            "It stays in the store: go on with tern transfers resume \(short) \(option), or give it up with tern transfers cancel \(short)."
    }
}
