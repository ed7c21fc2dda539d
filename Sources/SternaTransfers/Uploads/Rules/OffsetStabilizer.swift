/// Decides when the offset of an upload that an earlier run began is stable.
///
/// A server may still store content of a request that has ended, so that the first offset is soon out of date: the offset is
/// requested until two responses in a row are equal.
struct OffsetStabilizer: Sendable, Hashable {
    /// The maximum number of requests, after which the last response counts: the upload does not wait for an offset that grows for
    /// ever.
    static let mostQuestions = 8

    private var isStable: Bool
    private var last: Int64?
    private var questions = 0

    /// - Parameter state: the state of the earlier run; nil for a new upload.
    init(_ state: UploadState?) {
        isStable = state?.url == nil || state?.stage == .complete
    }

    /// Returns the state to continue from after a step. It requests the offset again unless that is known to be stable.
    mutating func stabilize(_ next: UploadState, after step: UploadStep) -> (state: UploadState, asksAgain: Bool) {
        guard !isStable, case .ask = step, next.isCurrent, next.stage != .complete else { return (next, false) }
        questions += 1
        guard last != next.offset, questions < Self.mostQuestions else {
            isStable = true
            return (next, false)
        }
        last = next.offset
        return (next.unsure(), true)
    }
}
