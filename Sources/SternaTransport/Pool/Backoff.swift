/// How soon an endpoint is dialled again after dials to it failed; a value without a clock.
///
/// The first failures cost nothing. From the third in a row on there is one dial at a time, and a pause before it that grows from
/// 50 ms to a second; when it fails, so does everybody who waited for it.
struct Backoff: Hashable {
    private(set) var failures = 0

    /// No dial begins before this moment, in nanoseconds.
    private(set) var notBefore: Int64 = .min

    /// Whether one dial at a time shows if the others would succeed.
    var isProbing: Bool { failures >= 3 }

    /// How many dials may be under way at a moment where there may else be a number.
    func allowed(of maximum: Int, at now: Int64) -> Int {
        guard isProbing else { return maximum }
        return now >= notBefore ? 1 : 0
    }

    // Of dials that were under way together one failure says as much as all.
    private var lastFailure: Int64 = .min

    /// - Parameter began: when the dial that failed was begun.
    mutating func failed(at now: Int64, began: Int64) {
        guard began >= lastFailure else { return }
        lastFailure = now
        failures = min(failures + 1, 1_000)
        guard isProbing else { return }
        let pause: Int64 = min(50_000_000 << Int64(min(failures - 3, 10)), 1_000_000_000)
        notBefore = now.addingReportingOverflow(pause).partialValue
    }

    mutating func succeeded() { self = Backoff() }
}
