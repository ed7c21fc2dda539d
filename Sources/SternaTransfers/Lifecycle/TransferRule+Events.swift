import SternaCore

extension TransferRule.Decision {
    /// Returns the event that the journal gets of a failed attempt.
    ///
    /// - Parameters:
    ///   - error: why the attempt failed.
    ///   - secrets: what is left out where the server repeats it.
    ///   - now: in milliseconds since 1970.
    ///   - requests: the number of requests in a row that have brought nothing.
    func event(
        after error: SternaError, hiding secrets: SentSecrets, at now: Int64, requests: Int
    ) -> TransferEvent {
        switch self {
        case .again(let pause):
            .failed(
                TransferFailure(error).hiding(secrets), at: now,
                again: now.addingReportingOverflow(pause).partialValue, requests: requests)
        case .block(let failure): .blocked(failure.hiding(secrets), at: now)
        case .end(let failure): .ended(failure.hiding(secrets))
        }
    }
}

extension TransferEvent {
    /// Whether the event must not be lost in a power failure. A begun attempt is begun again.
    var isEssential: Bool { if case .began = self { false } else { true } }
}
