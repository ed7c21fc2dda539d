/// Decides what follows answers that end before what was requested. A value without a clock.
///
/// A server may send less than it is asked for (RFC 9110, 15.3.7). One that sends next to nothing would get as many requests as it can
/// answer.
struct ShortAnswers: Sendable, Hashable {
    /// What follows an answer.
    enum Decision: Sendable, Hashable {
        /// The next request, after a pause.
        case next(after: Duration)
        /// The error that the download fails with.
        case end(detail: String)
    }

    /// An answer of so many bytes is worth its request.
    static let enough: Int64 = 64 << 10

    /// The number of answers in a row that bring less.
    static let most = 10

    private static let firstPause = Duration.milliseconds(100)
    private static let longestPause = Duration.seconds(30)

    private var inARow = 0

    /// Counts an answer that ended early, by the bytes that it brought.
    mutating func ended(bringing bytes: Int64) -> Decision {
        guard bytes > 0 else {
            return .end(
                detail:
                    "The server ends its responses again and again before the file is complete. Try later, or without resume data."
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
                    "The server sends only a few bytes for each request, \(bytes) for the last of \(inARow) in a row. What is there "
                    + "of the file is kept; try again later.")
        }
        return .next(after: min(Self.longestPause, Self.firstPause * (1 << (inARow - 1))))
    }
}
