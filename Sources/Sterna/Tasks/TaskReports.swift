public import SternaCore
import Synchronization

#if Foundation
package import Foundation
#endif

/// The progress of a task in both directions: for readers of its sequences, and for user code, whose calls are coalesced.
final class TaskReports: Sendable {
    let upload = UpdateChannel(TransferProgress(completed: 0))
    let download = UpdateChannel(TransferProgress(completed: 0))
    private let callbackQueue: UserCallbackQueue?
    private let traffic: TransferTraffic

    /// The largest step between two reports, in bytes, that counts as transferred; a larger one is the part that an earlier attempt
    /// saved.
    private static let longestStep: Int64 = 16 << 20

    typealias Receiver = @Sendable (RequestProgress) -> Void

    private struct State {
        var progress = RequestProgress()
        var receiver: Receiver?
        // At most one call is pending, and it reads the newest state when it runs, so a fast network does not flood the queue.
        var isPosted = false
        var isEnded = false
        #if Foundation
        var uploadObject: Progress?
        var downloadObject: Progress?
        var hasReader: Bool { uploadObject != nil || downloadObject != nil }
        #else
        var hasReader: Bool { false }
        #endif
    }

    private let state = Mutex(State())

    init(callbackQueue: UserCallbackQueue?, traffic: TransferTraffic) {
        self.callbackQueue = callbackQueue
        self.traffic = traffic
    }

    /// Sets the user code that is called in the callback queue with the progress of both directions.
    func connect(_ receiver: Receiver?) { state.withLock { $0.receiver = receiver } }

    var progress: RequestProgress { state.withLock { $0.progress } }

    func sent(_ progress: TransferProgress) {
        count(progress, after: upload.current)
        report { $0.upload = progress }
        upload.report(progress)
    }

    private func count(_ progress: TransferProgress, after last: @autoclosure () -> TransferProgress) {
        guard traffic.isMeasured else { return }
        let (step, overflow) = progress.completed.subtractingReportingOverflow(last().completed)
        if !overflow, step > 0, step <= Self.longestStep { traffic.transferred(Int(step)) }
    }

    func received(_ progress: TransferProgress) {
        count(progress, after: download.current)
        report { $0.download = progress }
        download.report(progress)
    }

    /// Changes the progress, and posts a delivery unless one is pending; has no effect after the end.
    func report(_ change: (inout RequestProgress) -> Void) {
        let isToPost = state.withLock { state in
            guard !state.isEnded else { return false }
            change(&state.progress)
            guard state.receiver != nil || state.hasReader, !state.isPosted else { return false }
            state.isPosted = true
            return true
        }
        guard isToPost else { return }
        guard let callbackQueue else { return deliver() }
        callbackQueue.post { self.deliver() }
    }

    /// Calls the user code, if a report is pending. Runs in the callback queue.
    func deliver() {
        let pending = state.withLock { state -> (RequestProgress, Receiver?)? in
            guard state.isPosted else { return nil }
            state.isPosted = false
            return (state.progress, state.receiver)
        }
        guard let (progress, receiver) = pending else { return }
        #if Foundation
        let objects = state.withLock { ($0.uploadObject, $0.downloadObject) }
        objects.0?.take(progress.upload)
        objects.1?.take(progress.download)
        #endif
        receiver?(progress)
    }

    /// Drops a pending call; no more user code is called.
    func silence() {
        state.withLock { state in
            state.receiver = nil
            state.isPosted = false
        }
    }

    /// Accepts no more reports, and ends the sequences. After a success a last report is to be delivered, the only one with a
    /// fraction of 1.
    func end(succeeded: Bool) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.isEnded = true
            guard succeeded else { return }
            state.progress.finish()
            state.isPosted = state.receiver != nil || state.hasReader
        }
        upload.end()
        download.end()
    }
}

/// The progress of a request in both directions.
public struct RequestProgress: Sendable, Hashable, CustomStringConvertible {
    /// The progress of the request's body.
    public var upload = TransferProgress(completed: 0)

    /// The progress of the response's body.
    public var download = TransferProgress(completed: 0)

    /// Whether the request has succeeded, so that this report is the last.
    private var isComplete = false

    package init() {}

    /// The completed fraction of the request's body, if it has one, else of the response's; nil while its length is unknown.
    ///
    /// It is 1 in the last report of a request that succeeds, before `success` is called, and less than 1 in every other.
    public var fraction: Double? {
        if isComplete { return 1 }
        let sends = upload.total != nil || upload.completed > 0
        let fraction = sends ? upload.fraction : download.fraction
        return fraction.map { min($0, 1.0.nextDown) }
    }

    /// Completes both directions: the number of bytes transferred becomes the total of a body of unknown length.
    mutating func finish() {
        isComplete = true
        if upload.total == nil, upload.completed > 0 { upload.total = upload.completed }
        if download.total == nil { download.total = download.completed }
    }

    /// For instance `sent 37% of 1.2 GB; received 0 B`.
    public var description: String { "sent \(upload); received \(download)" }
}

#if Foundation
extension TaskReports {
    /// Returns the `Progress` of the upload or of the download, always the same object; it changes in the callback queue, or
    /// without one where progress is reported.
    func object(ofUpload: Bool, _ makeObject: () -> Progress) -> Progress {
        state.withLock { state in
            if let known = ofUpload ? state.uploadObject : state.downloadObject { return known }
            let object = makeObject()
            object.take(ofUpload ? state.progress.upload : state.progress.download)
            if ofUpload { state.uploadObject = object } else { state.downloadObject = object }
            return object
        }
    }
}

extension Progress {
    /// Copies the progress of a transfer: bytes as units, a negative total if the length is unknown.
    package func take(_ progress: TransferProgress) {
        totalUnitCount = progress.total ?? -1
        completedUnitCount = progress.completed
    }
}
#endif
