/// Decides when the offset of an upload that a former run began is steady.
///
/// A server may still store content that an ended request has sent, so that the first answer is soon out of date: the offset is
/// asked for until two answers in a row are equal.
struct UploadSettling: Sendable, Hashable {
    /// The largest number of questions, after which the last answer counts: a server whose offset grows for ever is not waited for.
    static let mostQuestions = 8

    private var isSettled: Bool
    private var last: Int64?
    private var questions = 0

    /// - Parameter state: that of the former run; nil for a new upload.
    init(_ state: UploadState?) {
        isSettled = state?.url == nil || state?.stage == .complete
    }

    /// Returns the state to go on from after a step: one that asks again if the offset is not known to be steady.
    mutating func settle(_ next: UploadState, after step: UploadStep) -> (state: UploadState, asksAgain: Bool) {
        guard !isSettled, case .ask = step, next.isCurrent, next.stage != .complete else { return (next, false) }
        questions += 1
        guard last != next.offset, questions < Self.mostQuestions else {
            isSettled = true
            return (next, false)
        }
        last = next.offset
        return (next.unsure(), true)
    }
}
