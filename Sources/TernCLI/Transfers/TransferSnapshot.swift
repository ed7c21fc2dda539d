import NIOCore
import Sterna
import SternaTransfers
import Synchronization

/// The transfers of a moment, for the screen: those of this process, or what the store lists of others.
final class TransferSnapshot: Sendable {
    private struct State {
        var listed: [TransferCompletion] = []
        // The journals of other processes have no rates.
        var rates = RunningRates<TransferID>()
    }

    private let transfers: [Transfer]
    private let state = Mutex(State())

    init(_ transfers: [Transfer] = []) { self.transfers = transfers }

    /// Takes the list of the store.
    func set(_ all: [TransferCompletion]) { state.withLock { $0.listed = all } }

    /// Returns the present screen, with rates that decrease while nothing arrives.
    func screen(at now: NIODeadline = .now()) -> DownloadScreen {
        let own = transfers.compactMap { transfer in
            let status = transfer.status
            return status.state == .running ? (transfer.id, transfer.details, status.progress) : nil
        }
        return state.withLock { state in
            let listed = state.listed.compactMap { $0.state == .running ? ($0.id, $0.details, $0.progress) : nil }
            let running = own + listed
            state.rates.keep(Set(running.map(\.0)))
            return DownloadScreen(
                rows: running.map { id, details, progress in
                    let progress = state.rates.measured(progress, of: id, at: now)
                    return .init(name: TransferTable.name(details), progress: progress)
                })
        }
    }
}
