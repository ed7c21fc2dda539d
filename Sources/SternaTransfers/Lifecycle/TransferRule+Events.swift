import SternaCore

extension TransferRule.Decision {
    /// Returns the journal's event for a failed attempt.
    ///
    /// - Parameters:
    ///   - error: the reason of the failure.
    ///   - secrets: the secrets to remove from text of the server.
    ///   - now: in milliseconds since 1970.
    ///   - requests: the number of requests in a row without progress.
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
    /// Whether the event must survive a power failure. An attempt whose beginning is lost begins again.
    var isEssential: Bool { if case .began = self { false } else { true } }
}
