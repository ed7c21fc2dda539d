/// Decides what follows a response that ends before the requested range. A value without a clock.
///
/// A server may send less than requested (RFC 9110, 15.3.7). Without a limit, one that sends next to nothing would receive as many
/// requests as it can answer.
struct ShortResponseLimiter: Sendable, Hashable {
    /// What follows a response.
    enum Decision: Sendable, Hashable {
        /// The next request, after a pause.
        case next(after: Duration)
        /// The error that the download fails with.
        case end(detail: String)
    }

    /// The number of bytes that justifies a request.
    static let enough: Int64 = 64 << 10

    /// The maximum number of consecutive responses with fewer bytes.
    static let most = 10

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(30)

    private var inARow = 0

    /// Counts a response that ended early, by its bytes.
    mutating func ended(bringing bytes: Int64) -> Decision {
        guard bytes > 0 else {
            return .end(
                detail:
                    "The server ended its response without any further bytes of the file. Try again later, or without resume data."
            )
        }
        guard bytes < Self.enough else {
            inARow = 0
            return .next(after: .zero)
        }
        inARow += 1
        guard inARow < Self.most else {
            return .end(
                detail:
                    "The server sends only a few bytes for each request, \(bytes) for the last of \(inARow) in a row. The "
                    + "partial file is kept; try again later.")
        }
        return .next(after: min(Self.longestPause, Self.firstPause * (1 << (inARow - 1))))
    }
}
